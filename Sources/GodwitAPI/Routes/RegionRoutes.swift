internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of regions, of the devices that get them, and of their events.
enum RegionRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = regions + devices

  private static let regions: [Route] = [
    Route(
      .get, path: "/api/v1/regions", access: .deviceOrAdministrator, id: "regions", summary: "Lists regions, or exports them",
      returns: "A page, or a file."
    ) { $0.regions.list },
    Route(
      .get, path: "/api/regions", access: .deviceOrAdministrator, id: "deviceRegions",
      summary: "Returns changes of regions since a cursor, for devices", returns: "A page of changes."
    ) { $0.regions.changes },
    Route(
      .post, path: "/api/v1/regions", access: .administratorChange, id: "addRegions",
      summary: "Creates or replaces regions, all or none",
      returns: "No changes.", problems: [415], maximumBody: RegionsAPI.maximumBody
    ) { $0.regions.importAll },
    Route(
      .delete, path: "/api/v1/regions", access: .administratorChange, id: "deleteRegions",
      summary: "Deletes regions by tag, or all",
      returns: "The deleted regions."
    ) { $0.regions.deleteMany },
    Route(
      .get, path: "/api/v1/regions/ID", access: .administrator, id: "region", summary: "Returns a region", returns: "The region."
    ) { $0.regions.one },
    Route(
      .put, path: "/api/v1/regions/ID", access: .administratorChange, id: "putRegion", summary: "Creates or replaces a region",
      returns: "It was replaced.", problems: [415], maximumBody: RegionsAPI.maximumBody
    ) { $0.regions.put },
    Route(
      .delete, path: "/api/v1/regions/ID", access: .administratorChange, id: "deleteRegion", summary: "Deletes a region",
      returns: "The deleted region."
    ) { $0.regions.delete },
  ]

  private static let devices: [Route] = [
    Route(
      .get, path: "/api/v1/region-devices", access: .administrator, id: "regionDevices",
      summary: "Lists the region filter and the last synchronisation of each device", returns: "The devices."
    ) { $0.regionDevices.devices },
    Route(
      .get, path: "/api/v1/devices/NAME/regions", access: .administrator, id: "regionRule",
      summary: "Returns the region filter of a device", returns: "The filter."
    ) { $0.regionDevices.rule },
    Route(
      .put, path: "/api/v1/devices/NAME/regions", access: .administratorChange, id: "putRegionRule",
      summary: "Sets the region filter of a device", returns: "The filter."
    ) { $0.regionDevices.setRule }.looking { handlers, request throws(Problem) in try handlers.regionDevices.find(request) },
    Route(
      .delete, path: "/api/v1/devices/NAME/regions", access: .administratorChange, id: "deleteRegionRule",
      summary: "Removes the region filter of a device", returns: "The filter."
    ) { $0.regionDevices.deleteRule },
    Route(
      .get, path: "/api/v1/groups", access: .administrator, id: "groups",
      summary: "Lists groups of devices and their region filters",
      returns: "The groups."
    ) { $0.regionDevices.groups },
    Route(
      .put, path: "/api/v1/groups/NAME/regions", access: .administratorChange, id: "putGroup",
      summary: "Sets the region filter of a group",
      returns: "The group.", parameter: "The group's name."
    ) { $0.regionDevices.setGroup },
    Route(
      .delete, path: "/api/v1/groups/NAME/regions", access: .administratorChange, id: "deleteGroup",
      summary: "Removes the region filter of a group", returns: "The group.", parameter: "The group's name."
    ) { $0.regionDevices.deleteGroup },
    Route(
      .get, path: "/api/v1/region-events", access: .read, id: "regionEvents", summary: "Lists region events, newest first",
      returns: "A page of events."
    ) { $0.regionEvents.list },
  ]
}
