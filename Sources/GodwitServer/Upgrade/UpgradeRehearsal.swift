internal import Foundation
internal import GodwitSQLite
internal import GodwitStore
internal import GodwitTransfer

/// A rehearsal of the upgrade of a SQLite database: all steps on a copy, which is checked and removed. The database itself does not
/// change, and a server may use it meanwhile.
package struct UpgradeRehearsal: Sendable {
  /// The phases of a rehearsal, in order.
  package enum Phase: Sendable, Hashable {
    case checking, copying
    /// A step, with its name.
    case step(String)
    case verifying
  }

  /// The result of a rehearsal.
  package struct Summary: Sendable, Hashable {
    /// The counts, which are the same before and after.
    package let counts: StoreCounts
    /// The steps and their durations, in order.
    package let steps: [Step]
    /// Duration of the rehearsal in seconds: the check of the database, the copy, its check and the steps.
    package let seconds: Double
  }

  /// A step that was rehearsed.
  package struct Step: Sendable, Hashable {
    package let name: String
    package let seconds: Double
  }

  private let plan: UpgradePlan
  private let migrations: Migrations
  /// The folder of the copy. Only the rehearsal uses it.
  package let work: String
  private let scratch: String
  private let free: @Sendable (String) -> Int64?

  /// - Parameters:
  ///   - plan: the plan of the upgrade.
  ///   - scratch: the folder in which the folder of the copy is created; `nil`: the data folder.
  package init(of plan: UpgradePlan, scratch: String? = nil) {
    self.init(of: plan, scratch: scratch, migrations: ServerSchema.migrations)
  }

  init(
    of plan: UpgradePlan, scratch: String? = nil, migrations: Migrations,
    free: @escaping @Sendable (String) -> Int64? = DiskSpace.free
  ) {
    (self.plan, self.migrations, self.free) = (plan, migrations, free)
    self.scratch = scratch ?? plan.folder
    work = self.scratch + "/rehearsal-unfinished"
  }

  /// Bytes of free space for the copy; `nil` if unknown.
  package var freeSpace: Int64? { free(scratch) }

  /// Copies the database, migrates and checks the copy, and removes it.
  /// - Parameter progress: called at the beginning of each phase.
  /// - Throws: ``UpgradeProblem``, `SQLiteError`, or an error of the file system.
  package func run(_ progress: (Phase) -> Void = { _ in }) throws -> Summary {
    try checkSpace()
    let claim = try claim()
    defer { close(claim) }
    defer { removeCopy() }
    let begin = ContinuousClock.now
    progress(.checking)
    try checkSource()
    progress(.copying)
    try copy()
    let (counts, steps) = try migrate(progress)
    progress(.verifying)
    let found = try FileVerification.run(copyPath)
    guard found.damage.isEmpty else {
      throw UpgradeProblem(
        "The upgraded copy of \(plan.database) is damaged: \(found.damage.joined(separator: "; ")). The database is as it was. Stay "
          + "with the older program, and report this fault.")
    }
    return Summary(counts: counts, steps: steps, seconds: (.now - begin) / .seconds(1))
  }

  /// Creates and locks the folder of the copy. The system releases the lock when the process ends, also after a crash.
  /// - Returns: the descriptor that holds the lock on the folder.
  private func claim() throws -> Int32 {
    let files = FileManager.default
    if files.fileExists(atPath: work) {
      let other = open(work, O_RDONLY | O_CLOEXEC)
      let isFree = other < 0 || flock(other, LOCK_EX | LOCK_NB) == 0
      if other >= 0 { close(other) }
      guard isFree else { throw UpgradeProblem("Another rehearsal runs in \(work). Wait for its end.") }
      removeCopy()
    }
    do {
      try files.createDirectory(atPath: work, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw UpgradeProblem("\(work) cannot be created: \(error.localizedDescription). Name another folder with --scratch.")
    }
    let descriptor = open(work, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw UpgradeProblem("\(work) cannot be opened: \(String(cString: strerror(errno))). Name another folder with --scratch.")
    }
    // On a file system without locks, the folder is not locked.
    _ = flock(descriptor, LOCK_EX | LOCK_NB)
    return descriptor
  }

  /// Removes the copy, also that of an interrupted rehearsal. Retries, because other threads may still write files.
  package func removeCopy() {
    for _ in 0..<3 where FileManager.default.fileExists(atPath: work) { try? FileManager.default.removeItem(atPath: work) }
  }

  private var copyPath: String { work + "/godwit.sqlite" }

  private func checkSpace() throws {
    guard let free = freeSpace else {
      throw UpgradeProblem("\(scratch) is not a folder that can be read. Name another one with --scratch.")
    }
    guard free >= plan.neededSpace else {
      throw UpgradeProblem(
        "The rehearsal of \(plan.database) needs \(plan.neededSpace.megabytes) in \(scratch), where "
          + "\(free.megabytes) are free. Free \((plan.neededSpace - free).megabytes), or name a folder on another disk with "
          + "--scratch.")
    }
  }

  /// Checks the original database: its copy gets new indexes, so damage of the old ones would not be found there.
  private func checkSource() throws {
    let found = try FileVerification.run(plan.database)
    guard found.damage.isEmpty else {
      throw UpgradeProblem(
        "\(plan.database) is damaged: \(found.damage.joined(separator: "; ")). Repair it with the older program before the upgrade: "
          + "`godwit verify --repair-from SNAPSHOT` does, or restore a backup.")
    }
  }

  /// Copies with a read-only connection, which does not add page checksums. The step that adds them is rehearsed as well.
  private func copy() throws { try Database(path: plan.database, access: .readOnly).copy(to: copyPath) }

  private func migrate(_ progress: (Phase) -> Void) throws -> (StoreCounts, [Step]) {
    let database = try Database(path: copyPath)
    try database.execute("PRAGMA cache_size = -\(SQLiteTrackStore.pageCache); PRAGMA secure_delete = ON")
    let connection = SQLiteConnection(database)
    func counts() throws -> StoreCounts {
      let hasBlocks = try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'point_blocks'") != nil
      return try StoreCounts(connection, hasBlocks: hasBlocks)
    }
    let before = try counts()
    var begun: [(name: String, start: ContinuousClock.Instant)] = []
    do {
      try migrations.apply(to: database) { step in
        begun.append((step.name, .now))
        progress(.step(step.name))
      }
    } catch {
      throw UpgradeProblem(
        "The upgrade of \(plan.database) would fail\(begun.last.map { " at the step \"\($0.name)\"" } ?? ""): \(error). The database is "
          + "as it was. Stay with the older program, and report this fault.")
    }
    let after = try counts()
    guard after == before else {
      throw UpgradeProblem(
        "The upgrade of \(plan.database) would change what is stored: it has \(before), and the upgraded copy has \(after). The database "
          + "is as it was. Stay with the older program, and report this fault.")
    }
    let ends = begun.dropFirst().map(\.start) + [.now]
    let steps = zip(begun, ends).map { Step(name: $0.name, seconds: ($1 - $0.start) / .seconds(1)) }
    return (after, steps)
  }
}
