internal import Foundation
package import GodwitHTTP
package import GodwitSecrets
internal import GodwitStore

/// The administrator's secrets: the token in the data folder, and sessions that begin with a one-time code.
///
/// No request is the administrator's without one of them, wherever it comes from: names and addresses can be forged by a page
/// whose name points here, and hidden by a proxy.
package struct AdministratorAccess: Sendable {
  package let token: AccessToken
  private let hash: [UInt8]
  package let login: AdministratorLogin

  /// The cookie of a session; the port follows.
  package static let sessionCookie = "godwit_admin"
  /// The cookie of earlier versions, which held the token itself: no longer set, still good.
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

  /// The secret of the administrator's session that a browser sends.
  package func sessionSecret(of request: HTTPRequest) -> AccessToken? {
    request.cookie(Self.sessionCookie + request.hostPortSuffix).map { AccessToken($0) }
  }

  /// Why this request may not sign in or out: a foreign page made it. A program says of no page.
  package func crossSiteRejection(_ request: HTTPRequest) -> Problem? {
    let saysOfPage = request.header("Sec-Fetch-Site") != nil || request.header("Origin") != nil
    return saysOfPage ? changeRejection(request, mayShowToken: false) : nil
  }

  /// Why this request may not change anything, though it may read; `nil` when it may.
  ///
  /// A browser sends the administrator's cookie for any page that is open in it. It also says which page made it do so; a program
  /// says nothing, and shows the token.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - mayShowToken: whether a token in it is proof enough: a page cannot show one that it does not know.
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
      "Changes are accepted only from the server's own pages, and from programs that send the administrator token as Authorization: Bearer TOKEN. A proxy in front of the server must keep the header Host."
    )
  }

  /// `example.org:8080` of `https://example.org:8080`; nothing of what is no address, such as `null`.
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
  /// The token of a request: as Bearer, or as `token` or `api_key` in the address.
  package var accessToken: String? {
    guard let header = header("Authorization") else { return query["token"] ?? query["api_key"] }
    return Authorization(header)?.credentials(of: "bearer")
  }

  /// The token of an app: as above, or as the password of HTTP Basic.
  package var appToken: String? { accessToken ?? password ?? rawBasicToken ?? query["token"] }

  /// Overland in its OwnTracks mode sends `Basic TOKEN:`, and forgets the Base64.
  private var rawBasicToken: String? {
    guard let text = authorization?.credentials(of: "basic"), text.hasSuffix(":"), text.count > 1 else { return nil }
    return String(text.dropLast())
  }

  /// The password of HTTP Basic (RFC 7617); the user's name says nothing.
  package var password: String? {
    guard let text = authorization?.credentials(of: "basic"), let decoded = Data(base64Encoded: text),
      let colon = decoded.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    return String(decoding: decoded[(colon + 1)...], as: UTF8.self)
  }
}
