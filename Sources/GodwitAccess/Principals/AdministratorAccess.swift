internal import Foundation
package import GodwitHTTP
package import GodwitSecrets
internal import GodwitStore

/// The administrator's credentials: the token in the data folder, and sessions that start with a one-time code.
///
/// A request without one of them is never the administrator's, also from this machine: a page can forge host names (DNS
/// rebinding), and a proxy can hide addresses.
package struct AdministratorAccess: Sendable {
  package let token: AccessToken
  private let hash: [UInt8]
  package let login: AdministratorLogin

  /// The name of a session's cookie, to which the port is appended.
  package static let sessionCookie = "godwit_admin"
  /// The cookie of earlier versions, which contained the token. It is still accepted, but no longer set.
  package static let cookie = "godwit_token"

  package init(folder: String) throws {
    let file = folder + "/admin-token"
    guard let kept = AccessToken.kept(in: file) else { throw AdministratorTokenError(file: file) }
    token = kept
    hash = kept.hash
    login = AdministratorLogin(dataFolder: folder)
  }

  /// Whether this is the administrator token.
  package func isAdministratorToken(_ secret: String) -> Bool { AccessToken.isSame(AccessToken(secret).hash, hash) }

  /// Returns the secret of the administrator's session in a request's cookie.
  package func sessionSecret(of request: HTTPRequest) -> AccessToken? {
    request.cookie(Self.sessionCookie + request.hostPortSuffix).map { AccessToken($0) }
  }

  /// Returns the problem of a request to sign in or out that a page of another site made; `nil`: permitted. Programs other
  /// than browsers send no header about a page.
  package func crossSiteRejection(_ request: HTTPRequest) -> Problem? {
    let saysOfPage = request.header("Sec-Fetch-Site") != nil || request.header("Origin") != nil
    return saysOfPage ? changeRejection(request, mayShowToken: false) : nil
  }

  /// Returns the problem of a request that may not change anything; `nil`: permitted.
  ///
  /// A browser sends the administrator's cookie for any page, with headers that identify the page. A program sends no such
  /// headers, but the token.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - mayShowToken: whether a token in the request is sufficient, because a page of another site does not know it.
  package func changeRejection(_ request: HTTPRequest, mayShowToken: Bool = true) -> Problem? {
    if mayShowToken, request.accessToken != nil { return nil }
    let isOwn: Bool
    if let site = request.header("Sec-Fetch-Site") {
      isOwn = site == "same-origin" || site == "none"
    } else if let origin = request.header("Origin") {
      isOwn = Self.host(ofOrigin: origin) == request.host?.lowercased()
    } else {
      isOwn = false
    }
    if isOwn { return nil }
    return Problem(
      403, "Foreign page",
      "Changes are accepted only from the server's own pages, and from programs that send an access token as Authorization: Bearer TOKEN. A proxy in front of the server must keep the header Host."
    )
  }

  /// Returns `example.org:8080` for `https://example.org:8080`; `nil` for an opaque origin such as `null`.
  private static func host(ofOrigin origin: String) -> String? {
    origin.range(of: "://").map { origin[$0.upperBound...].lowercased() }
  }
}

package struct AdministratorTokenError: Error, CustomStringConvertible {
  package let file: String
  package var description: String {
    "The administrator token cannot be read from \(file), nor written to it. Check which system user owns the folder and the file."
  }
}

extension HTTPRequest {
  /// The token of a request: as Bearer, or as `token` or `api_key` in the query.
  package var accessToken: String? {
    guard let header = header("Authorization") else { return query["token"] ?? query["api_key"] }
    return Authorization(header)?.credentials(of: "bearer")
  }

  /// The token of an app: like ``accessToken``, or the password of HTTP Basic.
  package var appToken: String? { accessToken ?? password ?? rawBasicToken ?? query["token"] }

  /// Overland in its OwnTracks mode sends `Basic TOKEN:` without Base64.
  private var rawBasicToken: String? {
    guard let text = authorization?.credentials(of: "basic"), text.hasSuffix(":"), text.count > 1 else { return nil }
    return String(text.dropLast())
  }

  /// The password of HTTP Basic (RFC 7617); the user name is ignored.
  package var password: String? {
    guard let text = authorization?.credentials(of: "basic"), let decoded = Data(base64Encoded: text),
      let colon = decoded.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    return String(decoding: decoded[(colon + 1)...], as: UTF8.self)
  }
}
