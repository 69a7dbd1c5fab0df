internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of webhooks and their deliveries.
enum WebhookRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(
      .get, path: "/api/v1/webhooks", access: .administrator, id: "webhooks", summary: "Lists webhooks", returns: "The webhooks."
    ) {
      $0.webhooks.list
    },
    Route(
      .post, path: "/api/v1/webhooks", access: .administratorChange, id: "addWebhook", summary: "Creates a webhook",
      returns: "The webhook with its secret."
    ) { $0.webhooks.add }.confirmed(),
    Route(
      .put, path: "/api/v1/webhooks/ID", access: .administratorChange, id: "changeWebhook", summary: "Changes a webhook",
      details: "Members that are not in the body keep their values.", returns: "The webhook."
    ) { $0.webhooks.change }.confirmed(),
    Route(
      .delete, path: "/api/v1/webhooks/ID", access: .administratorChange, id: "removeWebhook", summary: "Deletes a webhook",
      returns: "The id."
    ) { $0.webhooks.remove },
    Route(
      .get, path: "/api/v1/webhook-deliveries", access: .administrator, id: "deliveries",
      summary: "Lists deliveries that have not arrived", returns: "Deliveries, the newest first.", problems: [404]
    ) { $0.webhooks.deliveries },
    Route(
      .post, path: "/api/v1/webhook-deliveries/ID/retry", access: .administratorChange, id: "retryDelivery",
      summary: "Sends a delivery again", returns: "The id."
    ) { $0.webhooks.retry },
    Route(
      .delete, path: "/api/v1/webhook-deliveries/ID", access: .administratorChange, id: "discardDelivery",
      summary: "Discards a failed delivery", returns: "The id.", problems: [409]
    ) { $0.webhooks.discardDelivery },
  ]
}
