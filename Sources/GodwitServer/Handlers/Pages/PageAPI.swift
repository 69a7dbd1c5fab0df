internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitSecrets
internal import GodwitStore

/// The page and its files.
struct PageAPI {
  let access: AccessControl
  let owner: OwnerAccess
  let assets: Assets
  let tiles: MapTiles?

  /// The page itself. An address with the owner's token, as bookmarks have it, begins a session and leaves the address.
  func page(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    if let token = request.query["token"] {
      let moved = HTTPResponse(status: 303, contentType: "text/plain; charset=utf-8", body: [])
      guard owner.isOwners(token) else { return .now(moved.with("Location", "/sign-in")) }
      do throws(PrivateFileError) {
        let secret = try owner.login.sessions.begin(
          address: request.clientAddress, agent: request.header("User-Agent") ?? "", at: Date())
        return .now(
          moved.with("Location", "/")
            .with("Set-Cookie", request.ownerCookie(OwnerAccess.sessionCookie, secret.secret, days: SessionLimits.maximumDays)))
      } catch {
        throw RequestWork.problem(error)
      }
    }
    return .now(file(request))
  }

  /// The files of the pages' addresses.
  private static let pages = [
    "/": "/index.html", "/regions": "/regions.html", "/sign-in": "/sign-in.html", "/login": "/login.html",
    "/account": "/account.html",
    "/devices": "/devices.html", "/import": "/import.html", "/timeline": "/timeline.html", "/statistics": "/statistics.html",
  ]

  /// The page of a link: the same for all, and not for search engines.
  func shared() -> HTTPReply {
    .now(file(at: "/share.html").with("X-Robots-Tag", "noindex"))
  }

  /// A file of the page.
  func file(_ request: HTTPRequest) -> HTTPResponse { file(at: Self.pages[request.path] ?? request.path) }

  private func file(at path: String) -> HTTPResponse {
    guard var file = assets.file(at: path) else {
      return Problem(404, "Not found", "There is nothing at \(path).").response
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

  /// The page to sign in, told whether there are users: without them it has no use for a name and a password.
  private func signInPage(_ bytes: [UInt8]) -> [UInt8] {
    // Where the store does not answer, the form does no harm.
    let hasUsers: Bool
    do throws(Problem) { hasUsers = try access.hasUsers() } catch { hasUsers = true }
    let text = String(decoding: bytes, as: UTF8.self)
    return Array(
      text.replacing("<body class=\"door\">", with: "<body class=\"door\" data-users=\"\(hasUsers ? "yes" : "no")\">").utf8)
  }
}
