internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitStore
internal import GodwitText

/// Every address of the server in one table: the documentation and the metrics are checked against it.
struct Routes: Sendable {
  struct Route: Sendable {
    enum Access: Sendable {
      /// Any client.
      case open
      /// A device with its token.
      case device
      /// The same; the token may be the password of HTTP Basic.
      case app
      /// The same; the token may be the path's parameter, or what the app calls its device, wherever it says that: then the
      /// receiver finds the device.
      case named
      /// The token is the second part of the path's parameter.
      case logged
      /// A requester that may read something: the answer has in it what `HTTPRequest.reader` may see, and nothing else.
      case reader
      /// A requester with all the rights of an account: a user who signed in, or a token with the scope admin.
      case account
      /// The same, and no page but ours made it do so.
      case accountChange
      /// The administrator: see ``AccessControl``.
      case owner
      /// The same, and no page but ours made it do so.
      case ownerChange
      /// A device with its token, or the administrator.
      case deviceOrOwner
    }
    let methods: [String]
    /// A part in capitals stands for any text; at the end for slashes as well.
    let path: String
    let access: Access
    /// Bytes of a body, where fewer than anywhere else are taken.
    var maximumBody: Int?
    /// Whether the log tells of it; `nil`: when it changes something.
    var isAudited: Bool?
    let summary: String
    /// When a browser must have entered its password lately.
    var confirmation = Confirmation.never
    /// Looks at a request before its body comes, beside who may: whether it makes sense, and where the body goes.
    var look: (@Sendable (RouteHandlers, HTTPRequest) throws(Problem) -> Void)?
    let respond: @Sendable (RouteHandlers, HTTPRequest) throws -> HTTPReply

    /// See ``SessionConfirmation``.
    enum Confirmation: Sendable {
      case never, always
      /// Not where the request only counts what it would delete.
      case unlessDry
    }

    /// The same route, which asks browsers for a recent confirmation.
    func confirmed(unlessDry: Bool = false) -> Route {
      var route = self
      route.confirmation = unlessDry ? .unlessDry : .always
      return route
    }

    /// Bytes that a body may have; `nil`: as many as the server allows for records.
    var bodyLimit: Int? {
      if let maximumBody { return maximumBody }
      switch access {
      case .device, .app, .named, .logged: return nil
      case .open, .reader, .account, .accountChange, .owner, .ownerChange, .deviceOrOwner: return JSONBody.limit
      }
    }

    /// The same route, which looks at requests before their bodies come.
    func looking(_ look: @escaping @Sendable (RouteHandlers, HTTPRequest) throws(Problem) -> Void) -> Route {
      var route = self
      route.look = look
      return route
    }
  }

  static let table =
    serverRoutes + accountRoutes + secondFactorRoutes + noticeRoutes + protocolRoutes + appRoutes + missingRoutes + mqttRoutes
    + importRoutes
    + timelineRoutes + deletionRoutes + apiRoutes

  private static let serverRoutes: [Route] = [
    Route(methods: ["POST"], path: "/api/overland", access: .device, summary: "Overland batches in") {
      try $0.overland.respond($1)
    },
    Route(methods: ["GET"], path: "/api/overland", access: .device, summary: "Name of the token's device") {
      _, request in
      let name = request.device?.name ?? ""
      return .now(.json(Array("{\"name\":\(name.jsonQuoted)}\n".utf8)))
    },
    Route(methods: ["POST"], path: "/api/owntracks", access: .app, summary: "OwnTracks' messages in") {
      try $0.ownTracks.respond($1)
    },
    Route(methods: ["POST"], path: "/pub", access: .app, summary: "The same, where OwnTracks' recorder has it") {
      try $0.ownTracks.respond($1)
    },
    Route(methods: ["GET"], path: "/api/devices", access: .reader, summary: "Devices with their newest points") {
      $0.reading.devices($1)
    },
    Route(methods: ["GET"], path: "/api/points", access: .reader, summary: "Points as GeoJSON, in pages") {
      try $0.reading.points($1)
    },
    Route(methods: ["GET"], path: "/api/track", access: .reader, summary: "Track as GeoJSON lines") {
      try $0.reading.track($1)
    },
    Route(methods: ["GET"], path: "/api/overview", access: .reader, summary: "What a map shows of tracks, as GeoJSON lines") {
      try $0.overview.view($1)
    },
    Route(methods: ["GET"], path: "/api/journals", access: .reader, summary: "Which records devices numbered that never came") {
      $0.reading.journals($1)
    },
    Route(methods: ["GET"], path: "/api/regions", access: .deviceOrOwner, summary: "Regions that changed, in pages; exports") {
      try $0.regions.page($1)
    },
    Route(
      methods: ["POST"], path: "/api/regions", access: .ownerChange, maximumBody: RegionsAPI.maximumBody,
      summary: "Regions in, all or none"
    ) { try $0.regions.importAll($1) },
    Route(methods: ["DELETE"], path: "/api/regions", access: .ownerChange, summary: "Deletes regions by tag or id") {
      try $0.regions.deleteMany($1)
    },
    Route(methods: ["GET"], path: "/api/regions/devices", access: .owner, summary: "Which device gets and has which regions") {
      $0.regionDevices.devices($1)
    },
    Route(methods: ["GET"], path: "/api/regions/ID", access: .owner, summary: "One region") { $0.regions.one($1) },
    Route(
      methods: ["PUT"], path: "/api/regions/ID", access: .ownerChange, maximumBody: RegionsAPI.maximumBody,
      summary: "Creates or replaces a region"
    ) { $0.regions.put($1) },
    Route(methods: ["DELETE"], path: "/api/regions/ID", access: .ownerChange, summary: "Deletes a region") {
      $0.regions.delete($1)
    },
    Route(methods: ["GET"], path: "/api/devices/NAME/regions", access: .owner, summary: "Which regions a device gets") {
      $0.regionDevices.rule($1)
    },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/devices/NAME/regions", access: .ownerChange,
      summary: "Says which regions a device gets"
    ) { $0.regionDevices.setRule($1) },
    Route(methods: ["GET"], path: "/api/groups", access: .owner, summary: "Groups of devices and the regions that they give") {
      $0.regionDevices.groups($1)
    },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/groups/NAME/regions", access: .ownerChange,
      summary: "Says which regions a group gives"
    ) { $0.regionDevices.setGroup($1) },
    Route(methods: ["GET"], path: "/api/events", access: .reader, summary: "New points as server-sent events") {
      try $0.reading.events($1)
    },
    Route(methods: ["GET"], path: "/api/regions/events", access: .reader, summary: "Events of regions, in pages") {
      try $0.regionEvents.list($1)
    },
    Route(methods: ["GET"], path: "/api/webhooks", access: .owner, summary: "Who is told of region events") {
      $0.webhooks.list($1)
    },
    Route(methods: ["POST"], path: "/api/webhooks", access: .ownerChange, summary: "Makes or changes a webhook") {
      try $0.webhooks.save($1)
    }.confirmed(),
    Route(methods: ["DELETE"], path: "/api/webhooks", access: .ownerChange, summary: "Removes a webhook") {
      try $0.webhooks.remove($1)
    },
    Route(methods: ["GET"], path: "/api/webhooks/letters", access: .owner, summary: "What waits, and what never arrived") {
      try $0.webhooks.deliveries($1)
    },
    Route(
      methods: ["POST"], path: "/api/webhooks/letters/ID/retry", access: .ownerChange, summary: "Sends a letter once more"
    ) { try $0.webhooks.retry($1) },
    Route(
      methods: ["DELETE"], path: "/api/webhooks/letters/ID", access: .ownerChange, summary: "Removes a delivery that was given up"
    ) { try $0.webhooks.discardDelivery($1) },
    Route(methods: ["GET"], path: "/api/settings", access: .reader, summary: "What the page must know") {
      $0.reading.settings($1)
    },
    Route(methods: ["GET"], path: "/healthz", access: .open, summary: "Whether the store answers") {
      $0.reading.health($1)
    },
    Route(methods: ["GET"], path: "/metrics", access: .owner, summary: "Counters for Prometheus") {
      $0.webhooks.metrics($1)
    },
    Route(methods: ["GET"], path: "/", access: .open, summary: "The map") { try $0.pages.page($1) },
    Route(methods: ["GET"], path: "/regions", access: .open, summary: "The page of regions") { .now($0.pages.file($1)) },
  ]
}
