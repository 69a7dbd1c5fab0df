package import GodwitPostgres
package import GodwitSQLite

/// Migrates a PostgreSQL database to the newest schema. The table `schema_migrations` has the names of the completed steps. If
/// several servers start at the same time, one of them migrates and the others wait.
package struct PostgresMigrations {
  let steps: [Migrations.Step]
  /// The name of the first step.
  package static let versionOne = "version 1"
  /// The name of the first step of development builds.
  package static let formerFirst = "devices, tokens and points"

  package init(steps: [Migrations.Step]) { self.steps = steps }

  /// - Parameters:
  ///   - session: a session with a long statement timeout.
  ///   - started: called before each step, in its transaction.
  /// - Throws: an error if a newer version or a development build has migrated the database.
  package func apply(to session: PostgresSession, started: (Migrations.Step) -> Void = { _ in }) throws {
    // Each step commits with its name.
    var isDone = false
    while !isDone { isDone = try session.transaction { try step(session, started) } }
  }

  /// Returns the remaining steps, in order. Changes nothing.
  /// - Returns: `nil` if the database has no tables of the server.
  /// - Throws: the same errors as ``apply(to:started:)``.
  package func pending(_ session: PostgresSession) throws -> [Migrations.Step]? {
    guard try session.text("SELECT to_regclass('schema_migrations')::text") != nil else { return nil }
    return try remaining(session)
  }

  /// Runs all steps in one transaction that is rolled back.
  /// - Parameters:
  ///   - session: a session with a long statement timeout. Its `lock_timeout` bounds how long a step waits.
  ///   - started: called before each step.
  ///   - body: called in the transaction, before the steps with `false` and after them with `true`.
  /// - Throws: what a step or `body` throws; ``PostgresMigrationsRunning`` if another program migrates the database.
  package func rehearse(
    _ session: PostgresSession, started: (Migrations.Step) -> Void, body: (_ isAfter: Bool) throws -> Void
  ) throws {
    do {
      try session.transaction(attempts: 1) {
        guard try session.text("SELECT pg_try_advisory_xact_lock(\(PostgresLock.schema.rawValue))::text") == "true" else {
          throw PostgresMigrationsRunning()
        }
        try body(false)
        for step in try remaining(session) {
          started(step)
          try perform(step, session)
        }
        try body(true)
        throw RollBack()
      }
    } catch is RollBack {}
  }

  /// Ends a transaction that must not be committed.
  private struct RollBack: Error {}

  /// Performs the next step. - Returns: whether no step remained.
  private func step(_ session: PostgresSession, _ started: (Migrations.Step) -> Void) throws -> Bool {
    try session.execute(PostgresLock.schema.statement)
    try session.execute(
      """
      CREATE TABLE IF NOT EXISTS schema_migrations (
        name TEXT COLLATE "C" PRIMARY KEY,
        applied TIMESTAMPTZ NOT NULL DEFAULT now()
      )
      """)
    guard let next = try remaining(session).first else { return true }
    started(next)
    try perform(next, session)
    return false
  }

  private func perform(_ step: Migrations.Step, _ session: PostgresSession) throws {
    try session.execute(step.sql)
    try session.run("INSERT INTO schema_migrations (name) VALUES (?)", [.text(step.name)])
  }

  private func remaining(_ session: PostgresSession) throws -> [Migrations.Step] {
    let rows = try session.run("SELECT name FROM schema_migrations")
    var done: Set<String> = []
    while rows.next() { done.insert(try rows.text("name")) }
    if done.contains(Self.formerFirst) { throw PostgresFormerSchemaError(address: "\(session.address)") }
    let strange = done.subtracting(steps.map(\.name)).sorted()
    guard strange.isEmpty else { throw PostgresMigrationError(address: "\(session.address)", steps: strange) }
    return steps.filter { !done.contains($0.name) }
  }
}

/// Another program migrates the database.
package struct PostgresMigrationsRunning: Error, Sendable {}

/// The database was migrated by a newer version.
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
