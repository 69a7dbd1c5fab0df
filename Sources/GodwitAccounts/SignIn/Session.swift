package import Foundation
internal import GodwitModel
package import GodwitSecrets
package import GodwitStore

/// A session of a signed-in browser.
package struct Session: Sendable {
  /// The cookie that carries its secret.
  package static let cookie = "godwit_session"

  package let id: Int64
  package let account: Int64
  package let created, used, expires: Date
  /// The time at which the password was last entered; `nil`: unknown.
  package let confirmed: Date?
  package let address, agent: String

  package var name: String { "ses_\(id)" }

  /// Returns the number in a session's name; `nil`: invalid.
  package static func number(of name: String) -> Int64? { RowNumber(name, after: "ses_")?.value }
}

/// Sessions in the database, found by a hash of their secrets.
package enum SessionTable {
  private static let columns = "id, account, created, last_used, expires, address, agent, confirmed"

  /// Starts a session that a password or another credential has just confirmed.
  package static func add(
    _ token: AccessToken, of account: Int64, address: String, agent: String, at now: Date, _ db: any SQLConnection
  ) throws {
    try add(token, of: account, address: address, agent: agent, confirmed: now, at: now, db)
  }

  /// Starts a session.
  /// - Parameter confirmed: the time at which the user presented a password or another credential; `nil`: unknown.
  package static func add(
    _ token: AccessToken, of account: Int64, address: String, agent: String, confirmed: Date?, at now: Date,
    _ db: any SQLConnection
  ) throws {
    // A sign-in writes anyway, so that ended sessions are deleted here.
    try removeEnded(at: now, db)
    try db.run(
      """
      INSERT INTO sessions (hash, account, created, last_used, expires, address, agent, confirmed)
      VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7)
      """,
      token.hash, account, now.millisecondsSince1970,
      now.addingTimeInterval(SessionLimits.maximumDays * DayLength.seconds).millisecondsSince1970, address,
      String(agent.prefix(200)), confirmed?.millisecondsSince1970)
  }

  /// Returns the session of a secret's hash; `nil` if it does not exist or has ended.
  package static func session(hash: [UInt8], at now: Date, _ db: any SQLConnection) throws -> Session? {
    try db.first(
      "SELECT \(columns) FROM sessions WHERE hash = ? AND expires > ? AND last_used > ?", hash, now.millisecondsSince1970,
      idleLimit(now), body: Session.init)
  }

  /// Returns the session of a cookie's secret.
  package static func session(_ secret: AccessToken, at now: Date, _ db: any SQLConnection) throws -> Session? {
    for hash in secret.hashes { if let session = try session(hash: hash, at: now, db) { return session } }
    return nil
  }

  package static func session(_ id: Int64, at now: Date, _ db: any SQLConnection) throws -> Session? {
    try db.first(
      "SELECT \(columns) FROM sessions WHERE id = ? AND expires > ? AND last_used > ?", id, now.millisecondsSince1970,
      idleLimit(now), body: Session.init)
  }

  package static func all(of account: Int64?, at now: Date, _ db: any SQLConnection) throws -> [Session] {
    try db.all(
      "SELECT \(columns) FROM sessions WHERE account = ?1 AND expires > ?2 AND last_used > ?3 ORDER BY last_used DESC, id DESC",
      account, now.millisecondsSince1970, idleLimit(now), body: Session.init)
  }

  /// Records a use. A clock that is behind does not make the session older, because it would end when the clock is right again.
  package static func recordUse(_ id: Int64, from address: String, at now: Date, _ db: any SQLConnection) throws {
    try db.run(
      "UPDATE sessions SET last_used = CASE WHEN last_used > ?1 THEN last_used ELSE ?1 END, address = ?2 WHERE id = ?3",
      now.millisecondsSince1970, address, id)
  }

  /// Records that the password was entered.
  package static func confirm(_ id: Int64, at now: Date, _ db: any SQLConnection) throws {
    try db.run("UPDATE sessions SET confirmed = ? WHERE id = ?", now.millisecondsSince1970, id)
  }

  package static func remove(_ id: Int64, of account: Int64, _ db: any SQLConnection) throws -> Bool {
    try db.run("DELETE FROM sessions WHERE id = ? AND account = ?", id, account) > 0
  }

  package static func removeOthers(than id: Int64, of account: Int64, _ db: any SQLConnection) throws -> Int {
    try db.run("DELETE FROM sessions WHERE id <> ? AND account = ?", id, account)
  }

  package static func removeEnded(at now: Date, _ db: any SQLConnection) throws {
    try db.run(
      "DELETE FROM sessions WHERE expires <= ? OR last_used <= ?", now.millisecondsSince1970, idleLimit(now))
  }

  private static func idleLimit(_ now: Date) -> Int64 {
    now.addingTimeInterval(-SessionLimits.idleDays * DayLength.seconds).millisecondsSince1970
  }
}

extension Session {
  fileprivate init(_ row: any SQLRow) throws {
    self.init(
      id: try row.integer("id"), account: try row.integer("account"), created: try row.time("created"),
      used: try row.time("last_used"), expires: try row.time("expires"), confirmed: try row.optionalTime("confirmed"),
      address: try row.text("address"), agent: try row.text("agent"))
  }
}
