/// The history of a database's schema: a list that is only ever appended to. The number of steps that a file
/// has behind it is its `user_version`.
public struct Migrations: Sendable {
  /// One step, by a name that a person can search for.
  public struct Step: Sendable {
    public let name: String
    public let sql: String
    public init(_ name: String, _ sql: String) {
      self.name = name
      self.sql = sql
    }
  }

  public let steps: [Step]
  public init(_ steps: [Step]) { self.steps = steps }

  /// Brings the file up to the newest step, each step in one transaction with its number.
  /// - Throws: ``MigrationError`` when the file was made by a newer program.
  public func apply(to database: Database) throws {
    while true {
      let done = try database.transaction {
        let version = Int(try database.integer("PRAGMA user_version") ?? 0)
        guard version <= steps.count else {
          throw MigrationError(path: database.path, version: version, known: steps.count)
        }
        guard version < steps.count else { return true }
        try database.execute(steps[version].sql)
        try database.execute("PRAGMA user_version = \(version + 1)")
        return false
      }
      if done { return }
    }
  }
}

/// A database file of a newer program.
public struct MigrationError: Error, Sendable, CustomStringConvertible {
  public let path: String
  /// Steps that the file has behind it.
  public let version: Int
  /// Steps that this program knows.
  public let known: Int

  public var description: String {
    "\(path) was written by a newer godwit (schema \(version); this one knows up to \(known)). Update godwit, or name another file."
  }
}
