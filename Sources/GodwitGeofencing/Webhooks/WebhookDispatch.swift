internal import Foundation
internal import GodwitModel
internal import GodwitStore

/// A request to a webhook with its deliveries.
struct WebhookDispatch: Sendable {
  let group: DeliveryQueue.Group
  let webhook: Webhook
  /// At least one.
  let deliveries: [WebhookTables.Delivery]

  /// The keys of the deliveries, in their order.
  var keys: [OrderingKey] {
    var keys: [OrderingKey] = []
    // The deliveries of a key are consecutive.
    for delivery in deliveries where delivery.key != keys.last { keys.append(delivery.key) }
    return keys
  }

  /// Returns the signed request. If the webhook's maximum is more than one event, the body is an array, even with one
  /// event.
  func request(at now: Date) -> WebhookRequest {
    let body = body
    var headers = [
      "Content-Type": "application/json", "User-Agent": "godwit/\(Version.current)",
      WebhookSignature.header: WebhookSignature.value(of: body, secret: webhook.secret, at: now),
    ]
    if webhook.options.batchSize > 1 {
      headers["Godwit-Event-Count"] = String(deliveries.count)
    } else {
      headers["Godwit-Event-ID"] = deliveries.first?.event
    }
    return WebhookRequest(url: webhook.options.url, headers: headers, body: body)
  }

  private var body: [UInt8] {
    let format = webhook.options.format ?? .godwit
    guard webhook.options.batchSize > 1 else { return deliveries.first.map { format.body(of: $0.body) } ?? [] }
    var body: [UInt8] = []
    body.reserveCapacity(deliveries.reduce(2) { $0 + $1.body.utf8.count + 1 })
    for delivery in deliveries {
      body.append(UInt8(ascii: body.isEmpty ? "[" : ","))
      body.append(contentsOf: delivery.body.utf8)
    }
    body.append(UInt8(ascii: "]"))
    return body
  }
}
