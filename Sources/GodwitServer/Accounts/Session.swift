internal import Foundation
internal import GodwitModel
internal import GodwitStore

/// A browser that is signed in.
struct Session: Sendable {
  /// The cookie that carries its secret.
  static let cookie = "godwit_session"
  /// Days without use after which it ends.
  static let idleDays = 30.0
  /// Days after which it ends however it is used.
  static let longestDays = 180.0
  /// Seconds between two notes of its use.
  static let useNoted = 300.0

  let id: Int64
  let account: Int64
  let created, used, expires: Date
  /// When the password was entered last.
  let confirmed: Date?
  let address, agent: String

  var name: String { "ses_\(id)" }

  /// The number in a session's name.
  static func number(of name: String) -> Int64? { RowNumber(name, after: "ses_")?.value }
}

/// What a list shows of a session, of a user or of the owner.
protocol ListedSession {
  var name: String { get }
  var created: Date { get }
  var used: Date { get }
  /// The latest end, however it is used.
  var expires: Date { get }
  var address: String { get }
  var agent: String { get }
}

extension Session: ListedSession {}
extension OwnerSession: ListedSession {}

/// Sessions in the database: by a hash of their secrets.
enum SessionTable {
  private static let columns = "id, account, created, used, expires, address, agent, confirmed"

  /// Begins a session.
  static func add(
    _ token: AccessToken, of account: Int64, address: String, agent: String, at now: Date, _ connection: any SQLConnection
  ) throws {
    // Who signs in is there anyway: the time to throw away what has ended.
    try removeEnded(at: now, connection)
    try connection.run(
      """
      INSERT INTO sessions (hash, account, created, used, expires, address, agent, confirmed)
      VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?3)
      """,
      token.hash, account, now.millisecondsSince1970,
      now.addingTimeInterval(Session.longestDays * 86400).millisecondsSince1970, address, String(agent.prefix(200)))
  }

  /// The session of a secret and its user; `nil` when there is none or it has ended.
  static func session(hash: [UInt8], at now: Date, _ connection: any SQLConnection) throws -> Session? {
    try connection.first(
      "SELECT \(columns) FROM sessions WHERE hash = ? AND expires > ? AND used > ?", hash, now.millisecondsSince1970,
      idleLimit(now), body: session)
  }

  static func session(_ id: Int64, at now: Date, _ connection: any SQLConnection) throws -> Session? {
    try connection.first(
      "SELECT \(columns) FROM sessions WHERE id = ? AND expires > ? AND used > ?", id, now.millisecondsSince1970,
      idleLimit(now), body: session)
  }

  static func all(of account: Int64?, at now: Date, _ connection: any SQLConnection) throws -> [Session] {
    try connection.all(
      "SELECT \(columns) FROM sessions WHERE account = ?1 AND expires > ?2 AND used > ?3 ORDER BY used DESC, id DESC",
      account, now.millisecondsSince1970, idleLimit(now), body: session)
  }

  static func noteUse(_ id: Int64, from address: String, at now: Date, _ connection: any SQLConnection) throws {
    try connection.run(
      "UPDATE sessions SET used = ?, address = ? WHERE id = ?", now.millisecondsSince1970, address, id)
  }

  /// Notes that the password was entered.
  static func confirm(_ id: Int64, at now: Date, _ db: any SQLConnection) throws {
    try db.run("UPDATE sessions SET confirmed = ? WHERE id = ?", now.millisecondsSince1970, id)
  }

  static func remove(_ id: Int64, of account: Int64, _ connection: any SQLConnection) throws -> Bool {
    try connection.run("DELETE FROM sessions WHERE id = ? AND account = ?", id, account) > 0
  }

  static func removeOthers(than id: Int64, of account: Int64, _ connection: any SQLConnection) throws -> Int {
    try connection.run("DELETE FROM sessions WHERE id <> ? AND account = ?", id, account)
  }

  static func removeEnded(at now: Date, _ connection: any SQLConnection) throws {
    try connection.run(
      "DELETE FROM sessions WHERE expires <= ? OR used <= ?", now.millisecondsSince1970, idleLimit(now))
  }

  private static func idleLimit(_ now: Date) -> Int64 {
    now.addingTimeInterval(-Session.idleDays * 86400).millisecondsSince1970
  }

  private static func session(_ row: any SQLRow) -> Session {
    Session(
      id: row.integer(0), account: row.integer(1), created: Date(millisecondsSince1970: row.integer(2)),
      used: Date(millisecondsSince1970: row.integer(3)), expires: Date(millisecondsSince1970: row.integer(4)),
      confirmed: row.optionalInteger(7).map { Date(millisecondsSince1970: $0) },
      address: row.text(5), agent: row.text(6))
  }
}
