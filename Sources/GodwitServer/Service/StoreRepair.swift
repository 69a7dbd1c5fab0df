internal import Foundation
internal import GodwitHistory
internal import GodwitModel
package import GodwitSQLite
internal import GodwitStore
package import GodwitTransfer

/// Repairs a damaged SQLite database with an intact snapshot of it, or with its mirror.
///
/// All readable rows stay as they are. Rows of the snapshot replace unreadable rows; a mirror restores only points and events.
package struct StoreRepair {
  /// The result of a repair.
  package struct Summary: Sendable, Hashable {
    /// The damaged file, under its new name.
    package let damaged: String
    /// Tables with unreadable rows.
    package let tables: [TableSalvage.Result]
    /// Number of readable rows in all tables.
    package let rows: Int64
    /// Records that came from the mirror; `nil`: a snapshot was used.
    package var restored: Int?
    /// The owner, group and mode that the new file should have and that this process may not give it; `nil`: it has them.
    package let missingOwnership: FileOwnership?

    /// The unreadable rows and their replacements, a sentence each.
    package var losses: [String] {
      let losses = tables.flatMap { table in
        table.gaps.map { "\(table.table): \($0) could not be read" } + [replacement(of: table)]
      }
      guard let restored else { return losses }
      return losses + ["\(restored.counted("record of the mirror is", "records of the mirror are")) in their place"]
    }

    private func replacement(of table: TableSalvage.Result) -> String {
      if restored == nil {
        let rows = table.replacements.counted("row of the snapshot is", "rows of the snapshot are")
        return "\(table.table): \(rows) in their place"
      }
      if StoreRepair.mirrored.contains(table.table) { return "\(table.table): the mirror has what was sent to it" }
      return BackupTable.leftOut[table.table].map { "\(table.table): not repaired (\($0))" }
        ?? "\(table.table): not repaired, because a mirror does not have it; a snapshot may"
    }
  }

  /// A repair that is not possible.
  package struct Problem: Error, CustomStringConvertible {
    /// The reason, and what to do.
    package let description: String
  }

  /// Tables whose rows a mirror has.
  private static let mirrored: Set<String> = ["points", "events", BlockRepair.table]
  /// Those of them whose rows the mirror sends as records.
  private static let rows: Set<String> = ["points", "events"]

  private let folder: String
  /// The path of the snapshot; `nil`: the mirror is used.
  private let snapshot: String?
  /// The owner, group and mode of the damaged file. The repair changes the mode when it opens the file.
  private let ownership: FileOwnership?

  private init(folder: String, snapshot: String?) {
    (self.folder, self.snapshot) = (folder, snapshot)
    ownership = FileOwnership(of: folder + "/godwit.sqlite")
  }

  private var database: String { folder + "/godwit.sqlite" }
  /// The folder of the new database until it is complete.
  private var work: String { folder + "/repair-unfinished" }
  private var repaired: String { work + "/godwit.sqlite" }

  /// Repairs the database of a data folder that no program uses.
  /// - Parameters:
  ///   - folder: the data folder.
  ///   - snapshot: the path of a snapshot, also of an older version.
  /// - Throws: ``Problem``, `SQLiteError`, or an error of the file system; then the database is as it was.
  package static func run(_ folder: String, from snapshot: String) throws -> Summary {
    let repair = StoreRepair(folder: folder, snapshot: snapshot)
    defer { repair.removeWork() }
    try repair.prepare()
    try repair.copySnapshot(snapshot)
    let tables = try repair.salvage(describing: snapshot)
    return summary(tables, try repair.replace())
  }

  /// Repairs the database of a data folder that no program uses, with the points and events that its mirror has.
  /// - Parameters:
  ///   - folder: the data folder.
  ///   - mirror: the mirror.
  ///   - progress: called with the number of records read from the mirror.
  /// - Throws: ``Problem``, `MirrorError`, `SQLiteError`, or an error of the file system; then the database is as it was.
  package static func run(
    _ folder: String, fromMirror mirror: MirrorClient, _ progress: @Sendable (Int) -> Void = { _ in }
  ) async throws -> Summary {
    let repair = StoreRepair(folder: folder, snapshot: nil)
    defer { repair.removeWork() }
    try repair.prepare()
    try StoreLocation.folder(repair.work).open().close()
    var tables = try repair.salvage(describing: "this version")
    _ = try await repair.restore(tables.filter { rows.contains($0.table) }, from: mirror, progress)
    // Salvages again with the keys that the mirror returned: rows between two damaged pages may be readable.
    let found = try repair.salvage(describing: "this version", only: rows)
    let blocks = try await repair.restore(tables.filter { $0.table == BlockRepair.table }, from: mirror, progress)
    tables = tables.filter { !rows.contains($0.table) } + found
    var summary = summary(tables, try repair.replace())
    summary.restored = Int(clamping: found.reduce(0) { $0 + $1.replacements }) + blocks
    return summary
  }

  /// Stores the mirror's records in the gaps of tables.
  /// - Returns: the number of stored records.
  private func restore(
    _ tables: [TableSalvage.Result], from mirror: MirrorClient, _ progress: @Sendable (Int) -> Void
  ) async throws -> Int {
    let store = try StoreLocation.folder(work).open()
    let count: Int
    do {
      try await store.write { try Self.reserveNumbers($0) }
      count = try await MirrorRepair(store, from: mirror).run(try Self.gaps(tables, in: store), progress)
      store.close()
    } catch {
      store.close()
      throw error
    }
    // One file, without a log.
    try Database(path: repaired).execute("PRAGMA journal_mode = DELETE")
    return count
  }

  /// Inserts rows that reserve ids: readable rows may refer to lost contexts and journals, so new ones must get higher ids.
  private static func reserveNumbers(_ db: any SQLConnection) throws {
    let lost = try db.integer("SELECT max(context) FROM points")
    if let lost, lost >= (try db.integer("SELECT max(id) FROM contexts") ?? 0) {
      try db.run("INSERT INTO contexts (id, device_id, retired) VALUES (?, 'lost', 1)", lost + 1)
    }
    let journal = try db.integer("SELECT max(journal) FROM contexts")
    if let journal, journal >= (try db.integer("SELECT max(id) FROM journals") ?? 0) {
      try db.run(
        "INSERT INTO journals (id, device, journal) SELECT ?, min(id), 0 FROM devices HAVING min(id) IS NOT NULL", journal + 1)
    }
  }

  private static func summary(_ tables: [TableSalvage.Result], _ replacement: Replacement) -> Summary {
    Summary(
      damaged: replacement.damaged, tables: tables.filter { !$0.gaps.isEmpty }, rows: tables.reduce(0) { $0 + $1.rows },
      missingOwnership: replacement.missingOwnership)
  }

  /// The times of devices in which records may be lost.
  private static func gaps(_ tables: [TableSalvage.Result], in store: any StoreDatabase) throws -> [MirrorRepair.Gap] {
    let devices = try store.devices().map(\.device.id).sorted()
    var gaps: [MirrorRepair.Gap] = []
    for table in tables {
      for keys in table.gapKeys {
        // The key of an event has the kind after the device, so the events of the whole device are restored.
        let parts = table.table == "events" ? 1 : 2
        let (after, before) = ((keys.after ?? []).prefix(parts), (keys.before ?? []).prefix(parts))
        for device in devices where device >= after.first ?? .min && device <= before.first ?? .max {
          // The keys of points and blocks have the time after the device.
          let (lower, upper) = (after.dropFirst().first, before.dropFirst().first)
          let first = device == after.first ? lower ?? .min : .min
          let end = device == before.first ? upper.map { $0 == .max ? .max : $0 + 1 } ?? .max : .max
          gaps.append(MirrorRepair.Gap(device: device, times: first..<max(first, end)))
        }
      }
    }
    return gaps
  }

  private func prepare() throws {
    let files = FileManager.default
    for path in [database, snapshot].compactMap(\.self) where !files.fileExists(atPath: path) {
      throw Problem(description: "\(path): there is no such file.")
    }
    removeWork()
    try files.createDirectory(atPath: work, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  private func removeWork() { try? FileManager.default.removeItem(atPath: work) }

  /// Creates a copy of the snapshot with the newest schema.
  private func copySnapshot(_ snapshot: String) throws {
    let found = try FileVerification.run(snapshot)
    guard found.damage.isEmpty else {
      throw Problem(description: "\(snapshot) is damaged itself: \(found.damage.joined(separator: "; ")). Use another snapshot.")
    }
    try Database(path: snapshot, access: .readOnly).copy(to: repaired)
    try StoreLocation.folder(work).open().close()
    try Database(path: repaired, access: .readOnly).copy(to: work + "/snapshot.sqlite")
  }

  /// Copies the readable rows of the damaged database into the new one.
  /// - Parameters:
  ///   - other: the name, in messages, of the database with the expected schema.
  ///   - tables: the tables; `nil`: all.
  private func salvage(describing other: String, only tables: Set<String>? = nil) throws -> [TableSalvage.Result] {
    // The readable part of a damaged log is used.
    let source = try Database(path: database, syncsAll: false)
    do { try source.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA busy_timeout = 1000; BEGIN IMMEDIATE") } catch {
      guard error.isBusy else { throw error }
      throw Problem(description: "\(database) is in use. Stop the server, and repair again.")
    }
    let target = try Database(path: repaired)
    for pragma in ["application_id", "user_version"] {
      guard try source.integer("PRAGMA \(pragma)") == target.integer("PRAGMA \(pragma)") else {
        throw Problem(
          description:
            "\(database) has another schema than \(other) after its migration. Start this version of the server once, and repair again."
        )
      }
    }
    try target.execute("PRAGMA foreign_keys = OFF")
    let results = try target.transaction { try fill(target, from: source, only: tables) }
    let problems = try target.problems(maximum: 5)
    guard problems.isEmpty else {
      throw Problem(description: "The repaired database is not intact: \(problems.joined(separator: "; ")).")
    }
    // One file, without a log.
    try target.execute("PRAGMA journal_mode = DELETE")
    return results
  }

  private func fill(
    _ target: Database, from source: Database, only wanted: Set<String>?
  ) throws -> [TableSalvage.Result] {
    // Triggers would change the copied rows.
    let triggers = try Self.names(target, "SELECT name AS value FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    let statements = try Self.names(target, "SELECT sql AS value FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    for trigger in triggers { try target.execute("DROP TRIGGER \"\(trigger)\"") }
    let tables = try Self.names(
      target,
      "SELECT name AS value FROM sqlite_schema WHERE type = 'table' AND (name NOT LIKE 'sqlite_%' OR name = 'sqlite_sequence')")
    var results: [TableSalvage.Result] = []
    // The snapshot's blocks have other boundaries, so its points are inserted individually.
    let blocks = snapshot.map { _ in BlockRepair(snapshot: work + "/snapshot.sqlite", connection: SQLiteConnection(target)) }
    try blocks?.begin()
    for table in tables where wanted?.contains(table) ?? true {
      results.append(try TableSalvage.run(table, from: source, to: target))
    }
    for index in results.indices where results[index].table == BlockRepair.table {
      try BlockRepair.removeDamaged(SQLiteConnection(target), from: &results[index])
      if let blocks { results[index].replacements = try blocks.fill(results[index].gapKeys) }
    }
    if results.contains(where: { !$0.gaps.isEmpty }) {
      let db = SQLiteConnection(target)
      try Self.nameDevices(db)
      try Self.recompute(db)
    }
    for statement in statements { try target.execute(statement) }
    return results
  }

  private static func names(_ database: Database, _ sql: String) throws -> [String] {
    try SQLiteConnection(database).all(sql) { try $0.text("value") }
  }

  /// Recreates lost devices with the names in `mirror_devices`.
  private static func nameDevices(_ db: SQLiteConnection) throws {
    try db.run(
      """
      INSERT INTO devices (id, name, created) SELECT device, name, 0 FROM mirror_devices
      WHERE device NOT IN (SELECT id FROM devices) AND name NOT IN (SELECT name FROM devices)
        AND device IN (SELECT device FROM points UNION SELECT device FROM events UNION SELECT device FROM point_blocks)
      """)
  }

  /// Recounts points and marks all days as dirty, because counts and computed tables may be those of the snapshot.
  private static func recompute(_ db: SQLiteConnection) throws {
    for device in try db.all("SELECT id FROM devices", body: { try $0.integer("id") }) {
      try db.run(
        "UPDATE devices SET points = ? WHERE id = ?", PointLookup.count(ofDevice: device, .min..<Int64.max, db), device)
      // The mirror deletes nothing: it may have the only copy of lost records.
      try DirtyDays.recordAll(ofDevice: device, Int64.min..<Int64.max, removal: .none, db)
    }
  }

  /// The result of replacing the damaged database.
  private struct Replacement {
    /// The new name of the damaged database.
    let damaged: String
    /// As in ``Summary``.
    let missingOwnership: FileOwnership?
  }

  /// Replaces the damaged database with the repaired one, which gets its owner, group and mode.
  private func replace() throws -> Replacement {
    let files = FileManager.default
    var damaged = database + ".damaged"
    var number = 1
    while files.fileExists(atPath: damaged) {
      number += 1
      damaged = database + ".damaged-\(number)"
    }
    // The damaged files have both names until the new file is in place, so that an interruption leaves at least one of them.
    for suffix in ["", "-wal"] where files.fileExists(atPath: database + suffix) {
      try files.linkItem(atPath: database + suffix, toPath: damaged + suffix)
    }
    for suffix in ["-wal", "-shm"] { try? files.removeItem(atPath: database + suffix) }
    // Before the file gets its name: the server must be able to open it at once.
    let hasOwnership = ownership?.apply(to: repaired) ?? true
    guard rename(repaired, database) == 0 else {
      throw Problem(description: "\(database) cannot be replaced: \(String(cString: strerror(errno))).")
    }
    return Replacement(damaged: damaged, missingOwnership: hasOwnership ? nil : ownership)
  }
}
