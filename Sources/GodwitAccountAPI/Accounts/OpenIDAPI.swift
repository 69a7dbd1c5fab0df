internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitRoutes
internal import GodwitSecrets
internal import GodwitStore

/// `/api/v1/session/openid`: sign-in at an OpenID provider.
struct OpenIDAPI: Sendable {
  let noticed: NoticedWork
  let administrator: AdministratorAccess
  /// `nil` if the server has no provider.
  let signIn: OpenIDSignIn?

  /// The length of codes and states in characters.
  enum TextLimits: GodwitHTTP.TextLimits { static let length = 1...4096 }

  struct State: ResultObject {
    var enabled: Bool
    @Nullable var name: String?

    static let schemaName: String? = "OpenIDState"
    static let notes: [String: JSONValue] = ["name": "The host name of the provider."]
  }

  struct BeginBody: BodyObject {
    let again: Bool?

    static let kind = "sign-in"
    static let schemaName: String? = "OpenIDBeginning"
    static let notes: [String: JSONValue] = [
      "again": ["description": "Whether the provider must ask the user again, which confirms the session.", "default": false]
    ]
  }

  struct ProviderAddress: ResultObject {
    var address: String

    static let schemaName: String? = "OpenIDAddress"
    static let notes: [String: JSONValue] = ["address": "Of the provider; the browser goes there."]
  }

  struct CallbackBody: BodyObject {
    let code: LimitedText<TextLimits>
    let state: LimitedText<TextLimits>

    static let kind = "sign-in"
    static let schemaName: String? = "OpenIDCallback"
    static let notes: [String: JSONValue] = [
      "code": "Of the address to which the provider has sent the browser.", "state": "Of the same address.",
    ]
  }

  struct Unlinked: ResultObject {
    var removed: Int
    static let notes: [String: JSONValue] = ["removed": ["minimum": 0, "description": "Number of links."]]
  }

  func state(_ request: PlainRequest) async throws -> State {
    State(enabled: signIn != nil, name: signIn?.provider.configuration.name)
  }

  func begin(_ request: BodyRequest<BeginBody>) async throws -> NotStored<WithCookies<ProviderAddress>> {
    let (http, signIn) = (request.http, try enabled())
    let begun = try await signIn.begin(origin: try Self.origin(http), isRepeated: request.body.again ?? false)
    return NotStored(WithCookies(ProviderAddress(address: begun.address), [Self.cookie(begun.secret.secret, http)]))
  }

  func finish(_ request: BodyRequest<CallbackBody>) async throws -> NotStored<WithCookies<AccountAPI.SignedIn>> {
    let (http, signIn) = (request.http, try enabled())
    let callback = OpenIDSignIn.Callback(
      code: request.body.code.text, state: request.body.state.text,
      secret: http.cookie(OpenIDSignIn.cookie).map { AccessToken($0) }, origin: try Self.origin(http),
      address: http.clientAddress, agent: http.header("User-Agent") ?? "", cookie: { http.cookie($0) })
    let success = try await signIn.finish(callback)
    let cookies = [Self.cookie("", http)] + AccountAPI.cookies(of: success, isSecure: http.isSecure)
    return NotStored(WithCookies(AccountAPI.SignedIn(user: UserObject(success.user)), cookies))
  }

  /// Removes the links to the provider of any user.
  func unlink(_ request: PlainRequest) async throws -> Unlinked {
    let name = request.parameter
    return try await noticed.work.write { db in
      guard let user = try UserTable.user(named: name, db) else { throw User.unknown(name) }
      let removed = try OpenIDIdentityTable.removeAll(of: user.id, db)
      guard removed > 0 else { throw Problem(404, "No link", "\(user.name) is linked to no identity of an OpenID provider.") }
      return Unlinked(removed: removed)
    }
  }

  /// Rejects requests of pages from other origins.
  func checkOrigin(_ request: HTTPRequest) throws(Problem) {
    if let rejection = administrator.crossSiteRejection(request) { throw rejection }
  }

  private func enabled() throws(Problem) -> OpenIDSignIn {
    guard let signIn else {
      throw Problem(404, "No OpenID provider", "This server has no OpenID provider; `godwit serve --openid-issuer` names one.")
    }
    return signIn
  }

  /// Returns the origin of the server in the browser's URL.
  private static func origin(_ request: HTTPRequest) throws(Problem) -> String {
    guard let host = request.host, !host.isEmpty,
      host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "@") })
    else { throw Problem(400, "No host name", "The request has no usable Host.") }
    return "\(request.isSecure ? "https" : "http")://\(host)"
  }

  private static func cookie(_ secret: String, _ request: HTTPRequest) -> String {
    secretCookie(
      OpenIDSignIn.cookie, secret, days: SignInChallenge.lifetime / 86400, sameSite: .strict, path: OpenIDSignIn.cookiePath,
      isSecure: request.isSecure)
  }
}
