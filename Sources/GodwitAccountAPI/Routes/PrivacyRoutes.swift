internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of private zones and retention.
enum PrivacyRoutes {
  typealias Route = APIRoute<AccountHandlers>

  static let all: [Route] = [
    Route(
      .get, path: "/api/v1/zones", access: .account, id: "zones", summary: "Lists private zones", returns: "The zones."
    ) { $0.zones.list },
    Route(
      .post, path: "/api/v1/zones", access: .accountChange, id: "addZone", summary: "Creates a private zone",
      returns: "The zone.", problems: [409]
    ) { $0.zones.add },
    Route(
      .put, path: "/api/v1/zones/ID", access: .accountChange, id: "changeZone", summary: "Changes a private zone",
      returns: "The zone."
    ) { $0.zones.change },
    Route(
      .delete, path: "/api/v1/zones/ID", access: .accountChange, id: "deleteZone", summary: "Removes a private zone",
      returns: "The id."
    ) { $0.zones.remove },
    Route(
      .get, path: "/api/v1/devices/NAME/retention", access: .account, id: "retention",
      summary: "Returns the retention rule of a device", returns: "The rule."
    ) { $0.retention.show },
    Route(
      .put, path: "/api/v1/devices/NAME/retention", access: .accountChange, id: "setRetention",
      summary: "Sets the retention rule of a device", returns: "The rule."
    ) { $0.retention.set }.looking { handlers, request throws(Problem) in try handlers.retention.device(request) }.confirmed(),
    Route(
      .delete, path: "/api/v1/devices/NAME/retention", access: .accountChange, id: "deleteRetention",
      summary: "Removes the retention rule of a device", returns: "The rule."
    ) { $0.retention.remove },
    Route(
      .post, path: "/api/v1/devices/NAME/retention/run", access: .accountChange, id: "runRetention",
      summary: "Applies the retention rule of a device now", returns: "The rule, and what it removed.", problems: [409, 422]
    ) { $0.retention.run }.confirmed(),
  ]
}
