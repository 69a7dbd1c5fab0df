public import Foundation
public import GodwitAccounts
package import GodwitStore

/// Manages users for programs with direct access to the data folder.
public struct UserAdministration: Sendable {
  private let database: any StoreDatabase
  private let outbox: any EventOutbox

  /// - Parameters:
  ///   - store: a store, which need not be that of the running server.
  ///   - outbox: receives the events of changed accounts.
  package init(_ store: any StoreDatabase, outbox: any EventOutbox) {
    database = store
    self.outbox = outbox
  }

  /// Returns the users, ordered by name.
  /// - Throws: the database's errors.
  public func users() throws -> [User] { try database.read(UserTable.all) }

  /// Whether a user with this name exists. The name is case-insensitive.
  /// - Parameter name: the name of the user.
  /// - Throws: the database's errors.
  public func has(_ name: String) throws -> Bool { try database.read { try UserTable.user(named: name, $0) } != nil }

  /// Creates a user. The first user is an administrator.
  /// - Parameters:
  ///   - name: the name, which follows the rules of device names.
  ///   - role: the role of the user.
  ///   - password: 8 to 512 characters, and not easy to guess.
  ///   - now: the current time.
  /// - Throws: ``UserError``, or the database's errors.
  public func add(_ name: String, role: User.Role, password: String, at now: Date) async throws -> User {
    let kept = try Self.kept(password, of: name)
    return try await database.write { db in
      let role = try UserTable.isEmpty(db) ? .admin : role
      guard let user = try UserTable.add(name, role, password: kept, at: now, db) else {
        throw UserError.taken(name)
      }
      try Self.record("user add", user.name, at: now, db)
      return user
    }
  }

  /// A credential of a user besides the password.
  public enum Factor: String, Sendable, CaseIterable {
    /// The second factor, with its recovery codes.
    case secondFactor
    case passkeys
    /// The link to an OpenID provider.
    case openID
  }

  /// Sets a password and ends the user's sessions.
  /// - Parameters:
  ///   - password: 8 to 512 characters, and not easy to guess.
  ///   - name: the name of the user.
  ///   - factors: the credentials to remove as well.
  ///   - now: the current time.
  /// - Returns: whether the user exists.
  /// - Throws: ``UserError``, or the database's errors.
  public func setPassword(
    _ password: String, of name: String, removing factors: Set<Factor> = [], at now: Date
  ) async throws -> Bool {
    let kept = try Self.kept(password, of: name)
    return try await database.write { db in
      guard let user = try UserTable.user(named: name, db) else { return false }
      try UserTable.setPassword(kept, of: user.id, at: now, db)
      try Self.record("user password", user.name, at: now, db)
      try notice(.passwordChanged, user, at: now, db)
      for factor in Factor.allCases where factors.contains(factor) { _ = try remove(factor, of: user, at: now, db) }
      return true
    }
  }

  /// Removes a user with sessions and tokens. The devices then belong to the administrator.
  /// - Parameters:
  ///   - name: the name of the user.
  ///   - now: the current time.
  /// - Returns: whether the user existed.
  /// - Throws: the database's errors.
  public func remove(_ name: String, at now: Date) async throws -> Bool {
    try await database.write { db in
      guard let user = try UserTable.user(named: name, db) else { return false }
      try AccountRemoval.remove(user.id, db)
      try Self.record("user remove", user.name, at: now, db)
      return true
    }
  }

  /// The numbers of the users with a second factor.
  /// - Throws: the database's errors.
  public func usersWithSecondFactor() throws -> Set<Int64> { try database.read(SecondFactorTable.all) }

  /// Removes a user's second factor and recovery codes. After that, the password is sufficient.
  /// - Parameters:
  ///   - name: the name of the user.
  ///   - now: the current time.
  /// - Returns: whether the user had one; `nil`: the user does not exist.
  /// - Throws: the database's errors.
  public func removeSecondFactor(of name: String, at now: Date) async throws -> Bool? {
    try await database.write { db in
      guard let user = try UserTable.user(named: name, db) else { return nil }
      return try remove(.secondFactor, of: user, at: now, db)
    }
  }

  /// Returns the number of passkeys of each user, by the user's number.
  /// - Throws: the database's errors.
  public func passkeyCounts() throws -> [Int64: Int] { try database.read(PasskeyTable.counts) }

  /// Removes a credential, and adds an entry in the audit log and a notice.
  ///
  /// - Returns: whether the user had it.
  private func remove(_ factor: Factor, of user: User, at now: Date, _ db: any SQLConnection) throws -> Bool {
    switch factor {
    case .secondFactor:
      guard try SecondFactorTable.remove(of: user.id, db) else { return false }
      try Self.record("user remove-second-factor", user.name, at: now, db)
      try notice(.secondFactorRemoved, user, at: now, db)
    case .passkeys:
      guard try PasskeyTable.removeAll(of: user.id, db) > 0 else { return false }
      try Self.record("user remove-passkeys", user.name, at: now, db)
      try notice(.passkeyRemoved, user, at: now, db)
    case .openID:
      guard try OpenIDIdentityTable.removeAll(of: user.id, db) > 0 else { return false }
      try Self.record("user unlink-openid", user.name, at: now, db)
    }
    return true
  }

  private static func kept(_ password: String, of name: String) throws -> String {
    if let fault = Password.fault(password, user: name) { throw UserError.password(fault) }
    return try Password.hash(password)
  }

  /// Adds a notice. A running server finds its deliveries within half a minute.
  private func notice(_ kind: AccountEvent, _ user: User, at now: Date, _ db: any SQLConnection) throws {
    let notice = AccountNotice(
      kind: kind, account: user.id, user: user.name, actor: "the command line", address: "local")
    _ = try AccountNoticeTable.add(notice, to: outbox, at: now, db)
  }

  private static func record(_ action: String, _ subject: String, at now: Date, _ db: any SQLConnection) throws {
    try AuditTable.add(
      AuditEntry(actor: "the command line", action: action, subject: subject, address: "local"), at: now, db)
  }
}

/// The reason why a user cannot be created or changed.
public enum UserError: Error, Sendable, CustomStringConvertible {
  /// The name is in use.
  case taken(String)
  /// The password is rejected. The value is the reason.
  case password(String)

  public var description: String {
    switch self {
    case .taken(let name): "There is a user \"\(name)\" already. Choose another name."
    case .password(let fault): fault
    }
  }
}
