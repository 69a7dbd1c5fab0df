package import Foundation
internal import GodwitSQLite
internal import GodwitStore
internal import GodwitTransfer

/// The upgrade of the SQLite database of a data folder that no program uses.
package struct StoreUpgrade: Sendable {
  /// The result of an upgrade.
  package struct Summary: Sendable, Hashable {
    /// The names of the steps.
    package let steps: [String]
    /// The copy from before the upgrade; `nil`: none was made.
    package let copy: String?
    /// Whether each page has a checksum; `false` if there was no space to add them.
    package let hasChecksums: Bool
  }

  private let plan: UpgradePlan
  private let migrations: Migrations
  private let requiresCopy: Bool
  private let free: @Sendable (String) -> Int64?

  /// - Parameters:
  ///   - plan: the plan of the upgrade.
  ///   - requiresCopy: whether the upgrade fails without space for a copy.
  package init(of plan: UpgradePlan, requiresCopy: Bool) {
    self.init(of: plan, requiresCopy: requiresCopy, migrations: ServerSchema.migrations)
  }

  init(
    of plan: UpgradePlan, requiresCopy: Bool, migrations: Migrations,
    free: @escaping @Sendable (String) -> Int64? = DiskSpace.free
  ) {
    (self.plan, self.requiresCopy, self.migrations, self.free) = (plan, requiresCopy, migrations, free)
  }

  /// Copies the database as the first start of a newer server does, and migrates it. After an interruption, another run continues.
  /// - Parameters:
  ///   - now: the time.
  ///   - started: called with the name of each step before it.
  /// - Throws: ``UpgradeProblem``, `SQLiteError`, or an error of the file system.
  package func run(at now: Date, started: (String) -> Void = { _ in }) throws -> Summary {
    try checkUse()
    let copy = try MigrationCopy.create(of: plan.folder, before: migrations, at: now, free: free)
    // Adding only checksums needs no copy.
    guard copy != nil || !requiresCopy || plan.version == plan.newest else {
      throw UpgradeProblem(
        "A copy of \(plan.database) and its upgrade need \(plan.neededSpace.megabytes), and \((free(plan.folder) ?? 0).megabytes) are "
          + "free. Free some space, or write a copy to another disk with `godwit snapshot FILE` of the older program and give --no-copy."
      )
    }
    let database = try exclusive()
    try database.execute("PRAGMA cache_size = -\(SQLiteTrackStore.pageCache); PRAGMA secure_delete = ON")
    var steps: [String] = []
    try migrations.apply(to: database) { step in
      steps.append(step.name)
      started(step.name)
    }
    MigrationCopy.finish(in: plan.folder)
    return Summary(steps: steps, copy: copy, hasChecksums: database.hasChecksums)
  }

  /// Fails if another program uses the database. An older server would not detect the new schema, and could write pages without checksums.
  private func checkUse() throws { _ = try exclusive() }

  /// Opens a connection that prevents all other use of the database.
  private func exclusive() throws -> Database {
    let database = try Database(path: plan.database)
    do { try database.execute("PRAGMA busy_timeout = 1000; PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT") } catch {
      guard error.isBusy else { throw error }
      throw UpgradeProblem("\(plan.database) is in use. Stop the server and other godwit commands, and upgrade again.")
    }
    return database
  }
}
