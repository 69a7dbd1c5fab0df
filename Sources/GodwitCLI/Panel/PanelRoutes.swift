internal import Foundation
internal import GodwitServer

/// Every address of the panel in one table: the documentation is checked against it.
struct PanelRoutes: Sendable {
  struct Route: Sendable {
    enum Access: Sendable {
      /// Anybody who may talk to the panel at all: nothing of the tracker is told.
      case open
      /// See ``PanelAccess``.
      case owner
    }
    enum Answer: Sendable {
      case now(@Sendable (PanelServer, Exchange) -> HTTPResponse)
      /// After a word with the tracker; takes the body.
      case later(@Sendable (PanelAPI, [UInt8]) async throws -> HTTPResponse)
    }
    let method: String
    let path: String
    let access: Access
    let summary: String
    let answer: Answer
  }

  static let table: [Route] = [
    Route(
      method: "GET", path: "/api/status", access: .owner, summary: "How the tracker is doing",
      answer: .later { api, _ in await api.status() }),
    Route(
      method: "GET", path: "/api/events", access: .owner, summary: "The same whenever it changes, as server-sent events",
      answer: .now { panel, _ in HTTPResponse(events: panel.feed.subscribe(device: nil)) }),
    Route(
      method: "GET", path: "/api/ledger", access: .owner, summary: "The last 24 hours, minute by minute",
      answer: .later { api, _ in try await api.ledger() }),
    Route(
      method: "GET", path: "/api/settings", access: .owner, summary: "Every setting with what it may be, and the presets",
      answer: .later { api, _ in try await api.settings() }),
    Route(
      method: "PUT", path: "/api/settings", access: .owner, summary: "Changes settings, all that are named or none",
      answer: .later { api, body in try await api.change(body) }),
    Route(
      method: "POST", path: "/api/settings/check", access: .owner, summary: "What such a change would do, and what is wrong",
      answer: .later { api, body in try await api.check(body) }),
    Route(
      method: "POST", path: "/api/tracking", access: .owner, summary: "Turns tracking on or off",
      answer: .later { api, body in try await api.tracking(body) }),
    Route(
      method: "POST", path: "/api/trip/start", access: .owner, summary: "Begins a trip",
      answer: .later { api, body in try await api.startTrip(body) }),
    Route(
      method: "POST", path: "/api/trip/stop", access: .owner, summary: "Ends the trip",
      answer: .later { api, body in try await api.stopTrip(body) }),
    Route(
      method: "POST", path: "/api/send", access: .owner, summary: "Sends everything that waits, now",
      answer: .later { api, body in try await api.send(body) }),
    Route(
      method: "POST", path: "/api/session", access: .open, summary: "Takes the token, and keeps it in a cookie",
      answer: .now { panel, exchange in PanelSession.open(panel, exchange) }),
    Route(
      method: "GET", path: "/", access: .open, summary: "The page",
      answer: .now { _, _ in PanelPages.response("/index.html") }),
  ]

  private let panel: PanelServer
  private let routes: [String: [Route]]

  init(_ panel: PanelServer) {
    self.panel = panel
    routes = Dictionary(grouping: Self.table, by: \.path)
  }

  /// Looks at a request whose body has not been read: a response refuses it.
  var accept: @Sendable (Exchange) -> HTTPResponse? {
    { exchange in
      do throws(Problem) {
        guard let route = try route(of: exchange) else { return nil }
        // Without a token the machine's own name is asked for even before the page is shown.
        if route.access == .owner || panel.access.token == nil, let refusal = panel.access.refusal(of: exchange) {
          throw refusal
        }
        if route.method != "GET", let refusal = PanelAccess.refusalOfChange(exchange) { throw refusal }
        return nil
      } catch { return Self.secured(error.response) }
    }
  }

  /// Answers a complete request.
  var respond: @Sendable (Exchange) -> HTTPReply {
    { exchange in
      let found: Route?
      do throws(Problem) { found = try route(of: exchange) } catch { return .now(Self.secured(error.response)) }
      // What is no route is a file of the page: `route(of:)` has looked.
      guard let found else { return .now(Self.secured(PanelPages.response(exchange.path))) }
      switch found.answer {
      case .now(let answer): return .now(Self.secured(answer(panel, exchange)))
      case .later(let answer): return later(exchange, answer)
      }
    }
  }

  private func later(
    _ exchange: Exchange, _ answer: @escaping @Sendable (PanelAPI, [UInt8]) async throws -> HTTPResponse
  ) -> HTTPReply {
    let body = exchange.takeBody()
    if let refusal = exchange.suspend() { return .now(Self.secured(refusal)) }
    let job = PanelServer.Job { [api = PanelAPI(panel)] in
      do {
        exchange.finish(Self.secured(try await answer(api, body)))
      } catch let problem as Problem {
        exchange.finish(Self.secured(problem.response))
      } catch {
        exchange.finish(Self.secured(Problem(503, "Journal not readable", "\(error)", retryAfter: 5).response))
      }
    }
    if !panel.enqueue(job) {
      exchange.finish(
        Self.secured(Problem(503, "Busy", "The panel is stopping, or has too much to do.", retryAfter: 2).response))
    }
    return .later
  }

  private func route(of exchange: Exchange) throws(Problem) -> Route? {
    // libmicrohttpd leaves the body of an answer to HEAD away.
    let method = exchange.method == "HEAD" ? "GET" : exchange.method
    guard let candidates = routes[exchange.path] else {
      if method == "GET", PanelPages.file(exchange.path) != nil { return nil }
      throw Problem(404, "Not found", "There is nothing at \(exchange.path).")
    }
    guard let route = candidates.first(where: { $0.method == method }) else {
      let allowed = candidates.map(\.method)
      throw Problem(
        405, "Method not allowed",
        "\(exchange.path) takes \(allowed.joined(separator: ", ")), not \(exchange.method).", allowed: allowed)
    }
    return route
  }

  /// What every answer carries against misuse by other pages.
  private static func secured(_ response: HTTPResponse) -> HTTPResponse {
    response.with("X-Content-Type-Options", "nosniff").with("Referrer-Policy", "no-referrer")
      .with("Cross-Origin-Resource-Policy", "same-origin")
  }
}

/// The files of the page, out of the executable; what all pages of Godwit share comes from the server's.
enum PanelPages {
  private static let own: [String: [UInt8]] = [
    "/index.html": PackageResources.index_html,
    "/panel.css": PackageResources.panel_css,
    "/panel.js": PackageResources.panel_js,
    "/link.js": PackageResources.link_js,
    "/tracker.js": PackageResources.tracker_js,
    "/ledger.js": PackageResources.ledger_js,
    "/settings.js": PackageResources.settings_js,
    "/fields.js": PackageResources.fields_js,
    "/icons.js": PackageResources.icons_js,
    "/words.js": PackageResources.words_js,
  ]
  private static let shared = ["/base.css"]

  static func file(_ path: String) -> [UInt8]? { own[path] ?? (shared.contains(path) ? Pages.files[path] : nil) }

  static func response(_ path: String) -> HTTPResponse {
    guard let bytes = file(path) else { return Problem(404, "Not found", "There is nothing at \(path).").response }
    var response = HTTPResponse(status: 200, contentType: Assets.contentType(of: path), body: bytes)
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

/// How a browser gets in.
enum PanelSession {
  /// Takes `{"token": …}`; the right one comes back as a cookie that no script can read.
  static func open(_ panel: PanelServer, _ exchange: Exchange) -> HTTPResponse {
    do throws(Problem) {
      let members = try PanelBody(exchange.takeBody())
      guard let token = try members.text("token") else { throw Problem(400, "Bad body", "\"token\" is missing.") }
      try members.end()
      guard panel.access.token != nil else { return .json(Array("{}\n".utf8)) }
      guard panel.access.isRight(token) else {
        throw Problem(
          401, "Wrong token", "This is not the panel's token. The tracker prints the right link when it starts.")
      }
      return HTTPResponse.json(Array("{}\n".utf8)).with("Set-Cookie", PanelAccess.cookie(token, for: exchange))
        .with("Cache-Control", "no-store")
    } catch { return error.response }
  }
}
