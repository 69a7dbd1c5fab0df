internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitRoutes
internal import GodwitSecrets
internal import GodwitStore

/// Serves the pages and their files.
struct PageAPI {
  let work: RequestWork
  let access: AccessControl
  let administrator: AdministratorAccess
  let files: PageFiles
  let tiles: MapTiles?
  let shell: PageShell

  /// Serves a page. A URL with the administrator's token, such as a bookmark, starts a session, and the response redirects
  /// to the URL without the token.
  func page(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    if let token = request.query["token"] {
      let moved = HTTPResponse(status: 303, contentType: "text/plain; charset=utf-8", body: [])
      guard administrator.isAdministratorToken(token) else { return .now(moved.with("Location", "/sign-in")) }
      do throws(PrivateFileError) {
        let secret = try administrator.login.sessions.begin(
          address: request.clientAddress, agent: request.header("User-Agent") ?? "", at: work.now)
        return .now(
          moved.with("Location", "/")
            .with(
              "Set-Cookie",
              request.administratorCookie(AdministratorAccess.sessionCookie, secret.secret, days: SessionLimits.maximumDays)))
      } catch {
        throw RequestWork.problem(error)
      }
    }
    return .now(file(request))
  }

  /// Returns the error page for a browser that requests an unknown URL.
  /// - Returns: `nil` for other clients, which get the problem as JSON.
  func notFound(_ request: HTTPRequest) -> HTTPResponse? {
    guard request.method == "GET", request.header("Accept")?.contains("text/html") == true else { return nil }
    var response = file(at: "/not-found.html", for: request)
    response.status = 404
    return response
  }

  /// Serves a generated page: the reference of the API.
  func made(_ bytes: [UInt8], _ request: HTTPRequest) -> HTTPReply {
    let completed = shell.completed(bytes, as: shell.view(for: request), at: request.path)
    let page = HTTPResponse(status: 200, contentType: "text/html; charset=utf-8", body: completed)
    return .now(
      page.with("Vary", Self.variants).with("Cache-Control", "no-cache").with(
        "Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"))
  }

  /// The files of the pages by path.
  private static let pages = [
    "/": "/index.html", "/regions": "/regions.html", "/sign-in": "/sign-in.html", "/sign-in/openid": "/sign-in.html",
    "/login": "/login.html",
    "/account": "/account.html",
    "/devices": "/devices.html", "/import": "/import.html", "/timeline": "/timeline.html", "/statistics": "/statistics.html",
    "/settings": "/settings.html", "/welcome": "/welcome.html", "/integrations": "/integrations.html", "/trash": "/trash.html",
    "/review": "/review.html", "/places": "/places.html",
  ]

  /// The value of `Vary` of pages: the headers that their bytes depend on.
  private static let variants = "Accept-Language, Cookie"

  /// Serves the page of a share link. The page is the same for all links and is excluded from search engines.
  func shared(_ request: HTTPRequest) -> HTTPReply {
    let view = PageView(Preferences(), languages: request.header("Accept-Language"))
    return .now(page(at: "/share.html", as: view, for: request).with("X-Robots-Tag", "noindex"))
  }

  /// Serves a file of the pages.
  func file(_ request: HTTPRequest) -> HTTPResponse { file(at: Self.pages[request.path] ?? request.path, for: request) }

  private func file(at path: String, for request: HTTPRequest) -> HTTPResponse {
    if path.hasSuffix(".html") { return page(at: path, as: shell.view(for: request), for: request) }
    return files.file(path)?.response(to: request) ?? missing(path)
  }

  private func missing(_ path: String) -> HTTPResponse { Problem(404, "Not found", "Nothing is at \(path).").response }

  private func page(at path: String, as view: PageView, for request: HTTPRequest) -> HTTPResponse {
    guard var file = files.file(path, in: view.language) else { return missing(path) }
    if path == "/sign-in.html" { file.bytes = signInPage(file.bytes) }
    file.bytes = shell.completed(file.bytes, as: view, at: request.path)
    return file.response(to: request).with("Vary", Self.variants).with("Content-Security-Policy", contentSecurityPolicy)
  }

  /// The sources that pages may load from. The service worker is a file. MapLibre GL JS starts its worker from a blob and
  /// loads raster tiles as data.
  private var contentSecurityPolicy: String {
    let tiles = tiles?.origin.map { " \($0)" } ?? ""
    return """
      default-src 'self'; worker-src 'self' blob:; connect-src 'self'\(tiles); img-src 'self' data: blob:\(tiles); \
      style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'
      """
  }

  /// Returns the sign-in page. The page has fields for name and password only if the server has users.
  private func signInPage(_ bytes: [UInt8]) -> [UInt8] {
    // If the store fails, the page has the fields.
    let hasUsers: Bool
    do throws(Problem) { hasUsers = try access.hasUsers() } catch { hasUsers = true }
    let text = String(decoding: bytes, as: UTF8.self)
    return Array(
      text.replacing("<body class=\"door\">", with: "<body class=\"door\" data-users=\"\(hasUsers ? "yes" : "no")\">").utf8)
  }
}
