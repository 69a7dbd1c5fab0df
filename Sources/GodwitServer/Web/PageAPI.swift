internal import Foundation

/// The page and its files.
struct PageAPI {
  private let server: Server
  init(_ server: Server) { self.server = server }

  /// The page itself. An address with the owner's token puts it into a cookie and out of the address.
  func page(_ exchange: Exchange) -> HTTPReply {
    if let token = exchange.query("token"), server.owner.token != nil {
      var response = HTTPResponse(status: 303, contentType: "text/plain; charset=utf-8", body: [])
      response = response.with("Location", "/")
      // Characters that end a cookie's value are in no token of ours.
      if token.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }) {
        response = response.with(
          "Set-Cookie",
          "\(OwnerAccess.cookie)=\(token); HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000"
            + (exchange.isSecure ? "; Secure" : ""))
      }
      return .now(response)
    }
    return .now(file(exchange))
  }

  /// The files of the pages' addresses.
  private static let pages = [
    "/": "/index.html", "/regions": "/regions.html", "/sign-in": "/sign-in.html", "/account": "/account.html",
    "/devices": "/devices.html", "/import": "/import.html", "/timeline": "/timeline.html", "/statistics": "/statistics.html",
  ]

  /// The page of a link: the same for all, and nobody is told where it is.
  func shared() -> HTTPReply {
    .now(file(at: "/share.html").with("X-Robots-Tag", "noindex"))
  }

  /// A file of the page.
  func file(_ exchange: Exchange) -> HTTPResponse { file(at: Self.pages[exchange.path] ?? exchange.path) }

  private func file(at path: String) -> HTTPResponse {
    guard let file = server.assets.file(at: path) else {
      return Problem(404, "Not found", "There is nothing at \(path).").response
    }
    var response = HTTPResponse(status: 200, contentType: file.contentType, body: file.bytes)
    response = response.with("Cache-Control", path.hasPrefix("/leaflet/") ? "max-age=86400" : "no-cache")
    if path.hasSuffix(".html") {
      let tiles = server.configuration.tiles?.origin.map { " \($0)" } ?? ""
      response = response.with(
        "Content-Security-Policy",
        "default-src 'self'; img-src 'self' data: blob:\(tiles); style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
      )
    }
    return response
  }
}
