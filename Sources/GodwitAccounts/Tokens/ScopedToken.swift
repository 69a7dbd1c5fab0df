package import Foundation
internal import GodwitModel
internal import GodwitSQLite
package import GodwitStore

/// An access token with a scope.
package struct ScopedToken: Sendable, Hashable {
  package enum Scope: String, Sendable, Codable, CaseIterable {
    /// Sends data of a device; cannot read.
    case write
    /// Reads data of one device, or of all devices that the account may see.
    case read
    /// All permissions of the account.
    case admin
  }

  package let id: Int64
  /// The account; `nil`: the administrator.
  package let account: Int64?
  /// The name that its owner chose.
  package let label: String
  package let scope: Scope
  /// The device to which the token is limited; `nil`: none.
  package let device: Device?
  package let created: Date
  package var expires, revoked, used: Date?
  package var address: String?

  package var name: String { "tok_\(id)" }

  package func isGood(at now: Date) -> Bool { revoked == nil && expires.map { $0 > now } ?? true }

  /// Returns the number in a token's name; `nil`: invalid.
  package static func number(of name: String) -> Int64? { RowNumber(name, after: "tok_")?.value }

  /// Minimum seconds between two records of its use.
  package static let useRecordingInterval = 60.0
}

/// Tokens with a scope in the database, found by a hash of their secrets.
package enum ScopedTokenTable {
  private static let select = """
    SELECT access_tokens.id, access_tokens.account, access_tokens.name, scope, access_tokens.device, devices.name AS device_name,
      access_tokens.created, expires, revoked, last_used, address
    FROM access_tokens LEFT JOIN devices ON devices.id = access_tokens.device
    """

  /// The options of a new token.
  package struct Options: Sendable {
    package var account: Int64?
    package var label: String
    package var scope: ScopedToken.Scope
    package var device: Device?
    package var expires: Date?
    /// The token that creates it. If that is revoked, this is revoked, too.
    package var parent: Int64?

    package init(
      account: Int64? = nil, label: String, scope: ScopedToken.Scope, device: Device? = nil, expires: Date? = nil,
      parent: Int64? = nil
    ) {
      self.account = account
      self.label = label
      self.scope = scope
      self.device = device
      self.expires = expires
      self.parent = parent
    }
  }

  package static func add(
    _ options: Options, hash: [UInt8], at now: Date, _ db: any SQLConnection
  ) throws -> ScopedToken? {
    let id = try db.integer(
      """
      INSERT INTO access_tokens (hash, account, name, scope, device, created, expires, parent) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      RETURNING id
      """, hash, options.account, options.label, options.scope.rawValue, options.device?.id, now.millisecondsSince1970,
      options.expires?.millisecondsSince1970, options.parent)
    return try id.flatMap { try token($0, db) }
  }

  package static func token(_ id: Int64, _ db: any SQLConnection) throws -> ScopedToken? {
    try db.first("\(select) WHERE access_tokens.id = ?", id, body: ScopedToken.init)
  }

  /// Returns the valid token of a secret's hash.
  package static func token(hash: [UInt8], at now: Date, _ db: any SQLConnection) throws -> ScopedToken? {
    try db.first(
      "\(select) WHERE hash = ? AND revoked IS NULL AND (expires IS NULL OR expires > ?)", hash,
      now.millisecondsSince1970, body: ScopedToken.init)
  }

  /// Returns the tokens of an account (`nil`: the administrator), or all tokens, newest first.
  package static func all(of account: Int64?, everybodys: Bool, _ db: any SQLConnection) throws -> [ScopedToken] {
    if everybodys { return try db.all("\(select) ORDER BY access_tokens.id DESC", body: ScopedToken.init) }
    guard let account else {
      return try db.all("\(select) WHERE account IS NULL ORDER BY access_tokens.id DESC", body: ScopedToken.init)
    }
    return try db.all("\(select) WHERE account = ? ORDER BY access_tokens.id DESC", account, body: ScopedToken.init)
  }

  /// Revokes a token, and every token that was created with it, directly or indirectly.
  /// - Returns: whether it was not revoked before.
  package static func revoke(_ id: Int64, at now: Date, _ db: any SQLConnection) throws -> Bool {
    let time = now.millisecondsSince1970
    let isNew = try db.run("UPDATE access_tokens SET revoked = ? WHERE id = ? AND revoked IS NULL", time, id) > 0
    guard isNew else { return false }
    let made = """
      WITH RECURSIVE made (id) AS (
        SELECT CAST(? AS BIGINT) UNION SELECT access_tokens.id FROM access_tokens JOIN made ON access_tokens.parent = made.id)
      """
    let all = try db.all("\(made) SELECT id FROM made", id) { try $0.integer("id") }
    for token in all {
      try db.run("UPDATE access_tokens SET revoked = ? WHERE id = ? AND revoked IS NULL", time, token)
      try db.run("UPDATE device_tokens SET revoked = ? WHERE parent = ? AND revoked IS NULL", time, token)
    }
    return true
  }

  /// Revokes all access tokens of an account except one, and the device tokens that were created with them.
  /// - Returns: the number of revoked access tokens.
  package static func revokeAll(of account: Int64, sparing token: Int64?, at now: Date, _ db: any SQLConnection) throws
    -> Int
  {
    try db.run(
      """
      UPDATE device_tokens SET revoked = ? WHERE revoked IS NULL
        AND parent IN (SELECT id FROM access_tokens WHERE account = ? AND id <> ?)
      """, now.millisecondsSince1970, account, token ?? 0)
    return try db.run(
      "UPDATE access_tokens SET revoked = ? WHERE account = ? AND id <> ? AND revoked IS NULL", now.millisecondsSince1970,
      account, token ?? 0)
  }

  /// Records a use of a token.
  ///
  /// - Parameters:
  ///   - id: the number of the token.
  ///   - address: the client's address; `nil`: unchanged.
  ///   - now: the time of use.
  ///   - db: a connection in a transaction.
  package static func recordUse(_ id: Int64, from address: String?, at now: Date, _ db: any SQLConnection) throws {
    try db.run(
      "UPDATE access_tokens SET last_used = ?, address = coalesce(?, address) WHERE id = ?", now.millisecondsSince1970, address,
      id)
  }
}

extension ScopedToken {
  fileprivate init(_ row: any SQLRow) throws {
    self.init(
      id: try row.integer("id"), account: try row.optionalInteger("account"), label: try row.text("name"),
      // An unknown scope is treated as the scope that cannot read.
      scope: Scope(rawValue: try row.text("scope")) ?? .write,
      device: try row.optionalInteger("device").map { Device(id: $0, name: try row.text("device_name")) },
      created: try row.time("created"), expires: try row.optionalTime("expires"), revoked: try row.optionalTime("revoked"),
      used: try row.optionalTime("last_used"), address: try row.optionalText("address"))
  }
}
