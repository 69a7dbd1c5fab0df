internal import Foundation
internal import Synchronization

/// Finds out who asks: by a token, by the cookie of a session, or because nobody has to be asked yet.
///
/// A server that listens for its own machine alone asks for nothing until there is a user. What is found is believed for one
/// second, as tokens of devices are.
final class AccessControl: Sendable {
  let owner: OwnerAccess
  private let database: any StoreDatabase
  private let known = Mutex(Known())
  /// When the use of a session or token was last written, by its name.
  private let noted = Mutex<[String: Date]>([:])

  /// What was found lately.
  private struct Known {
    var filled = Date.distantPast
    var hasUsers: Bool?
    /// By the hash of a secret; `nil` inside: nobody's.
    var readers: [[UInt8]: Reader?] = [:]

    /// Forgets what is older than a second.
    mutating func expire() {
      let now = Date()
      guard abs(now.timeIntervalSince(filled)) > 1 else { return }
      self = Known(filled: now)
    }
  }

  /// Secrets that are remembered at once: who tries many does not fill the memory.
  private static let mostKnown = 10_000

  init(owner: OwnerAccess, database: any StoreDatabase) {
    self.owner = owner
    self.database = database
  }

  /// Something was changed: nothing is believed any more.
  func forget() { known.withLock { $0 = Known() } }

  // MARK: Who it is

  /// Whoever asks.
  /// - Throws: ``Problem`` where nobody who may read does.
  func reader(_ exchange: Exchange) throws(Problem) -> Reader {
    let offered = exchange.accessToken
    if let offered {
      if owner.isOwners(offered) { return .owner }
      if let reader = try reader(of: AccessToken(offered)) {
        guard !reader.sends else {
          throw Problem(
            403, "Token for sending",
            "This token sends what a device sees, and reads nothing. Make one with the scope read at /account.")
        }
        noteUse(reader, exchange)
        return reader
      }
    }
    // Who shows a token is taken for who it says.
    if offered == nil || isOpen {
      if let secret = exchange.cookie(Session.cookie), let reader = try reader(of: AccessToken(secret)), reader.session != nil {
        noteUse(reader, exchange)
        return reader
      }
      if offered == nil, let secret = exchange.cookie(OwnerAccess.cookie), owner.isOwners(secret) { return .owner }
    }
    if try hasUsers() {
      throw Problem(
        401, "Sign-in needed",
        "Sign in at /sign-in, or send a token: Authorization: Bearer TOKEN. /account makes tokens, and so does the administrator."
      )
    }
    if let refusal = owner.refusal(of: exchange) { throw refusal }
    return .owner
  }

  /// Whether somebody at this machine is asked for nothing, as long as there are no users.
  private var isOpen: Bool { owner.token == nil }

  /// Whether there are users, who are to say who they are.
  func hasUsers() throws(Problem) -> Bool {
    if let known = known.withLock({ known -> Bool? in
      known.expire()
      return known.hasUsers
    }) {
      return known
    }
    let found = try read { try !UserTable.isEmpty($0) }
    known.withLock { $0.hasUsers = found }
    return found
  }

  /// The device that a token may write for, where it is one of a program.
  func device(writing token: [UInt8]) throws -> Device? {
    let found = try database.read { connection -> ScopedToken? in
      guard let token = try ScopedTokenTable.token(hash: token, at: Date(), connection), token.scope == .write,
        let device = token.device, let reader = try Self.reader(of: token, connection)
      else { return nil }
      // What went to somebody else takes nothing more of who had it before.
      return reader.seesAll(of: device.id) ? token : nil
    }
    guard let found, let device = found.device else { return nil }
    noteUse(of: found, from: nil)
    return device
  }

  private func reader(of token: AccessToken) throws(Problem) -> Reader? {
    let hash = token.hash
    if let found = known.withLock({ known in
      known.expire()
      return known.readers[hash]
    }) {
      return found
    }
    let now = Date()
    let found = try read { connection -> Reader? in
      if let session = try SessionTable.session(hash: hash, at: now, connection),
        let user = try UserTable.user(session.account, connection)
      {
        return try Self.reader(of: user, session, connection)
      }
      guard let token = try ScopedTokenTable.token(hash: hash, at: now, connection) else { return nil }
      return try Self.reader(of: token, connection)
    }
    known.withLock { known in
      if known.readers.count >= Self.mostKnown { known.readers.removeAll() }
      known.readers[hash] = .some(found)
    }
    return found
  }

  /// What a token may see: no more than its account, and of that one device where it names one.
  private static func reader(of token: ScopedToken, _ connection: any SQLConnection) throws -> Reader? {
    var user: User?
    if let account = token.account {
      guard let found = try UserTable.user(account, connection) else { return nil }
      user = found
    }
    var sights: [Int64: Sight]?
    if let user, user.role != .admin { sights = try SightTable.sights(of: user.id, connection) }
    if let device = token.device {
      let sight = sights.map { $0[device.id] } ?? .everything
      sights = sight.map { [device.id: $0] } ?? [:]
    }
    return Reader(identity: .token(token, of: user), sights: sights)
  }

  private func read<Value>(_ body: (any SQLConnection) throws -> Value) throws(Problem) -> Value {
    do { return try database.read(body) } catch {
      throw Problem(503, "Store not readable", "\(error)", retryAfter: 5)
    }
  }

  // MARK: What a route asks for

  /// Whoever may do what the owner may.
  func administrator(_ exchange: Exchange) throws(Problem) -> Reader {
    let reader = try reader(exchange)
    guard reader.isAdministrator else {
      throw Problem(403, "For administrators", "Only an administrator may do this. `godwit user list` shows who that is.")
    }
    return reader
  }

  /// Whoever has all the rights of an account.
  func account(_ exchange: Exchange) throws(Problem) -> Reader {
    let reader = try reader(exchange)
    guard reader.mayChange else { throw Self.readsOnly }
    return reader
  }

  private static let readsOnly = Problem(
    403, "Token for reading", "This token reads and changes nothing. Make one with the scope admin at /account.")

  /// Whether a secret is somebody's that may read.
  func knows(_ secret: String) throws(Problem) -> Bool { try reader(of: AccessToken(secret)) != nil }

  /// What a reader is now, who was found some time ago; `nil`: nobody any more.
  func current(_ reader: Reader) -> Reader? {
    let now = Date()
    do {
      switch reader.identity {
      case .nobody: return nil
      case .owner: return try isOpen && hasUsers() ? nil : reader
      case .user(_, let session):
        return try database.read { connection in
          guard let session = try SessionTable.session(session.id, at: now, connection),
            let user = try UserTable.user(session.account, connection)
          else { return nil }
          return try Self.reader(of: user, session, connection)
        }
      case .token(let token, _):
        return try database.read { connection in
          guard let token = try ScopedTokenTable.token(token.id, connection), token.isGood(at: now) else { return nil }
          return try Self.reader(of: token, connection)
        }
      }
    } catch {
      // The store does not answer now: what was, is.
      return reader
    }
  }

  private static func reader(of user: User, _ session: Session, _ connection: any SQLConnection) throws -> Reader {
    let sights = user.role == .admin ? nil : try SightTable.sights(of: user.id, connection)
    return Reader(identity: .user(user, session: session), sights: sights)
  }

  /// Whether this may change something, besides being allowed to read it.
  /// - Throws: ``Problem`` when not.
  func change(_ reader: Reader, _ exchange: Exchange) throws(Problem) {
    guard reader.mayChange else { throw Self.readsOnly }
    // A page cannot show a token that it does not know, and one in a cookie is shown by the browser for any page.
    if case .token = reader.identity { return }
    if let refusal = owner.refusalOfChange(exchange) { throw refusal }
  }

  // MARK: Uses

  private func noteUse(_ reader: Reader, _ exchange: Exchange) {
    switch reader.identity {
    case .user(_, let session):
      guard isToBeNoted(session.name, last: session.used, after: Session.useNoted) else { return }
      let address = exchange.clientAddress
      note { try SessionTable.noteUse(session.id, from: address, at: Date(), $0) }
    case .token(let token, _): noteUse(of: token, from: exchange.clientAddress)
    case .owner, .nobody: break
    }
  }

  private func noteUse(of token: ScopedToken, from address: String?) {
    guard isToBeNoted(token.name, last: token.used, after: ScopedToken.useNoted) else { return }
    note { try ScopedTokenTable.noteUse(token.id, from: address, at: Date(), $0) }
  }

  /// Whether a use is worth a write: the last one is some time ago, in the database and in this process.
  private func isToBeNoted(_ name: String, last: Date?, after seconds: TimeInterval) -> Bool {
    let now = Date()
    if let last, abs(now.timeIntervalSince(last)) < seconds { return false }
    return noted.withLock { noted in
      if let last = noted[name], abs(now.timeIntervalSince(last)) < seconds { return false }
      if noted.count >= Self.mostKnown { noted.removeAll() }
      noted[name] = now
      return true
    }
  }

  /// Writes when the store comes to it; where it cannot, the next use is noted.
  private func note(_ body: @escaping @Sendable (any SQLConnection) throws -> Void) {
    database.write(body) { _ in }
  }
}

extension Reader {
  /// A token that sends and reads nothing.
  fileprivate var sends: Bool { if case .token(let token, _) = identity { token.scope == .write } else { false } }
}
