internal import GodwitPostgres
internal import GodwitSQLite

/// Brings a PostgreSQL database up to the newest schema. Which steps it has behind it is in `schema_migrations`, by name. Of
/// several servers that start at once one does it and the others wait.
package struct PostgresMigrations {
  let steps: [Migrations.Step]
  /// The name of the first step.
  package static let versionOne = "version 1"
  /// The name of the first step of development builds.
  package static let formerFirst = "devices, tokens and points"

  /// - Parameter session: a session with a long statement timeout.
  /// - Throws: ``PostgresMigrationError`` if a newer version has migrated the database.
  func apply(to session: PostgresSession) throws {
    // Each step commits with its name.
    var isDone = false
    while !isDone { isDone = try session.transaction { try step(session) } }
  }

  /// - Returns: whether no step was left.
  private func step(_ session: PostgresSession) throws -> Bool {
    try session.execute(PostgresLock.schema.statement)
    try session.execute(
      """
      CREATE TABLE IF NOT EXISTS schema_migrations (
        name TEXT COLLATE "C" PRIMARY KEY,
        applied TIMESTAMPTZ NOT NULL DEFAULT now()
      )
      """)
    let rows = try session.run("SELECT name FROM schema_migrations")
    var done: Set<String> = []
    while rows.next() { done.insert(try rows.text("name")) }
    if done.contains(Self.formerFirst) { throw PostgresFormerSchemaError(address: "\(session.address)") }
    let strange = done.subtracting(steps.map(\.name)).sorted()
    guard strange.isEmpty else { throw PostgresMigrationError(address: "\(session.address)", steps: strange) }
    guard let next = steps.first(where: { !done.contains($0.name) }) else { return true }
    try session.execute(next.sql)
    try session.run("INSERT INTO schema_migrations (name) VALUES (?)", [.text(next.name)])
    return false
  }
}

/// The database belongs to a newer version.
struct PostgresMigrationError: Error, Sendable, CustomStringConvertible {
  /// The database, without the password.
  let address: String
  /// The steps that this version does not know.
  let steps: [String]

  var description: String {
    """
    \(address) was written by a newer godwit (its schema has \(steps.map { "\"\($0)\"" }.joined(separator: ", ")); this \
    one does not support it). Update godwit, or use another database.
    """
  }
}

/// A database that a development build wrote, before version 1 of the schema.
struct PostgresFormerSchemaError: Error, Sendable, CustomStringConvertible {
  /// The database, without the password.
  let address: String

  var description: String {
    """
    \(address) has the schema of a development build, which this godwit does not open. Nothing was changed. Convert it into another, \
    empty database: godwit convert \(address) postgres://…
    """
  }
}
