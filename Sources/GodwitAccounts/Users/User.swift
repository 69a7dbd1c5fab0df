public import Foundation
internal import GodwitModel
package import GodwitStore

/// An account with a name and a password.
public struct User: Sendable, Hashable {
  /// The role of a user.
  public enum Role: String, Sendable, Codable, CaseIterable {
    /// All permissions, as with the administrator token.
    case admin
    /// Reads and changes own data, and reads what friends share.
    case member
  }

  /// The number in the store.
  public let id: Int64
  /// The name as entered. Look-ups are case-insensitive.
  public let name: String
  public let role: Role
  /// The time of creation.
  public let created: Date

  public init(id: Int64, name: String, role: Role, created: Date) {
    self.id = id
    self.name = name
    self.role = role
    self.created = created
  }

  /// Returns the form of a name that is used in look-ups.
  package static func folded(_ name: String) -> String { name.lowercased() }
}

/// Users in the database.
package enum UserTable {
  private static let columns = "id, name, role, created"

  package static func all(_ db: any SQLConnection) throws -> [User] {
    try db.all("SELECT \(columns) FROM users ORDER BY folded", body: { try User($0) })
  }

  package static func user(_ id: Int64, _ db: any SQLConnection) throws -> User? {
    try db.first("SELECT \(columns) FROM users WHERE id = ?", id, body: { try User($0) })
  }

  package static func user(named name: String, _ db: any SQLConnection) throws -> User? {
    try db.first("SELECT \(columns) FROM users WHERE folded = ?", User.folded(name), body: { try User($0) })
  }

  package static func password(of id: Int64, _ db: any SQLConnection) throws -> String? {
    try db.text("SELECT password FROM users WHERE id = ?", id)
  }

  package static func isEmpty(_ db: any SQLConnection) throws -> Bool {
    try db.integer("SELECT id FROM users LIMIT 1") == nil
  }

  /// Adds a user.
  ///
  /// - Parameters:
  ///   - name: the name, which follows the rules of device names.
  ///   - kept: of ``Password/hash(_:)``.
  /// - Returns: `nil` if the name is in use.
  package static func add(
    _ name: String, _ role: User.Role, password kept: String, at now: Date, _ db: any SQLConnection
  ) throws -> User? {
    try db.first(
      """
      INSERT INTO users (name, folded, role, password, created, changed) VALUES (?1, ?2, ?3, ?4, ?5, ?5)
      ON CONFLICT DO NOTHING RETURNING \(columns)
      """, name, User.folded(name), role.rawValue, kept, now.millisecondsSince1970, body: { try User($0) })
  }

  /// Sets a password, and ends all sessions except one.
  /// - Parameter kept: the hash from ``Password/hash(_:)``.
  package static func setPassword(
    _ kept: String, of id: Int64, sparing session: Int64? = nil, at now: Date, _ db: any SQLConnection
  ) throws {
    try db.run(
      "UPDATE users SET password = ?, changed = ? WHERE id = ?", kept, now.millisecondsSince1970, id)
    try db.run("DELETE FROM sessions WHERE account = ? AND id <> ?", id, session ?? 0)
  }

  package static func setRole(_ role: User.Role, of id: Int64, _ db: any SQLConnection) throws {
    try db.run("UPDATE users SET role = ? WHERE id = ?", role.rawValue, id)
    // The regions of the devices depend on the role.
    try db.run("UPDATE region_status SET rules = rules + 1")
  }

  /// Removes a user with sessions and tokens. The devices then belong to the administrator. Events are removed by
  /// ``AccountRemoval``.
  package static func remove(_ id: Int64, _ db: any SQLConnection) throws {
    try db.run("DELETE FROM preferences WHERE account = ?", id)
    try db.run("DELETE FROM users WHERE id = ?", id)
    // The devices now belong to the administrator, which changes their regions.
    try db.run("UPDATE region_status SET rules = rules + 1")
    try FilterVersion.increment(db)
  }

  /// Returns the number of administrators besides this user.
  package static func otherAdministrators(than id: Int64, _ db: any SQLConnection) throws -> Int {
    Int(try db.integer("SELECT count(*) FROM users WHERE role = 'admin' AND id <> ?", id) ?? 0)
  }
}

extension User {
  /// - Parameters:
  ///   - row: a row with the columns `id`, `name`, `role` and `created` of `users`.
  ///   - prefix: the prefix of the column names, if the statement has several users.
  init(_ row: any SQLRow, prefix: String = "") throws {
    // An unknown role is treated as the role with the fewest permissions.
    self.init(
      id: try row.integer(prefix + "id"), name: try row.text(prefix + "name"),
      role: Role(rawValue: try row.text(prefix + "role")) ?? .member, created: try row.time(prefix + "created"))
  }
}
