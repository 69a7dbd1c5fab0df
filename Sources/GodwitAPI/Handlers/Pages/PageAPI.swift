internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitRoutes
internal import GodwitSecrets
internal import GodwitStore

/// The pages and their files.
struct PageAPI {
  let work: RequestWork
  let access: AccessControl
  let administrator: AdministratorAccess
  let files: PageFiles
  let tiles: MapTiles?

  /// Serves a page. A URL with the administrator's token, such as a bookmark, begins a session and is redirected to the
  /// URL without it.
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

  /// The files of the pages by path.
  private static let pages = [
    "/": "/index.html", "/regions": "/regions.html", "/sign-in": "/sign-in.html", "/sign-in/openid": "/sign-in.html",
    "/login": "/login.html",
    "/account": "/account.html",
    "/devices": "/devices.html", "/import": "/import.html", "/timeline": "/timeline.html", "/statistics": "/statistics.html",
  ]

  /// The page of a share link: the same for all links, and excluded from search engines.
  func shared() -> HTTPReply {
    .now(file(at: "/share.html").with("X-Robots-Tag", "noindex"))
  }

  /// Serves a file of the pages.
  func file(_ request: HTTPRequest) -> HTTPResponse { file(at: Self.pages[request.path] ?? request.path) }

  private func file(at path: String) -> HTTPResponse {
    guard var file = files.file(path) else {
      return Problem(404, "Not found", "Nothing is at \(path).").response
    }
    if path == "/sign-in.html" { file.bytes = signInPage(file.bytes) }
    var response = HTTPResponse(status: 200, contentType: file.contentType, body: file.bytes)
    response = response.with("Cache-Control", path.hasPrefix("/leaflet/") ? "max-age=86400" : "no-cache")
    if path.hasSuffix(".html") {
      let tiles = tiles?.origin.map { " \($0)" } ?? ""
      response = response.with(
        "Content-Security-Policy",
        "default-src 'self'; img-src 'self' data: blob:\(tiles); style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
      )
    }
    return response
  }

  /// The sign-in page. It shows name and password only if the server has users.
  private func signInPage(_ bytes: [UInt8]) -> [UInt8] {
    // If the store fails, the form is shown; it does no harm.
    let hasUsers: Bool
    do throws(Problem) { hasUsers = try access.hasUsers() } catch { hasUsers = true }
    let text = String(decoding: bytes, as: UTF8.self)
    return Array(
      text.replacing("<body class=\"door\">", with: "<body class=\"door\" data-users=\"\(hasUsers ? "yes" : "no")\">").utf8)
  }
}
