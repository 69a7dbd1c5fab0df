internal import Foundation
internal import GodwitAccounts
package import GodwitHTTP
internal import GodwitModel
internal import GodwitSecrets
internal import GodwitServices
package import GodwitStore
internal import Synchronization

/// Authenticates requests by a token, by a trusted proxy's header, or by the cookie of a session. Results are cached for
/// one second.
package final class AccessControl: Sendable {
  package let administrator: AdministratorAccess
  package let database: any StoreDatabase
  /// The header in which trusted proxies name users; `nil`: none.
  package let identityHeader: IdentityHeader?
  private let known = Mutex(Known())
  /// The time of the last recorded use of a session or token, by its name.
  private let noted = Mutex<[String: Date]>([:])

  /// Days and addresses for which a use of the administrator token was logged.
  private let administratorTokenUses = Mutex<Set<String>>([])

  /// Cached results.
  private struct Known {
    var filled = Date.distantPast
    var hasUsers: Bool?
    /// Principals by the hash of a secret; a `nil` value: the secret is invalid.
    var principals: [[UInt8]: Principal?] = [:]
    /// The administrator's sessions by the hash of a secret; a `nil` value: the secret is invalid.
    var administratorSessions: [[UInt8]: AdministratorSession?] = [:]
    /// Users named by a proxy, by name. They are separate from `principals`, so that a token cannot match a name.
    var proxied: [String: Principal?] = [:]

    /// Clears the cache if it is older than a second.
    mutating func expire(at now: Date) {
      guard abs(now.timeIntervalSince(filled)) > 1 else { return }
      self = Known(filled: now)
    }
  }

  /// Maximum cached secrets, so that a client that tries many cannot exhaust the memory.
  private static let maximumKnown = 10_000

  package init(administrator: AdministratorAccess, database: any StoreDatabase, identityHeader: IdentityHeader? = nil) {
    self.administrator = administrator
    self.identityHeader = identityHeader
    self.database = database
  }

  /// Empties the cache after a change.
  package func invalidate() { known.withLock { $0 = Known() } }

  // MARK: Authentication

  /// Returns the principal of a request.
  /// - Throws: `Problem` with status 401 if the request has no valid credentials, or 403 if they do not permit reading.
  package func principal(_ request: HTTPRequest) throws(Problem) -> Principal {
    // If a request has a token, cookies are ignored.
    if let offered = request.accessToken {
      if administrator.isAdministratorToken(offered) {
        guard request.header("Authorization") != nil else { throw Self.tokenInAddress }
        recordAdministratorToken(from: request.clientAddress)
        return .administrator
      }
      if let principal = try principal(of: AccessToken(offered)) {
        guard !principal.sends else {
          throw Problem(
            403, "Token for sending",
            "This token can send records, but not read. Create one with the scope read at /account.")
        }
        recordUse(principal, request)
        return principal
      }
    } else if let principal = try proxiedPrincipal(request) {
      return principal
    } else {
      if let secret = request.cookie(Session.cookie), let principal = try principal(of: AccessToken(secret)),
        principal.session != nil
      {
        recordUse(principal, request)
        return principal
      }
      if let secret = administrator.sessionSecret(of: request), let session = administratorSession(of: secret) {
        administrator.login.sessions.recordUse(session, at: database.clock.now)
        return Principal(identity: .administrator, accessLevels: nil, administratorSession: session)
      }
      if let secret = request.cookie(AdministratorAccess.cookie), administrator.isAdministratorToken(secret) {
        return .administrator
      }
    }
    throw try hasUsers() ? Self.signInNeeded : Self.loginNeeded
  }

  private static let signInNeeded = Problem(
    401, "Sign-in needed",
    "Sign in at /sign-in, or send a token: Authorization: Bearer TOKEN. The page /account creates tokens.")

  private static let loginNeeded = Problem(
    401, "Sign-in needed",
    "Run `godwit login` on the server's machine and open the link that it prints, or send a token: Authorization: Bearer TOKEN. The administrator token is in the file admin-token of the data folder."
  )

  private static let tokenInAddress = Problem(
    401, "Token in the address",
    "The administrator token is not accepted in an address, because logs and browser histories store addresses. Send it as Authorization: Bearer TOKEN."
  )

  private func administratorSession(of secret: AccessToken) -> AdministratorSession? {
    remembered(\.administratorSessions, secret.hash) { administrator.login.sessions.session(secret, at: $0) }
  }

  /// Returns the cached result for a key, or looks it up and caches it.
  private func remembered<Key: Hashable & Sendable, Value: Sendable, Failure: Error>(
    _ values: any WritableKeyPath<Known, [Key: Value?]> & Sendable, _ key: Key, find: (_ now: Date) throws(Failure) -> Value?
  ) throws(Failure) -> Value? {
    let now = database.clock.now
    if let found = known.withLock({ known in
      known.expire(at: now)
      return known[keyPath: values][key]
    }) {
      return found
    }
    let found = try find(now)
    known.withLock { known in
      if known[keyPath: values].count >= Self.maximumKnown { known[keyPath: values].removeAll() }
      known[keyPath: values][key] = .some(found)
    }
    return found
  }

  /// Whether users exist. The answer determines how a request without credentials is asked to authenticate.
  package func hasUsers() throws(Problem) -> Bool {
    let now = database.clock.now
    if let known = known.withLock({ known -> Bool? in
      known.expire(at: now)
      return known.hasUsers
    }) {
      return known
    }
    let found = try read { try !UserTable.isEmpty($0) }
    known.withLock { $0.hasUsers = found }
    return found
  }

  /// Returns the device for which a scoped token may write; `nil`: none.
  package func device(writing token: [UInt8]) throws -> Device? {
    let found = try database.read { db -> ScopedToken? in
      guard let token = try ScopedTokenTable.token(hash: token, at: database.clock.now, db), token.scope == .write,
        let device = token.device, let principal = try Self.principal(of: token, db)
      else { return nil }
      // After a device has changed its owner, tokens of the previous owner are invalid.
      return principal.seesAll(of: device.id) ? token : nil
    }
    guard let found, let device = found.device else { return nil }
    recordUse(of: found, from: nil)
    return device
  }

  private func principal(of token: AccessToken) throws(Problem) -> Principal? {
    try remembered(\.principals, token.hash) { now throws(Problem) in
      try read { db in
        for stored in token.hashes {
          if let session = try SessionTable.session(hash: stored, at: now, db),
            let user = try UserTable.user(session.account, db)
          {
            return try Self.principal(of: user, session, db)
          }
          if let token = try ScopedTokenTable.token(hash: stored, at: now, db) {
            return try Self.principal(of: token, db)
          }
        }
        return nil
      }
    }
  }

  /// Returns the principal of a user that a proxy names; `nil`: the user does not exist.
  package func principal(named name: String) throws(Problem) -> Principal? {
    try remembered(\.proxied, User.folded(name)) { _ throws(Problem) in
      try read { db in try UserTable.user(named: name, db).map { try Self.proxiedPrincipal(of: $0, db) } }
    }
  }

  private static func proxiedPrincipal(of user: User, _ db: any SQLConnection) throws -> Principal {
    Principal(
      identity: .proxied(user), accessLevels: user.role == .admin ? nil : try AccessLevelTable.accessLevels(of: user.id, db))
  }

  /// Returns the principal of a token. Its access is that of its account, limited to the token's device if it has one.
  private static func principal(of token: ScopedToken, _ db: any SQLConnection) throws -> Principal? {
    var user: User?
    if let account = token.account {
      guard let found = try UserTable.user(account, db) else { return nil }
      user = found
    }
    var accessLevels: [Int64: AccessLevel]?
    if let user, user.role != .admin { accessLevels = try AccessLevelTable.accessLevels(of: user.id, db) }
    if let device = token.device {
      let accessLevel = accessLevels.map { $0[device.id] } ?? .everything
      accessLevels = accessLevel.map { [device.id: $0] } ?? [:]
    }
    return Principal(identity: .token(token, of: user), accessLevels: accessLevels)
  }

  package func read<Value>(_ body: (any SQLConnection) throws -> Value) throws(Problem) -> Value {
    do { return try database.read(body) } catch {
      throw Problem.unavailable("Store not readable", error)
    }
  }

  // MARK: Requirements of routes

  /// Authenticates a request, and requires the permissions of an administrator.
  package func administrator(_ request: HTTPRequest) throws(Problem) -> Principal {
    let principal = try principal(request)
    guard principal.isAdministrator else {
      throw Problem(403, "For administrators", "Only an administrator may do this. `godwit user list` shows the administrators.")
    }
    return principal
  }

  /// Authenticates a request, and requires the permission to change data.
  package func account(_ request: HTTPRequest) throws(Problem) -> Principal {
    let principal = try principal(request)
    guard principal.mayChange else { throw Self.readsOnly }
    return principal
  }

  package static let readsOnly = Problem(
    403, "Token for reading", "This token can read, but not change anything. Create one with the scope admin at /account.")

  /// Returns the current access of a principal that was authenticated earlier; `nil`: it has no access any more.
  package func current(_ principal: Principal) -> Principal? {
    let now = database.clock.now
    do {
      switch principal.identity {
      case .anonymous: return nil
      case .administrator:
        guard let session = principal.administratorSession else { return principal }
        return administrator.login.sessions.session(key: session.key, at: now) == nil ? nil : principal
      case .user(_, let session):
        return try database.read { db in
          guard let session = try SessionTable.session(session.id, at: now, db),
            let user = try UserTable.user(session.account, db)
          else { return nil }
          return try Self.principal(of: user, session, db)
        }
      case .proxied(let user):
        return try database.read { db in try UserTable.user(user.id, db).map { try Self.proxiedPrincipal(of: $0, db) } }
      case .token(let token, _):
        return try database.read { db in
          guard let token = try ScopedTokenTable.token(token.id, db), token.isGood(at: now) else { return nil }
          return try Self.principal(of: token, db)
        }
      }
    } catch {
      // The store does not respond now. The previous access stays valid.
      return principal
    }
  }

  private static func principal(of user: User, _ session: Session, _ db: any SQLConnection) throws -> Principal {
    let accessLevels = user.role == .admin ? nil : try AccessLevelTable.accessLevels(of: user.id, db)
    return Principal(identity: .user(user, session: session), accessLevels: accessLevels)
  }

  /// Requires that a principal may change data, and that no page of another site made the request.
  /// - Throws: `Problem` with status 403 otherwise.
  package func change(_ principal: Principal, _ request: HTTPRequest) throws(Problem) {
    guard principal.mayChange else { throw Self.readsOnly }
    // A page of another site does not know a token. A cookie, however, is sent by the browser for any page.
    if case .token = principal.identity { return }
    if let rejection = administrator.changeRejection(request) { throw rejection }
  }

  // MARK: Uses

  private func recordUse(_ principal: Principal, _ request: HTTPRequest) {
    switch principal.identity {
    case .user(_, let session):
      guard shouldRecordUse(session.name, last: session.used, after: SessionLimits.useRecordingInterval) else { return }
      let address = request.clientAddress
      recordLater { [now = database.clock.now] in try SessionTable.recordUse(session.id, from: address, at: now, $0) }
    case .token(let token, _): recordUse(of: token, from: request.clientAddress)
    case .administrator, .proxied, .anonymous: break
    }
  }

  /// Logs the first use of the administrator token of a day (UTC) and address.
  private func recordAdministratorToken(from address: String) {
    let now = database.clock.now
    let day = DayLength.number(of: now.millisecondsSince1970)
    let isFirst = administratorTokenUses.withLock { uses in
      if uses.count >= Self.maximumKnown { uses.removeAll() }
      return uses.insert("\(day) \(address)").inserted
    }
    guard isFirst else { return }
    recordLater { db in
      let entry = AuditEntry(actor: "the administrator", action: "administrator token used", address: address)
      // The use may have been logged before a restart, or by another server of the database.
      let known = try db.integer(
        "SELECT id FROM audit_log WHERE time >= ? AND action = ? AND address = ? LIMIT 1", day * DayLength.milliseconds,
        entry.action, address
      )
      if known == nil { try AuditTable.add(entry, at: now, db) }
    }
  }

  private func recordUse(of token: ScopedToken, from address: String?) {
    guard shouldRecordUse(token.name, last: token.used, after: ScopedToken.useRecordingInterval) else { return }
    recordLater { [now = database.clock.now] in try ScopedTokenTable.recordUse(token.id, from: address, at: now, $0) }
  }

  /// Whether a use must be recorded: the last recorded use, in the database and in this process, is old enough.
  private func shouldRecordUse(_ name: String, last: Date?, after seconds: TimeInterval) -> Bool {
    let now = database.clock.now
    if let last, abs(now.timeIntervalSince(last)) < seconds { return false }
    return noted.withLock { noted in
      if let last = noted[name], abs(now.timeIntervalSince(last)) < seconds { return false }
      if noted.count >= Self.maximumKnown { noted.removeAll() }
      noted[name] = now
      return true
    }
  }

  /// Writes asynchronously. A failure is ignored, because a later use is recorded again.
  private func recordLater(_ body: @escaping @Sendable (any SQLConnection) throws -> Void) {
    database.write(body) { _ in }
  }
}

extension Principal {
  /// Whether the principal is a token that can only send.
  fileprivate var sends: Bool { if case .token(let token, _) = identity { token.scope == .write } else { false } }
}
