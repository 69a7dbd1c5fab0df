internal import Foundation
internal import GodwitAccounts
internal import GodwitDigests
package import GodwitHTTP
internal import GodwitModel
package import GodwitSecrets
package import GodwitStore
internal import GodwitText

/// Signs in users of an OpenID provider with the authorization code flow and PKCE. The state is valid once; nonce and
/// verifier are bound to the browser by a cookie.
package struct OpenIDSignIn: Sendable {
  package let provider: OpenIDProvider
  private let work: RequestWork
  private let outbox: any EventOutbox

  package init(provider: OpenIDProvider, work: RequestWork, outbox: any EventOutbox) {
    self.provider = provider
    self.work = work
    self.outbox = outbox
  }

  /// The cookie with the browser's secret during a sign-in.
  package static let cookie = "godwit_openid"
  /// The path of the cookie.
  package static let cookiePath = "/api/v1/session/openid"
  /// The path to which the provider redirects the browser.
  package static let returnPath = "/sign-in/openid"

  /// A sign-in that a browser has started.
  package struct StartedSignIn: Sendable {
    /// The URL to which the browser is redirected.
    package let address: String
    /// The value of the cookie.
    package let secret: AccessToken
  }

  /// The request of the browser after the provider has redirected it.
  package struct Callback: Sendable {
    package var code: String
    package var state: String
    /// The value of the cookie; `nil`: absent.
    package var secret: AccessToken?
    /// The origin of the server in the browser.
    package var origin: String
    package var address: String
    package var agent: String
    /// The values of the browser's cookies, by name.
    package var cookie: @Sendable (String) -> String?

    package init(
      code: String, state: String, secret: AccessToken?, origin: String, address: String, agent: String,
      cookie: @escaping @Sendable (String) -> String?
    ) {
      self.code = code
      self.state = state
      self.secret = secret
      self.origin = origin
      self.address = address
      self.agent = agent
      self.cookie = cookie
    }
  }

  /// Starts a sign-in.
  /// - Parameters:
  ///   - origin: the origin of the server in the browser.
  ///   - isRepeated: whether the provider must authenticate the user again.
  /// - Throws: ``Problem`` if the provider does not respond.
  package func begin(origin: String, isRepeated: Bool) async throws(Problem) -> StartedSignIn {
    let (now, secret) = (work.now, AccessToken())
    let challenge = try await work.write { db in
      try SignInChallenge.make(for: .openID, session: nil, at: now, db)
    }
    let request = Self.request(state: Base64URL.encode(challenge), secret, origin: origin, isRepeated: isRepeated)
    do throws(IdentityError) {
      return StartedSignIn(address: try await provider.address(for: request, at: now), secret: secret)
    } catch { throw Self.problem(error) }
  }

  /// Derives nonce and verifier from the secret of the cookie, so that a response to another browser's sign-in is invalid.
  private static func request(state: String, _ secret: AccessToken, origin: String, isRepeated: Bool) -> OpenIDProvider.Request {
    func hash(_ purpose: String) -> String {
      Base64URL.encode(SHA256Digest.of(Array("\(purpose) \(state) \(secret.secret)".utf8)))
    }
    return OpenIDProvider.Request(
      redirect: origin + returnPath, state: state, nonce: hash("nonce"), verifier: hash("verifier"), isRepeated: isRepeated)
  }

  /// Finishes a sign-in with the response of the provider.
  /// - Throws: ``Problem`` if the user is not signed in. The reason is in the audit log.
  package func finish(_ callback: Callback) async throws(Problem) -> SignIn.Success {
    let now = work.now
    let isOurs = try await work.write { db in
      guard let state = Base64URL.decode(callback.state) else { return false }
      return try SignInChallenge.use(state, for: .openID, session: nil, at: now, db)
    }
    guard isOurs, let secret = callback.secret else {
      throw Problem(
        401, "Identity not accepted", "This sign-in is too old, was finished already, or began in another browser. Try again.")
    }
    let request = Self.request(state: callback.state, secret, origin: callback.origin, isRepeated: false)
    let identity: OpenIDProvider.Identity
    do throws(IdentityError) {
      identity = try await provider.identity(code: callback.code, of: request, at: now)
    } catch {
      let entry = AuditEntry(
        actor: "an OpenID identity", action: "sign-in failed", subject: error.description, address: callback.address)
      try await work.write { try AuditTable.add(entry, at: now, $0) }
      throw Self.problem(error)
    }
    let (result, keys) = try await work.write { [outbox] db -> (Result<SignIn.Success, Problem>, [OrderingKey]) in
      switch try user(of: identity, callback, at: now, db) {
      case .failure(let problem):
        let entry = AuditEntry(
          actor: "an OpenID identity", action: "sign-in failed", subject: identity.name ?? identity.subject,
          address: callback.address)
        try AuditTable.add(entry, at: now, db)
        return (.failure(problem), [])
      case .success(let user):
        var start = try SessionStart(
          of: user, address: callback.address, agent: callback.agent, time: now, cookie: callback.cookie, db)
        // An earlier authentication at the provider confirms the session only from that time.
        start.confirmed = identity.authenticated.map { min($0, now) }
        let begun = try start.begin(way: "with OpenID", outbox: outbox, db)
        return (.success(begun.success), begun.keys)
      }
    }
    outbox.deliver(keys)
    return try result.get()
  }

  /// Returns the user of an identity. The first sign-in links the identity to the user with its name. After that the name
  /// is not used, so that another person to whom the provider gives the name later gets no access.
  private func user(
    of identity: OpenIDProvider.Identity, _ callback: Callback, at now: Date, _ db: any SQLConnection
  ) throws -> Result<User, Problem> {
    let issuer = provider.configuration.issuer
    if let user = try OpenIDIdentityTable.user(identity.subject, at: issuer, db) { return .success(user) }
    func refuse(_ detail: String) -> Result<User, Problem> { .failure(Problem(401, "Identity not accepted", detail)) }
    let claim = provider.configuration.claim
    guard let name = identity.name, Device.isValid(name: name) else {
      return refuse(
        "The provider does not say the claim \(claim), or it is no user name: 1 to 64 letters, digits, blanks and -_.@. An e-mail address must be verified."
      )
    }
    var user = try UserTable.user(named: name, db)
    if user == nil {
      guard provider.configuration.createsUsers else {
        return refuse("The provider names \(name.jsonQuoted), which is not a user. Ask an administrator to add it.")
      }
      // The user is never an administrator, even if it is the first user, because any user of the provider may sign in
      // first.
      user = try UserTable.add(name, .member, password: Password.nobodys, at: now, db)
      let entry = AuditEntry(actor: "the OpenID provider", action: "user add", subject: name, address: callback.address)
      try AuditTable.add(entry, at: now, db)
    }
    guard let user, try OpenIDIdentityTable.link(identity.subject, at: issuer, to: user.id, now: now, db) else {
      return refuse(
        "The user \(name.jsonQuoted) is linked to another identity of the provider. An administrator removes the link at /account."
      )
    }
    return .success(user)
  }

  private static func problem(_ error: IdentityError) -> Problem {
    switch error {
    case .provider: Problem(503, "Identity provider failed", error.description)
    case .token: Problem(401, "Identity not accepted", error.description)
    }
  }
}
