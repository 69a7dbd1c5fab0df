public import Foundation
internal import GodwitModel
package import GodwitStore

/// An account with a name and a password.
public struct User: Sendable, Hashable {
  /// What a user may do.
  public enum Role: String, Sendable, Codable, CaseIterable {
    /// Everything, as the administrator token.
    case admin
    /// Sees and changes what is their own, and sees what friends show.
    case member
  }

  /// The store's own number.
  public let id: Int64
  /// As it was written; found without regard to capitals.
  public let name: String
  public let role: Role
  /// When it was made.
  public let created: Date

  public init(id: Int64, name: String, role: Role, created: Date) {
    self.id = id
    self.name = name
    self.role = role
    self.created = created
  }

  /// What a name is found by.
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

  /// - Parameters:
  ///   - name: valid as a device's.
  ///   - kept: of ``Password/kept(_:)``.
  /// - Returns: `nil` when the name is taken.
  package static func add(
    _ name: String, _ role: User.Role, password kept: String, at now: Date, _ db: any SQLConnection
  ) throws -> User? {
    try db.first(
      """
      INSERT INTO users (name, folded, role, password, created, changed) VALUES (?1, ?2, ?3, ?4, ?5, ?5)
      ON CONFLICT DO NOTHING RETURNING \(columns)
      """, name, User.folded(name), role.rawValue, kept, now.millisecondsSince1970, body: { try User($0) })
  }

  /// Sets a password and ends every session, but one.
  /// - Parameter kept: of ``Password/kept(_:)``.
  package static func setPassword(
    _ kept: String, of id: Int64, sparing session: Int64? = nil, at now: Date, _ db: any SQLConnection
  ) throws {
    try db.run(
      "UPDATE users SET password = ?, changed = ? WHERE id = ?", kept, now.millisecondsSince1970, id)
    try db.run("DELETE FROM sessions WHERE account = ? AND id <> ?", id, session ?? 0)
  }

  package static func setRole(_ role: User.Role, of id: Int64, _ db: any SQLConnection) throws {
    try db.run("UPDATE users SET role = ? WHERE id = ?", role.rawValue, id)
    // Which regions the devices get depends on it.
    try db.run("UPDATE region_status SET rules = rules + 1")
  }

  /// Removes a user with sessions and tokens; the devices become the administrator's. Events are removed by ``AccountRemoval``.
  package static func remove(_ id: Int64, _ db: any SQLConnection) throws {
    try db.run("DELETE FROM preferences WHERE account = ?", id)
    try db.run("DELETE FROM users WHERE id = ?", id)
    // The devices are the administrator's, and get the regions of those.
    try db.run("UPDATE region_status SET rules = rules + 1")
    try FilterVersion.increment(db)
  }

  /// Administrators besides this user.
  package static func otherAdministrators(than id: Int64, _ db: any SQLConnection) throws -> Int {
    Int(try db.integer("SELECT count(*) FROM users WHERE role = 'admin' AND id <> ?", id) ?? 0)
  }
}

extension User {
  /// - Parameters:
  ///   - row: with the columns `id`, `name`, `role` and `created` of `users`.
  ///   - prefix: before their names, where the statement has several users.
  init(_ row: any SQLRow, prefix: String = "") throws {
    // A role that this program does not know is the one that may least.
    self.init(
      id: try row.integer(prefix + "id"), name: try row.text(prefix + "name"),
      role: Role(rawValue: try row.text(prefix + "role")) ?? .member, created: try row.time(prefix + "created"))
  }
}
