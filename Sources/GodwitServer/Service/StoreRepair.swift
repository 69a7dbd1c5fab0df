internal import Foundation
internal import GodwitHistory
package import GodwitSQLite
internal import GodwitStore
internal import GodwitTransfer

/// Repairs a damaged SQLite database with an intact snapshot of it.
///
/// All rows that can be read stay as they are. Rows of the snapshot take the place of those that cannot be read.
package struct StoreRepair {
  /// What a repair did.
  package struct Summary: Sendable, Hashable {
    /// The damaged file, under its new name.
    package let damaged: String
    /// Tables with rows that could not be read.
    package let tables: [TableSalvage.Result]
    /// Rows that could be read, of all tables.
    package let rows: Int64

    /// What could not be read, and what is in its place; a sentence each.
    package var losses: [String] {
      tables.flatMap { table in
        table.gaps.map { "\(table.table): \($0) could not be read" }
          + ["\(table.table): \(table.replacements) rows of the snapshot are in their place"]
      }
    }
  }

  /// A repair that is not possible.
  package struct Problem: Error, CustomStringConvertible {
    /// The reason, and what to do.
    package let description: String
  }

  private let folder: String
  private let snapshot: String

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
    try StoreRepair(folder: folder, snapshot: snapshot).run()
  }

  private func run() throws -> Summary {
    let files = FileManager.default
    for path in [database, snapshot] where !files.fileExists(atPath: path) {
      throw Problem(description: "\(path): there is no such file.")
    }
    try? files.removeItem(atPath: work)
    try files.createDirectory(atPath: work, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? files.removeItem(atPath: work) }
    try copySnapshot()
    let tables = try salvage()
    let damaged = try replace()
    return Summary(
      damaged: damaged, tables: tables.filter { !$0.gaps.isEmpty }, rows: tables.reduce(0) { $0 + $1.rows })
  }

  /// A copy of the snapshot with the newest schema.
  private func copySnapshot() throws {
    let found = try FileVerification.run(snapshot)
    guard found.damage.isEmpty else {
      throw Problem(description: "\(snapshot) is damaged itself: \(found.damage.joined(separator: "; ")). Use another snapshot.")
    }
    try Database(path: snapshot, access: .readOnly).run("VACUUM INTO ?", repaired)
    try StoreLocation.folder(work).open().close()
    try Database(path: repaired, access: .readOnly).run("VACUUM INTO ?", work + "/snapshot.sqlite")
  }

  private func salvage() throws -> [TableSalvage.Result] {
    // What can be read of a damaged log is used.
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
            "\(database) has another schema than \(snapshot) after its migration. Start this version of the server once, and repair again."
        )
      }
    }
    try target.execute("PRAGMA foreign_keys = OFF")
    let results = try target.transaction { try fill(target, from: source) }
    let problems = try target.problems(maximum: 5)
    guard problems.isEmpty else {
      throw Problem(description: "The repaired database is not intact: \(problems.joined(separator: "; ")).")
    }
    // One file, without a log.
    try target.execute("PRAGMA journal_mode = DELETE")
    return results
  }

  private func fill(_ target: Database, from source: Database) throws -> [TableSalvage.Result] {
    // Triggers would change what is copied.
    let triggers = try Self.names(target, "SELECT name AS value FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    let statements = try Self.names(target, "SELECT sql AS value FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    for trigger in triggers { try target.execute("DROP TRIGGER \"\(trigger)\"") }
    let tables = try Self.names(
      target,
      "SELECT name AS value FROM sqlite_schema WHERE type = 'table' AND (name NOT LIKE 'sqlite_%' OR name = 'sqlite_sequence')")
    var results: [TableSalvage.Result] = []
    // Blocks of points of the snapshot have other ends: its points are put in one by one.
    let blocks = BlockRepair(snapshot: work + "/snapshot.sqlite", connection: SQLiteConnection(target))
    try blocks.begin()
    for table in tables { results.append(try TableSalvage.run(table, from: source, to: target)) }
    for index in results.indices where results[index].table == BlockRepair.table {
      results[index].replacements = try blocks.fill(results[index].gapKeys)
    }
    if results.contains(where: { !$0.gaps.isEmpty }) { try Self.recompute(SQLiteConnection(target)) }
    for statement in statements { try target.execute(statement) }
    return results
  }

  private static func names(_ database: Database, _ sql: String) throws -> [String] {
    try SQLiteConnection(database).all(sql) { try $0.text("value") }
  }

  /// Counts and computed tables may be those of the snapshot.
  private static func recompute(_ db: SQLiteConnection) throws {
    for device in try db.all("SELECT id FROM devices", body: { try $0.integer("id") }) {
      try db.run(
        "UPDATE devices SET points = ? WHERE id = ?", PointLookup.count(ofDevice: device, .min..<Int64.max, db), device)
      try DirtyDays.recordAll(ofDevice: device, Int64.min..<Int64.max, db)
    }
  }

  /// Puts the repaired database in the place of the damaged one.
  /// - Returns: the new name of the damaged one.
  private func replace() throws -> String {
    let files = FileManager.default
    var damaged = database + ".damaged"
    var number = 1
    while files.fileExists(atPath: damaged) {
      number += 1
      damaged = database + ".damaged-\(number)"
    }
    // The damaged files have both names until the new one is in place: an interruption leaves one of the two.
    for suffix in ["", "-wal"] where files.fileExists(atPath: database + suffix) {
      try files.linkItem(atPath: database + suffix, toPath: damaged + suffix)
    }
    for suffix in ["-wal", "-shm"] { try? files.removeItem(atPath: database + suffix) }
    guard rename(repaired, database) == 0 else {
      throw Problem(description: "\(database) cannot be replaced: \(String(cString: strerror(errno))).")
    }
    return damaged
  }
}
