internal import Foundation
internal import GodwitHTTP

/// Sign-in of a browser.
enum PanelSession {
  /// Accepts `{"code": …}` or `{"token": …}`, and returns the session as a cookie that scripts cannot read.
  static func open(_ panel: PanelServer, _ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    let members = try PanelBody(request.takeBody())
    let (code, token) = (try members.text("code"), try members.text("token"))
    try members.end()
    guard (code == nil) != (token == nil) else {
      throw Problem(400, "Bad body", "Send either \"code\", a one-time code, or \"token\".")
    }
    let secret = try panel.access.begin(code: code, token: token, request)
    return HTTPResponse.json(Array("{}\n".utf8))
      .with("Set-Cookie", PanelAccess.cookie(secret, for: request))
      .with("Cache-Control", "no-store")
  }
}
