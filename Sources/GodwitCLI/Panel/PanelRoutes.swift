internal import Foundation
internal import GodwitResources
internal import GodwitServer

/// Every address of the panel in one table: the documentation is checked against it.
struct PanelRoutes: Sendable {
  struct Route: Sendable {
    enum Access: Sendable {
      /// Needs no secret: nothing of the tracker is told.
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
      method: "POST", path: "/api/v1/login", access: .open, summary: "Begins a session with a one-time code or the token",
      answer: .now { panel, exchange in PanelSession.open(panel, exchange) }),
    Route(
      method: "GET", path: "/login", access: .open, summary: "The page that a login link opens",
      answer: .now { _, _ in PanelPages.response("/index.html") }),
    Route(
      method: "POST", path: "/api/session", access: .open, summary: "The same as /api/v1/login",
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
        if route.access == .owner, let refusal = panel.access.refusal(of: exchange) {
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
  private static let own = [String: [UInt8]](
    uniqueKeysWithValues: Resources.tracker.files(in: "GodwitCLI/Panel/Pages").map { ("/" + $0.key, $0.value) })
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

/// How a browser gets a session.
enum PanelSession {
  /// Takes `{"code": …}` or `{"token": …}`; the session comes back as a cookie that no script can read.
  static func open(_ panel: PanelServer, _ exchange: Exchange) -> HTTPResponse {
    do throws(Problem) {
      let members = try PanelBody(exchange.takeBody())
      let (code, token) = (try members.text("code"), try members.text("token"))
      try members.end()
      guard (code == nil) != (token == nil) else {
        throw Problem(400, "Bad body", "Send either \"code\", a one-time code, or \"token\".")
      }
      let secret = try panel.access.begin(code: code, token: token, exchange)
      return HTTPResponse.json(Array("{}\n".utf8))
        .with("Set-Cookie", OwnerLogin.cookie(PanelAccess.cookie, secret.secret, for: exchange))
        .with("Cache-Control", "no-store")
    } catch { return error.response }
  }
}
