internal import Foundation
internal import GodwitHTTP
internal import GodwitResources

/// All routes of the panel in one table. The documentation is checked against it.
struct PanelRoutes: Sendable {
  struct Route: Sendable {
    enum Access: Sendable {
      /// Needs no secret: the response contains no data of the tracker.
      case open
      /// See ``PanelAccess``.
      case administrator
    }
    enum Response: Sendable {
      case now(@Sendable (PanelServer, HTTPRequest) throws(Problem) -> HTTPResponse)
      /// Responds after an asynchronous call of the tracker, and receives the body.
      case later(@Sendable (PanelAPI, [UInt8]) async throws -> HTTPResponse)
    }
    let method: String
    let path: String
    let access: Access
    let summary: String
    let response: Response
  }

  static let table: [Route] = [
    Route(
      method: "GET", path: "/api/v1/status", access: .administrator, summary: "Returns the status of the tracker",
      response: .later { api, _ in await api.status() }),
    Route(
      method: "GET", path: "/api/v1/events", access: .administrator, summary: "Streams the status as server-sent events",
      response: .now { panel, _ in HTTPResponse(events: panel.events.subscribe()) }),
    Route(
      method: "GET", path: "/api/v1/coverage", access: .administrator, summary: "Returns the last 24 hours minute by minute",
      response: .later { api, _ in try await api.coverage() }),
    Route(
      method: "GET", path: "/api/v1/settings", access: .administrator,
      summary: "Lists the settings with their ranges, and the presets",
      response: .later { api, _ in try await api.settings() }),
    Route(
      method: "PUT", path: "/api/v1/settings", access: .administrator, summary: "Changes settings, all of them or none",
      response: .later { api, body in try await api.change(body) }),
    Route(
      method: "POST", path: "/api/v1/settings/check", access: .administrator,
      summary: "Checks a change of settings without applying it",
      response: .later { api, body in try await api.check(body) }),
    Route(
      method: "POST", path: "/api/v1/tracking", access: .administrator, summary: "Turns tracking on or off",
      response: .later { api, body in try await api.tracking(body) }),
    Route(
      method: "POST", path: "/api/v1/trip/start", access: .administrator, summary: "Begins a trip",
      response: .later { api, body in try await api.startTrip(body) }),
    Route(
      method: "POST", path: "/api/v1/trip/stop", access: .administrator, summary: "Ends the trip",
      response: .later { api, body in try await api.stopTrip(body) }),
    Route(
      method: "POST", path: "/api/v1/send", access: .administrator, summary: "Uploads all unsent records now",
      response: .later { api, body in try await api.send(body) }),
    Route(
      method: "POST", path: "/api/v1/login", access: .open, summary: "Begins a session with a one-time code or the token",
      response: .now { panel, request throws(Problem) in try PanelSession.open(panel, request) }),
    Route(
      method: "GET", path: "/login", access: .open, summary: "Page that a login link opens",
      response: .now { _, _ in PanelPages.response("/index.html") }),
    Route(
      method: "POST", path: "/api/v1/session", access: .open, summary: "Begins a session, as POST /api/v1/login",
      response: .now { panel, request throws(Problem) in try PanelSession.open(panel, request) }),
    Route(
      method: "GET", path: "/", access: .open, summary: "Page of the panel",
      response: .now { _, _ in PanelPages.response("/index.html") }),
  ]

  private let panel: PanelServer

  init(_ panel: PanelServer) { self.panel = panel }

  /// Returns the request handler for the HTTP server.
  var handler: HTTPServer.Handler {
    Router(
      Self.table.map { bound($0) },
      files: Router.Files(exist: { PanelPages.file($0) != nil }, respond: { PanelPages.response($0.path) })
    ).handler { response, _ in Self.secured(response) }
  }

  /// Binds a route to this panel.
  private func bound(_ route: Route) -> GodwitHTTP.Route {
    GodwitHTTP.Route(
      methods: [route.method], path: route.path,
      accept: { [access = panel.access] request throws(Problem) in
        if route.access == .administrator, let rejection = access.rejection(of: request) { throw rejection }
        if route.method != "GET", let rejection = PanelAccess.changeRejection(request) { throw rejection }
      },
      respond: { request throws(Problem) in
        switch route.response {
        case .now(let response): .now(try response(panel, request))
        case .later(let response): try later(request, response)
        }
      })
  }

  private func later(
    _ request: HTTPRequest, _ response: @escaping @Sendable (PanelAPI, [UInt8]) async throws -> HTTPResponse
  ) throws(Problem) -> HTTPReply {
    let body = request.takeBody()
    if let rejection = request.suspend() { return .now(rejection) }
    let job = PanelServer.Job { [api = PanelAPI(panel)] in
      do {
        request.finish(try await response(api, body))
      } catch let problem as Problem {
        request.finish(problem.response)
      } catch {
        request.finish(Problem(503, "Journal not readable", "\(error)", retryAfter: 5).response)
      }
    }
    if !panel.enqueue(job) {
      request.finish(Problem(503, "Busy", "The panel is stopping, or overloaded. Try again in a moment.", retryAfter: 2).response)
    }
    return .later
  }

  /// Adds headers that prevent misuse of a response by other pages.
  private static func secured(_ response: HTTPResponse) -> HTTPResponse {
    response.with("X-Content-Type-Options", "nosniff").with("Referrer-Policy", "no-referrer")
      .with("Cross-Origin-Resource-Policy", "same-origin")
  }
}

/// The files of the page, from the executable. The files that all pages of Godwit share are the server's.
enum PanelPages {
  private static let own = [String: [UInt8]](
    uniqueKeysWithValues: Resources.tracker.files(in: "GodwitTrackerCommands/Panel/Pages").map { ("/" + $0.key, $0.value) })
  private static let shared = ["/base.css": Resources.server["GodwitServer/Web/Pages/base.css"]]

  static func file(_ path: String) -> [UInt8]? { own[path] ?? shared[path] }

  static func response(_ path: String) -> HTTPResponse {
    guard let bytes = file(path) else { return Problem(404, "Not found", "Nothing is at \(path).").response }
    var response = HTTPResponse(status: 200, contentType: MediaType.of(path), body: bytes)
      .with("Cache-Control", "no-cache")
    if path == "/index.html" {
      response = response.with(
        "Content-Security-Policy",
        """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """)
    }
    return response
  }
}
