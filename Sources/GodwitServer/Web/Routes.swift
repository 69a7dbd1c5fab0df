internal import Foundation
internal import Synchronization

/// Every address of the server in one table: the documentation and the metrics are checked against it.
struct Routes: Sendable {
  struct Route: Sendable {
    enum Access: Sendable {
      /// Anybody.
      case open
      /// A device with its token.
      case device
      /// Whoever may read: see ``OwnerAccess``.
      case owner
    }
    let methods: [String]
    let path: String
    let access: Access
    let summary: String
    let respond: @Sendable (Server, Exchange) -> HTTPReply
  }

  static let table: [Route] = [
    Route(methods: ["POST"], path: "/api/overland", access: .device, summary: "Overland batches in") {
      OverlandReceiver(store: $0.store, metrics: $0.metrics, maximumBody: $0.configuration.maximumBody).respond($1)
    },
    Route(methods: ["GET"], path: "/api/overland", access: .device, summary: "Name of the token's device") {
      _, exchange in
      let name = exchange.device?.name ?? ""
      return .now(.json(Array("{\"name\":\(name.jsonQuoted)}\n".utf8)))
    },
    Route(methods: ["GET"], path: "/api/devices", access: .owner, summary: "Devices with their newest points") {
      ReadingAPI($0).devices($1)
    },
    Route(methods: ["GET"], path: "/api/points", access: .owner, summary: "Points as GeoJSON, in pages") {
      ReadingAPI($0).points($1)
    },
    Route(methods: ["GET"], path: "/api/track", access: .owner, summary: "Track as GeoJSON lines") {
      ReadingAPI($0).track($1)
    },
    Route(methods: ["GET"], path: "/api/refusals", access: .owner, summary: "What was refused, as it came, and why") {
      ReadingAPI($0).refusals($1)
    },
    Route(methods: ["GET"], path: "/api/journals", access: .owner, summary: "Which records devices numbered that never came") {
      ReadingAPI($0).journals($1)
    },
    Route(methods: ["GET"], path: "/api/events", access: .owner, summary: "New points as server-sent events") {
      ReadingAPI($0).events($1)
    },
    Route(methods: ["GET"], path: "/api/settings", access: .owner, summary: "What the page must know") {
      ReadingAPI($0).settings($1)
    },
    Route(methods: ["GET"], path: "/healthz", access: .open, summary: "Whether the store answers") {
      ReadingAPI($0).health($1)
    },
    Route(methods: ["GET"], path: "/metrics", access: .owner, summary: "Counters for Prometheus") { server, exchange in
      let text = server.metrics.text(
        suspended: exchange.server.suspended,
        subscribers: server.feed.subscribers.load(ordering: .relaxed),
        droppedEvents: server.feed.dropped.load(ordering: .relaxed))
      return .now(
        HTTPResponse(status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: Array(text.utf8)))
    },
    Route(methods: ["GET"], path: "/", access: .open, summary: "The map") { PageAPI($0).page($1) },
  ]

  private let server: Server
  private let routes: [String: [Route]]

  init(_ server: Server) {
    self.server = server
    routes = Dictionary(grouping: Self.table, by: \.path)
  }

  /// Looks at a request whose body has not been read: a response refuses it.
  var accept: @Sendable (Exchange) -> HTTPResponse? {
    { exchange in
      do throws(Problem) {
        guard let route = try route(of: exchange) else { return nil }
        try admit(exchange, to: route)
        return nil
      } catch {
        server.metrics.count(route: routes[exchange.path] == nil ? "other" : exchange.path, status: error.status)
        return Self.secured(error.response)
      }
    }
  }

  /// Answers a complete request.
  var respond: @Sendable (Exchange) -> HTTPReply {
    { exchange in
      let found: Route?
      do throws(Problem) { found = try route(of: exchange) } catch { return .now(error.response) }
      // What is no route is a file of the page: `route(of:)` has looked.
      guard let found else { return .now(Self.secured(PageAPI(server).file(exchange))) }
      exchange.onAnswer { [metrics = server.metrics] status in metrics.count(route: found.path, status: status) }
      switch found.respond(server, exchange) {
      case .now(let response): return .now(Self.secured(response))
      case .later: return .later
      }
    }
  }

  private func route(of exchange: Exchange) throws(Problem) -> Route? {
    // libmicrohttpd leaves the body of an answer to HEAD away.
    let method = exchange.method == "HEAD" ? "GET" : exchange.method
    guard let candidates = routes[exchange.path] else {
      if method == "GET", server.assets.file(at: exchange.path) != nil { return nil }
      throw Problem(404, "Not found", "There is nothing at \(exchange.path).")
    }
    guard let route = candidates.first(where: { $0.methods.contains(method) }) else {
      let allowed = candidates.flatMap(\.methods)
      throw Problem(
        405, "Method not allowed",
        "\(exchange.path) takes \(allowed.joined(separator: ", ")), not \(exchange.method).", allowed: allowed)
    }
    return route
  }

  private func admit(_ exchange: Exchange, to route: Route) throws(Problem) {
    switch route.access {
    case .open: return
    case .owner: if let refusal = server.owner.refusal(of: exchange) { throw refusal }
    case .device:
      guard let token = exchange.accessToken else {
        throw Problem(
          401, "Access token needed",
          "Send the device's token: Authorization: Bearer TOKEN, or ?token=TOKEN. `godwit device add NAME` makes one.")
      }
      do {
        guard let device = try server.tokens.device(for: AccessToken(token)) else {
          throw Problem(
            401, "Unknown access token",
            "No device has this token, or it was revoked. `godwit device add NAME` makes a new one.")
        }
        exchange.device = device
      } catch let problem as Problem {
        throw problem
      } catch {
        throw Problem(503, "Store not readable", "\(error)", retryAfter: 5)
      }
    }
  }

  /// What every answer carries against misuse by other pages.
  private static func secured(_ response: HTTPResponse) -> HTTPResponse {
    response.with("X-Content-Type-Options", "nosniff").with("Referrer-Policy", "same-origin")
  }
}
