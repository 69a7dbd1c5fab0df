internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText

/// Routes of regions, and of Overland and OwnTracks.
enum ServerRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(methods: ["POST"], path: "/api/overland", access: .device, summary: "Receives Overland batches") {
      try $0.overland.respond($1)
    },
    Route(methods: ["GET"], path: "/api/overland", access: .device, summary: "Returns the name of the token's device") {
      _, request in
      let name = request.device?.name ?? ""
      return .now(.json(Array("{\"name\":\(name.jsonQuoted)}\n".utf8)))
    },
    Route(methods: ["POST"], path: "/api/owntracks", access: .app, summary: "Receives OwnTracks messages") {
      try $0.ownTracks.respond($1)
    },
    Route(methods: ["POST"], path: "/pub", access: .app, summary: "Receives OwnTracks messages at the recorder's address") {
      try $0.ownTracks.respond($1)
    },
    Route(methods: ["GET"], path: "/api/v1/regions", access: .deviceOrOwner, summary: "Lists regions, or exports them") {
      try $0.regions.list($1)
    },
    Route(
      methods: ["GET"], path: "/api/regions", access: .deviceOrOwner, summary: "Changes of regions since a cursor, for devices"
    ) {
      try $0.regions.changes($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/regions", access: .ownerChange, maximumBody: RegionsAPI.maximumBody,
      summary: "Creates or replaces regions, all or none"
    ) { try $0.regions.importAll($1) },
    Route(methods: ["DELETE"], path: "/api/v1/regions", access: .ownerChange, summary: "Deletes regions by tag, or all") {
      try $0.regions.deleteMany($1)
    },
    Route(
      methods: ["GET"], path: "/api/v1/region-devices", access: .owner,
      summary: "Lists the region filter and the last synchronisation of each device"
    ) {
      $0.regionDevices.devices($1)
    },
    Route(methods: ["GET"], path: "/api/v1/regions/ID", access: .owner, summary: "Returns a region") { $0.regions.one($1) },
    Route(
      methods: ["PUT"], path: "/api/v1/regions/ID", access: .ownerChange, maximumBody: RegionsAPI.maximumBody,
      summary: "Creates or replaces a region"
    ) { $0.regions.put($1) },
    Route(methods: ["DELETE"], path: "/api/v1/regions/ID", access: .ownerChange, summary: "Deletes a region") {
      $0.regions.delete($1)
    },
    Route(
      methods: ["GET"], path: "/api/v1/devices/NAME/regions", access: .owner, summary: "Returns the region filter of a device"
    ) {
      $0.regionDevices.rule($1)
    },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/devices/NAME/regions", access: .ownerChange,
      summary: "Sets the region filter of a device"
    ) { $0.regionDevices.setRule($1) },
    Route(methods: ["GET"], path: "/api/v1/groups", access: .owner, summary: "Lists groups of devices and their region filters") {
      $0.regionDevices.groups($1)
    },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/groups/NAME/regions", access: .ownerChange,
      summary: "Sets the region filter of a group"
    ) { $0.regionDevices.setGroup($1) },
    Route(methods: ["GET"], path: "/api/v1/region-events", access: .reader, summary: "Lists region events, newest first") {
      try $0.regionEvents.list($1)
    },
  ]
}
