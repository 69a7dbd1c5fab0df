internal import Foundation
internal import GodwitHistory
internal import GodwitModel
package import GodwitStore

/// Restores a backup into an empty store, completely or not at all.
package struct Restore {
  private let store: any StoreDatabase
  private let name: String

  /// - Parameters:
  ///   - store: the store into which the backup is restored.
  ///   - name: the name of the store, for errors.
  package init(into store: any StoreDatabase, named name: String) {
    self.store = store
    self.name = name
  }

  /// The reason why a backup cannot be restored.
  package struct InvalidBackup: Error, CustomStringConvertible {
    package let description: String
  }

  /// Reads an archive, and stores its rows in one transaction.
  /// - Parameters:
  ///   - path: the path of the archive.
  ///   - passphrase: the passphrase of an encrypted archive; `nil`: the archive must not be encrypted.
  ///   - folder: the data folder, which gets the administrator token unless it has one; `nil`: there is none.
  ///   - progress: called with the number of stored rows.
  /// - Throws: an error with the fault of the archive or the store, and what to do. In this case nothing was stored.
  /// - Returns: the content of the archive.
  package func read(
    _ path: String, passphrase: Passphrase? = nil, folder: String?, progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> Backup.Summary {
    let name = name
    let (summary, files) = try await store.write { db in
      try Self.checkEmpty(db, name)
      return try Self.load(path, passphrase, db, progress)
    }
    guard let folder else { return summary }
    for (name, bytes) in files where !FileManager.default.fileExists(atPath: folder + "/" + name) {
      let isKept = FileManager.default.createFile(
        atPath: folder + "/" + name, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
      guard isKept else { throw InvalidBackup(description: "\(folder)/\(name) cannot be written; the store itself is restored.") }
    }
    return summary
  }

  static func checkEmpty(_ db: any SQLConnection, _ name: String) throws {
    for table in BackupTable.all where !table.isSeeded {
      guard try db.integer("SELECT 1 FROM \(table.name) LIMIT 1") != nil else { continue }
      let count = try db.integer("SELECT count(*) FROM \(table.name)") ?? 0
      throw InvalidBackup(
        description: """
          The store \(name) is not empty: it has \(count.counted("row")) of \(table.name). A backup can be restored only into a new store: name \
          another folder with --data, or another database with --store.
          """)
    }
  }

  private static func load(
    _ path: String, _ passphrase: Passphrase?, _ db: any SQLConnection, _ progress: (Int) -> Void
  ) throws -> (Backup.Summary, [(String, [UInt8])]) {
    var order = TableOrder()
    do { return try load(path, passphrase, db, &order, progress) } catch {
      // A possible reason is that rows were stored before those to which they refer.
      guard !(error is InvalidBackup), !(error is TarError), !(error is EncryptionError) else { throw error }
      if let problem = order.problem(after: error) { throw repacked(path, problem) }
      // The rows of a store do not conflict, so that the archive must be damaged.
      guard "\(error)".contains("constraint") else { throw error }
      throw InvalidBackup(
        description: "\(path): a row conflicts with another one, so that the archive is damaged; nothing was stored. "
          + "`godwit verify \(path)` names the damage. Restore another backup. (\(error))")
    }
  }

  /// Returns the error for an archive that another program repacked in another order.
  private static func repacked(_ path: String, _ problem: String) -> InvalidBackup {
    InvalidBackup(
      description: "\(path): \(problem): the archive was repacked, in an order that godwit does not write. "
        + "Use the archive that `godwit backup` wrote; nothing was stored.")
  }

  /// Tracks the order of tables in an archive. In the order of ``BackupTable/all``, a row follows those to which it refers.
  /// Archives of other versions may have another valid order, so that the order is used only to explain an error.
  private struct TableOrder {
    private var last = -1
    /// A sentence without its full stop about the first table out of order; `nil`: none.
    private var late: String?

    /// Returns the fault of the order that explains an error; `nil`: none.
    func problem(after error: any Error) -> String? {
      if let late { return late }
      // SQLite and PostgreSQL use the same words for this constraint.
      guard last >= 0, "\(error)".lowercased().contains("foreign key constraint") else { return nil }
      return "its table \(BackupTable.all[last].name) comes before a table that it refers to"
    }

    mutating func record(_ name: String) {
      guard late == nil, let index = BackupTable.all.firstIndex(where: { $0.name == name }) else { return }
      if index < last { late = "its table \(name) comes after \(BackupTable.all[last].name)" }
      last = max(last, index)
    }
  }

  /// Reads the manifest, which is the first file of a backup.
  /// - Returns: the manifest and its file.
  /// - Throws: ``InvalidBackup`` if the archive is not a backup, or has a newer version.
  static func manifest(_ tar: TarReader, _ path: String) throws -> (
    manifest: Backup.Manifest, file: (name: String, bytes: [UInt8])
  ) {
    let first = try tar.next()
    if let first, first.name != "manifest.json",
      first.name == Backup.sums || first.name == "rows.json" || first.name.contains("/")
    {
      while let file = try tar.next() {
        if file.name == "manifest.json" { throw repacked(path, "it begins with \(first.name)") }
      }
    }
    guard let first, first.name == "manifest.json",
      let manifest = try? JSONDecoder().decode(Backup.Manifest.self, from: Data(first.bytes)), manifest.format == Backup.format
    else { throw InvalidBackup(description: "\(path): it is an archive, but not a backup of godwit.") }
    guard manifest.version <= Backup.version else {
      throw InvalidBackup(
        description:
          "\(path): it was written by godwit \(manifest.godwit), which is newer than this one. Update godwit and try again.")
    }
    return (manifest, first)
  }

  private static func load(
    _ path: String, _ passphrase: Passphrase?, _ db: any SQLConnection, _ order: inout TableOrder, _ progress: (Int) -> Void
  ) throws -> (Backup.Summary, [(String, [UInt8])]) {
    let tar = try TarReader(path, passphrase: passphrase)
    func refuse(_ reason: String) -> InvalidBackup { InvalidBackup(description: "\(path): \(reason)") }
    let (manifest, first) = try manifest(tar, path)
    let isFormer = manifest.version == Backup.formerVersion
    let plans = try Self.plans(manifest, path, isFormer)
    var sums = [first.name: SHA256Sum.text(of: first.bytes)]
    var (summary, files, reported): (Backup.Summary, [(String, [UInt8])], [String: Int]?) = (Backup.Summary(), [], nil)
    let points = PointRestorer(db)
    var (isComplete, total) = (false, 0)
    for table in BackupTable.all where table.isSeeded { try db.run("DELETE FROM \(table.name)") }
    while let file = try tar.next() {
      if file.name == Backup.sums {
        // A file after the checksums would have no checksum.
        if let next = try tar.next() { throw repacked(path, "\(next.name) in it comes after \(Backup.sums)") }
        isComplete = try Self.check(file.bytes, sums, path)
        break
      }
      sums[file.name] = SHA256Sum.text(of: file.bytes)
      let parts = file.name.split(separator: "/").map(String.init)
      if parts.first == "tables", parts.count == 3 {
        guard let plan = plans[parts[1]] else { throw refuse("it has a table \(parts[1]) that its manifest does not name.") }
        order.record(plan.table.name)
        let count = try plan.store(file.bytes, file.name, path, db, points)
        summary.rows[parts[1], default: 0] += count
        total += count
        progress(total)
      } else if parts.first == "files", parts.count == 2 {
        let name = Backup.currentName(ofFile: parts[1])
        guard Backup.files.contains(name) else { continue }
        files.append((name, file.bytes))
        summary.files.append(name)
      } else if file.name == "rows.json" {
        reported = try? JSONDecoder().decode([String: Int].self, from: Data(file.bytes))
      }
    }
    guard isComplete, let reported else { throw refuse("it is truncated. Use another copy; nothing was stored.") }
    for (table, count) in reported where summary.rows[table, default: 0] != count {
      throw refuse(
        "it has \(summary.rows[table, default: 0].counted("row")) of \(table), but its manifest says \(count). Nothing "
          + "was stored.")
    }
    try points.finish()
    try Self.finish(db, isFormer: isFormer)
    return (summary, files)
  }

  /// Compares the checksums.
  ///
  /// - Returns: `true`.
  /// - Throws: ``InvalidBackup`` if a checksum is missing or differs.
  static func check(_ bytes: [UInt8], _ sums: [String: String], _ path: String) throws -> Bool {
    var left = sums
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let parts = line.components(separatedBy: "  ")
      guard parts.count == 2, left.removeValue(forKey: parts[1]) == parts[0] else {
        throw InvalidBackup(
          description: "\(path): \(parts.last ?? "a file") in it is damaged. Use another copy; nothing was stored."
        )
      }
    }
    guard left.isEmpty else { throw InvalidBackup(description: "\(path): \(left.keys.sorted()[0]) in it has no checksum.") }
    return true
  }

  static func plans(
    _ manifest: Backup.Manifest, _ path: String, _ isFormer: Bool
  ) throws -> [String: TablePlan] {
    var plans: [String: TablePlan] = [:]
    for (name, names) in manifest.tables {
      guard let table = isFormer ? FormerSchema.table(name) : BackupTable.all.first(where: { $0.name == name }) else {
        throw InvalidBackup(
          description: "\(path): this godwit does not know its table \(name). Update godwit and try again.")
      }
      let columns = try names.map { column in
        let known =
          isFormer ? FormerSchema.column(column, of: table) : table.columns.first { $0.name == column }
        guard let known else {
          throw InvalidBackup(
            description: "\(path): this godwit does not know the column \(column) of its table \(name). Update godwit.")
        }
        return known
      }
      plans[name] = TablePlan(table: table, columns: columns, isFormer: isFormer)
    }
    return plans
  }

  /// Completes a store after all rows were inserted.
  static func finish(_ db: any SQLConnection, isFormer: Bool) throws {
    if isFormer { try RegionDigests.recompute(db) }
    if db.dialect == .postgres {
      for table in BackupTable.all where table.isNumbered {
        let id = table.columns[0].name
        try db.forEach(
          "SELECT setval(pg_get_serial_sequence('\(table.name)', '\(id)'), coalesce(max(\(id)), 0) + 1, false) FROM \(table.name)"
        ) { _ in }
      }
    }
    // All days are marked dirty, so that overviews and other data that is computed from points is recomputed.
    let day = DayLength.milliseconds
    try db.run(
      """
      INSERT INTO dirty_days (device, day, since, queued, changed, revision)
      SELECT DISTINCT device, (time - (time % \(day) + \(day)) % \(day)) / \(day),
        time - (time % \(day) + \(day)) % \(day), 0, 0, 1 FROM points
      """)
    // A visit may start or end on a day without a point.
    var days: Set<[Int64]> = []
    try db.forEach("SELECT device, record FROM events WHERE kind IN ('visit', 'trip')") { row in
      let json = try row.text("record")
      guard let record = try? EventRow.record(json: json) else { return }
      for time in DirtyDays.times(of: record.kind) {
        try days.insert([row.integer("device"), DirtyDays.day(of: time.millisecondsSince1970)])
      }
    }
    for pair in days { try DirtyDays.record(device: pair[0], day: pair[1], since: pair[1] * day, at: 0, db) }
  }
}

/// Stores the rows of one table of another store.
struct TablePlan {
  let table: BackupTable
  /// The columns of the rows, in their order.
  let columns: [BackupTable.Column]
  /// Whether a development build wrote the rows.
  let isFormer: Bool

  private let names: [String]
  private let sql: String

  init(table: BackupTable, columns: [BackupTable.Column], isFormer: Bool) {
    (self.table, self.columns, self.isFormer) = (table, columns, isFormer)
    names = columns.map(\.name)
    let list = names.map { BackupTable.quoted($0) }.joined(separator: ", ")
    sql = "INSERT INTO \(table.name) (\(list)) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
  }

  /// Stores one row.
  func store(_ row: [SQLArgument], _ db: any SQLConnection, _ points: PointRestorer) throws {
    if table.name == BackupPoints.table.name { return try points.add(row, names) }
    var row = row
    if isFormer { FormerSchema.replaceWords(in: &row, names, of: table) }
    _ = try db.run(sql, with: row)
  }

  /// Stores the rows of a file in an archive.
  ///
  /// - Returns: the number of rows.
  func store(
    _ bytes: [UInt8], _ file: String, _ path: String, _ db: any SQLConnection, _ points: PointRestorer
  ) throws -> Int {
    let kinds = columns.map(\.kind)
    var count = 0
    try bytes.withUnsafeBufferPointer { all in
      var start = 0
      while start < all.count {
        let end: Int = all[start...].firstIndex(of: 0x0A) ?? all.count
        let row: [SQLArgument]
        do throws(BackupRow.Fault) {
          row = try BackupRow.read(UnsafeBufferPointer(rebasing: all[start..<end]), kinds)
        } catch {
          throw Restore.InvalidBackup(description: "\(path): \(file), line \(count + 1): \(error.reason). Nothing was stored.")
        }
        try store(row, db, points)
        count += 1
        start = end + 1
      }
    }
    return count
  }
}
