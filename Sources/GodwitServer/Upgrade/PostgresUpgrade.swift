package import GodwitPostgres
internal import GodwitSQLite
internal import GodwitStore

/// The upgrade of a PostgreSQL database, and its rehearsal in one transaction that is rolled back.
package struct PostgresUpgrade {
  /// The result of a rehearsal.
  package struct Summary: Sendable, Hashable {
    /// The counts, which are the same before and after.
    package let counts: StoreCounts
    /// Duration of the steps in seconds.
    package let seconds: Double
  }

  private let session: PostgresSession
  private let migrations: PostgresMigrations
  /// The number of steps that this program has.
  package let newest: Int
  /// The names of the pending steps, in order; `nil`: the database has no tables of Godwit.
  package let steps: [String]?
  /// Bytes of the database.
  package let size: Int64

  /// Reads the schema of a database. Nothing is changed.
  /// - Throws: `PostgresError`, or an error if a newer version or a development build has migrated the database.
  package init(_ address: PostgresAddress) throws { try self.init(address, steps: ServerSchema.postgresSteps) }

  init(_ address: PostgresAddress, steps all: [Migrations.Step]) throws {
    session = try PostgresSession(
      address, limits: PostgresSession.Limits(statement: Self.maximumSeconds, idleTransaction: Self.maximumSeconds))
    // A step that waits for a lock blocks all later queries of the table.
    try session.execute("SET lock_timeout = '2s'")
    migrations = PostgresMigrations(steps: all)
    newest = all.count
    steps = try migrations.pending(session)?.map(\.name)
    size = try session.text("SELECT pg_database_size(current_database())::text").flatMap { Int64($0) } ?? 0
  }

  /// Maximum seconds of a statement.
  private static let maximumSeconds = 3600

  /// Runs all steps, compares the counts before and after, and rolls everything back. The steps lock tables until then. If other programs
  /// are connected, the rehearsal fails before the first step.
  /// - Parameter started: called with the name of each step before it.
  /// - Throws: ``UpgradeProblem`` or `PostgresError`.
  package func rehearse(started: (String) -> Void = { _ in }) throws -> Summary {
    var counts: [StoreCounts] = []
    var (begin, seconds) = (ContinuousClock.now, 0.0)
    var last: String?
    do {
      try migrations.rehearse(session) { step in
        last = step.name
        started(step.name)
      } body: { isAfter in
        if isAfter { seconds = (ContinuousClock.now - begin) / .seconds(1) } else { try checkUse(for: "rehearse the upgrade") }
        counts.append(try count())
        if !isAfter { begin = .now }
      }
    } catch is PostgresMigrationsRunning {
      throw UpgradeProblem("Another program upgrades \(session.address) now. Wait for its end.")
    } catch let error as PostgresError {
      throw UpgradeProblem(
        "The upgrade of \(session.address) would fail\(last.map { " at the step \"\($0)\"" } ?? ""): \(error). Everything was rolled "
          + "back. Stay with the older program, and report this fault.")
    }
    guard let before = counts.first, let after = counts.last, before == after else {
      throw UpgradeProblem(
        "The upgrade of \(session.address) would change what is stored: \(counts.map(\.description).joined(separator: " became ")). "
          + "Everything was rolled back. Stay with the older program, and report this fault.")
    }
    return Summary(counts: after, seconds: seconds)
  }

  /// Runs the steps, each in a transaction. After an interruption another run continues.
  /// - Parameter started: called with the name of each step before it.
  /// - Throws: ``UpgradeProblem`` or `PostgresError`.
  package func run(started: (String) -> Void = { _ in }) throws {
    try checkUse(for: "upgrade")
    try migrations.apply(to: session) { started($0.name) }
  }

  private func count() throws -> StoreCounts {
    let hasBlocks = try session.text("SELECT to_regclass('point_blocks')::text") != nil
    return try StoreCounts(PostgresConnection(session), hasBlocks: hasBlocks)
  }

  /// Fails if other programs are connected. Retries for a second, because PostgreSQL lists a session for a moment after its end.
  private func checkUse(for purpose: String) throws {
    var others = try otherPrograms()
    for _ in 0..<10 where others != nil {
      try session.execute("SELECT pg_stat_clear_snapshot(), pg_sleep(0.1)")
      others = try otherPrograms()
    }
    guard let others else { return }
    throw UpgradeProblem(
      "Programs are connected to \(session.address) (\(others)), and the steps lock tables that they need. Stop the servers, and "
        + "\(purpose) again; or rehearse on a copy: createdb copy, pg_dump \(session.address) | psql copy, and "
        + "`godwit upgrade --check --store postgres://…/copy`.")
  }

  /// The names of programs with a session in the database; `nil`: there are none. For sessions of other users, PostgreSQL shows only the
  /// user.
  private func otherPrograms() throws -> String? {
    try session.text(
      """
      SELECT string_agg(DISTINCT coalesce(nullif(application_name, ''), usename::text), ', ') FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename IS NOT NULL
        AND coalesce(backend_type, 'client backend') = 'client backend'
      """)
  }
}
