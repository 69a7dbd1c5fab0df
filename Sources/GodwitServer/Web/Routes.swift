internal import Foundation
internal import GodwitHTTP
internal import GodwitStore

/// Every address of the server in one table: the documentation and the metrics are checked against it.
struct Routes: Sendable {
  struct Route: Sendable {
    enum Access: Sendable {
      /// Anybody.
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
      /// Whoever may read something: the answer has in it what `HTTPRequest.reader` may see, and nothing else.
      case reader
      /// Somebody with all the rights of an account: who signed in, or a token with the scope admin.
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
    var look: (@Sendable (Server, HTTPRequest) throws(Problem) -> Void)?
    let respond: @Sendable (Server, HTTPRequest) throws -> HTTPReply

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
    func looking(_ look: @escaping @Sendable (Server, HTTPRequest) throws(Problem) -> Void) -> Route {
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
      try OverlandReceiver($0).respond($1)
    },
    Route(methods: ["GET"], path: "/api/overland", access: .device, summary: "Name of the token's device") {
      _, request in
      let name = request.device?.name ?? ""
      return .now(.json(Array("{\"name\":\(name.jsonQuoted)}\n".utf8)))
    },
    Route(methods: ["POST"], path: "/api/owntracks", access: .app, summary: "OwnTracks' messages in") {
      try OwnTracksReceiver($0).respond($1)
    },
    Route(methods: ["POST"], path: "/pub", access: .app, summary: "The same, where OwnTracks' recorder has it") {
      try OwnTracksReceiver($0).respond($1)
    },
    Route(methods: ["GET"], path: "/api/devices", access: .reader, summary: "Devices with their newest points") {
      ReadingAPI($0).devices($1)
    },
    Route(methods: ["GET"], path: "/api/points", access: .reader, summary: "Points as GeoJSON, in pages") {
      try ReadingAPI($0).points($1)
    },
    Route(methods: ["GET"], path: "/api/track", access: .reader, summary: "Track as GeoJSON lines") {
      try ReadingAPI($0).track($1)
    },
    Route(methods: ["GET"], path: "/api/overview", access: .reader, summary: "What a map shows of tracks, as GeoJSON lines") {
      try OverviewAPI($0).view($1)
    },
    Route(methods: ["GET"], path: "/api/journals", access: .reader, summary: "Which records devices numbered that never came") {
      ReadingAPI($0).journals($1)
    },
    Route(methods: ["GET"], path: "/api/regions", access: .deviceOrOwner, summary: "Regions that changed, in pages; exports") {
      try RegionsAPI($0).page($1)
    },
    Route(
      methods: ["POST"], path: "/api/regions", access: .ownerChange, maximumBody: RegionsAPI.maximumBody,
      summary: "Regions in, all or none"
    ) { try RegionsAPI($0).importAll($1) },
    Route(methods: ["DELETE"], path: "/api/regions", access: .ownerChange, summary: "Deletes regions by tag or id") {
      try RegionsAPI($0).deleteMany($1)
    },
    Route(methods: ["GET"], path: "/api/regions/devices", access: .owner, summary: "Which device gets and has which regions") {
      RegionDevicesAPI($0).devices($1)
    },
    Route(methods: ["GET"], path: "/api/regions/ID", access: .owner, summary: "One region") { RegionsAPI($0).one($1) },
    Route(
      methods: ["PUT"], path: "/api/regions/ID", access: .ownerChange, maximumBody: RegionsAPI.maximumBody,
      summary: "Creates or replaces a region"
    ) { RegionsAPI($0).put($1) },
    Route(methods: ["DELETE"], path: "/api/regions/ID", access: .ownerChange, summary: "Deletes a region") {
      RegionsAPI($0).delete($1)
    },
    Route(methods: ["GET"], path: "/api/devices/NAME/regions", access: .owner, summary: "Which regions a device gets") {
      RegionDevicesAPI($0).rule($1)
    },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/devices/NAME/regions", access: .ownerChange,
      summary: "Says which regions a device gets"
    ) { RegionDevicesAPI($0).setRule($1) },
    Route(methods: ["GET"], path: "/api/groups", access: .owner, summary: "Groups of devices and the regions that they give") {
      RegionDevicesAPI($0).groups($1)
    },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/groups/NAME/regions", access: .ownerChange,
      summary: "Says which regions a group gives"
    ) { RegionDevicesAPI($0).setGroup($1) },
    Route(methods: ["GET"], path: "/api/events", access: .reader, summary: "New points as server-sent events") {
      try ReadingAPI($0).events($1)
    },
    Route(methods: ["GET"], path: "/api/regions/events", access: .reader, summary: "Events of regions, in pages") {
      try RegionEventsAPI($0).list($1)
    },
    Route(methods: ["GET"], path: "/api/webhooks", access: .owner, summary: "Who is told of region events") {
      WebhookAPI($0).list($1)
    },
    Route(methods: ["POST"], path: "/api/webhooks", access: .ownerChange, summary: "Makes or changes a webhook") {
      try WebhookAPI($0).save($1)
    }.confirmed(),
    Route(methods: ["DELETE"], path: "/api/webhooks", access: .ownerChange, summary: "Removes a webhook") {
      try WebhookAPI($0).remove($1)
    },
    Route(methods: ["GET"], path: "/api/webhooks/letters", access: .owner, summary: "What waits, and what never arrived") {
      try WebhookAPI($0).letters($1)
    },
    Route(
      methods: ["POST"], path: "/api/webhooks/letters/ID/retry", access: .ownerChange, summary: "Sends a letter once more"
    ) { try WebhookAPI($0).retry($1) },
    Route(
      methods: ["DELETE"], path: "/api/webhooks/letters/ID", access: .ownerChange, summary: "Gives a dead letter up for good"
    ) { try WebhookAPI($0).removeLetter($1) },
    Route(methods: ["GET"], path: "/api/settings", access: .reader, summary: "What the page must know") {
      ReadingAPI($0).settings($1)
    },
    Route(methods: ["GET"], path: "/healthz", access: .open, summary: "Whether the store answers") {
      ReadingAPI($0).health($1)
    },
    Route(methods: ["GET"], path: "/metrics", access: .owner, summary: "Counters for Prometheus") {
      WebhookAPI($0).metrics($1)
    },
    Route(methods: ["GET"], path: "/", access: .open, summary: "The map") { try PageAPI($0).page($1) },
    Route(methods: ["GET"], path: "/regions", access: .open, summary: "The page of regions") { .now(PageAPI($0).file($1)) },
  ]

  private let server: Server

  init(_ server: Server) { self.server = server }

  /// What the HTTP server needs of them.
  var handler: HTTPServer.Handler {
    let origins = AllowedOrigins(server.configuration.allowedOrigins)
    let pages = PageAPI(server)
    var router = Router(
      Self.table.map { bound($0) },
      files: Router.Files(exist: { [assets = server.assets] in assets.file(at: $0) != nil }, respond: { pages.file($0) }))
    router.options = { [server] request, methods throws(Problem) in
      try server.count(request)
      return origins.preflight(for: request, methods)
    }
    router.refused = { [metrics = server.metrics] _, path, problem in metrics.count(route: path, status: problem.status) }
    let middleware = ResponseMiddleware(origins: origins, keepsToTLS: server.configuration.keepsToTLS)
    return router.handler { middleware.complete($0, for: $1) }
  }

  /// A route of this server.
  private func bound(_ route: Route) -> GodwitHTTP.Route {
    GodwitHTTP.Route(
      methods: route.methods, path: route.path, takesAnyText: route.path == Self.anyText,
      accept: { request throws(Problem) in try accept(request, for: route) },
      respond: { request in
        prepare(request, for: route)
        return try route.respond(server, request)
      })
  }

  /// Where the parameter may be any text: a region may be called as another address is.
  private static let anyText = "/api/regions/ID"

  /// Looks at a request whose body has not been read.
  private func accept(_ request: HTTPRequest, for route: Route) throws(Problem) {
    do throws(Problem) { try admit(request, to: route) } catch {
      // Failed authentication counts against the anonymous limit.
      try server.count(request)
      throw error
    }
    try server.count(request)
    try server.share(request)
    try route.look?(server, request)
  }

  /// Has the answer of a complete request counted and, where the route is audited, logged.
  private func prepare(_ request: HTTPRequest, for route: Route) {
    let entry = route.isAudited(request) ? AuditEntry(of: request, to: route) : nil
    // The request itself calls it.
    request.onAnswer { [server, unowned request] status in
      server.metrics.count(route: route.path, status: status)
      if status < 400, let device = request.device {
        server.agents.note(device.id, request.header("User-Agent"), at: Date())
      }
      guard var entry, status < 400 else { return }
      if entry.subject.isEmpty { entry.subject = request.subject }
      server.note(entry)
    }
  }

  private func admit(_ request: HTTPRequest, to route: Route) throws(Problem) {
    switch route.access {
    case .open: break
    case .reader: request.reader = try server.access.reader(request)
    case .account: request.reader = try server.access.account(request)
    case .accountChange:
      request.reader = try server.access.account(request)
      try server.access.change(request.reader, request)
    case .owner:
      request.reader = try server.access.administrator(request)
      // Who the users are and where webhooks go is more than a token that reads has to know.
      if Self.areOfFullTokens.contains(route.path), !request.reader.mayChange { throw AccessControl.readsOnly }
    case .ownerChange:
      request.reader = try server.access.administrator(request)
      try server.access.change(request.reader, request)
    case .device:
      guard let token = request.accessToken else {
        throw Problem(
          401, "Access token needed",
          "Send the device's token: Authorization: Bearer TOKEN, or ?token=TOKEN. `godwit device add NAME` makes one.")
      }
      guard let device = try device(of: token) else { throw Self.unknownToken }
      request.device = device
    case .app:
      // The apps ask for a name and a password, and send both when they are asked.
      guard let device = try device(ofApp: request, request.appToken) else { throw Self.tokenForApp }
      request.device = device
    case .named:
      // A token is believed before a name. Where there is none the device is called by one, perhaps in the body.
      guard let token = request.parameter.isEmpty ? request.appToken : request.parameter else {
        if let coding = request.header("Content-Encoding"), !coding.isEmpty, coding.lowercased() != "identity" {
          throw Self.packedWithoutToken
        }
        request.maximumBody = OsmAndReceiver.maximumUnknownBody
        break
      }
      guard let device = try device(ofApp: request, token) else { throw Self.tokenForApp }
      request.device = device
    case .logged:
      let token = PhoneTrackReceiver.Address(request.parameter)?.token
      guard let device = try device(ofApp: request, token) else { throw Self.unknownToken }
      request.device = device
    case .deviceOrOwner:
      if let token = request.accessToken {
        if let device = try device(of: token) {
          request.device = device
          break
        }
      }
      request.reader = try server.access.administrator(request)
    }
    switch route.confirmation {
    case .never: break
    case .unlessDry where request.query["dry_run"] == "true": break
    case .always, .unlessDry: try server.access.requireConfirmation(request.reader, request)
    }
    request.maximumBody = [request.maximumBody, route.bodyLimit].compactMap(\.self).min()
    if let most = route.maximumBody, let size = request.header("Content-Length").flatMap({ Int($0) }), size > most {
      throw Problem(
        413, "Body too large", "The body has \(size) bytes, and \(most) are taken here. Send it in parts.", at: "byte \(most)")
    }
  }

  private static let packedWithoutToken = Problem(
    415, "Compressed without a token",
    "A compressed body is read only with the device's token beside it: at the end of the address, as password (HTTP Basic), as Bearer, "
      + "or as ?token=TOKEN. Send the body as it is, or the token with it.")

  /// Routes of the administrator that a token with the scope read does not read.
  private static let areOfFullTokens: Set<String> = ["/api/users", "/api/webhooks", "/api/webhooks/letters"]

  private static let unknownToken = Problem(
    401, "Unknown access token",
    "No device has this token, or it was revoked. `godwit device add NAME` makes a new one.")

  private static let tokenForApp: Problem = {
    var problem = Problem(
      401, "Access token needed",
      "Send the device's token as password (HTTP Basic, any user name), as Bearer, or as ?token=TOKEN. "
        + "`godwit device add NAME` makes one.")
    problem.challenge = #"Basic realm="godwit", charset="UTF-8""#
    return problem
  }()

  private func device(ofApp request: HTTPRequest, _ token: String?) throws(Problem) -> Device? {
    guard let token else { return nil }
    request.secret = token
    return try device(of: token)
  }

  private func device(of token: String) throws(Problem) -> Device? {
    do { return try server.tokens.device(for: AccessToken(token)) } catch {
      throw Problem.unavailable("Store not readable", error)
    }
  }
}
