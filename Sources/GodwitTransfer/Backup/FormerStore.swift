internal import Foundation
internal import GodwitPostgres
internal import GodwitSQLite
package import GodwitStore

/// A store that a development build wrote, opened read-only.
package struct FormerStore {
  private let connection: any SQLConnection
  private let name: String

  /// Returns a sentence with the command that converts a store, from the path of its database.
  package static let conversion: @Sendable (String) -> String = { path in
    let folder = path.hasSuffix("/godwit.sqlite") ? String(path.dropLast("/godwit.sqlite".count)) : path
    return "Convert it into a new folder: godwit convert \(folder) NEW-FOLDER."
  }

  /// Opens a store. No other program may write to it at the same time.
  /// - Throws: an error of the database; ``Restore/InvalidBackup`` if it is not such a store.
  package init(_ location: StoreLocation) throws {
    name = "\(location)"
    switch location {
    case .folder(let folder):
      connection = SQLiteConnection(try Database(path: folder + "/godwit.sqlite", access: .readOnly))
    case .postgres(let address):
      connection = PostgresConnection(try PostgresSession(address))
    }
    // All reads see the same state of the store.
    _ = try connection.run(
      connection.dialect == .sqlite ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", with: [])
    let isFormer =
      switch connection.dialect {
      case .sqlite:
        try connection.integer("PRAGMA application_id") == 0 && connection.integer("PRAGMA user_version") ?? 0 > 0
      case .postgres:
        try connection.integer("SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'refusals'") != nil
      }
    guard isFormer else {
      throw Restore.InvalidBackup(
        description: "\(name): this is not a store of a development build. A store of this godwit needs no conversion.")
    }
  }

  /// Returns the columns of a table with a former name; empty: the table does not exist.
  private func columns(of table: String) throws -> Set<String> {
    switch connection.dialect {
    case .sqlite: return Set(try connection.all("SELECT name FROM pragma_table_info(?)", table) { try $0.text("name") })
    case .postgres:
      return Set(
        try connection.all(
          """
          SELECT column_name::text AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?
          """, table
        ) { try $0.text("name") })
    }
  }

  /// Copies all data into an empty store, in one transaction of that store.
  /// - Parameters:
  ///   - target: a connection in a transaction.
  ///   - targetName: the name of the store, for errors.
  ///   - progress: called with the number of stored rows.
  /// - Throws: ``Restore/InvalidBackup`` if the target has rows; errors of the databases. In this case the caller must roll
  ///   back the target's transaction.
  /// - Returns: the number of rows by current table.
  package func copy(
    into target: any SQLConnection, named targetName: String, progress: (Int) -> Void = { _ in }
  ) throws -> Backup.Summary {
    try Restore.checkEmpty(target, targetName)
    for table in BackupTable.all where table.isSeeded { try target.run("DELETE FROM \(table.name)") }
    var summary = Backup.Summary()
    let points = PointRestorer(target)
    var total = 0
    for table in BackupTable.all {
      summary.rows[table.name] = try copy(table, into: target, points) {
        total += $0
        progress(total)
      }
    }
    try points.finish()
    try Restore.finish(target, isFormer: true)
    return summary
  }

  /// Converts a store into a new one, including the files of its data folder.
  /// - Parameters:
  ///   - source: the former store.
  ///   - target: the location of the new store, which is empty or does not exist.
  ///   - progress: called with the number of stored rows.
  ///   - open: opens the target.
  /// - Throws: the errors of ``init(_:)`` and ``copy(into:named:progress:)``. In this case files that this call created are
  ///   removed.
  /// - Returns: the number of rows by table.
  package static func convert(
    _ source: StoreLocation, to target: StoreLocation, progress: @escaping @Sendable (Int) -> Void = { _ in },
    open: @Sendable () throws -> any StoreDatabase
  ) async throws -> Backup.Summary {
    _ = try FormerStore(source)
    let files = FileManager.default
    var made: [String] = []
    if case .folder(let folder) = target, !files.fileExists(atPath: folder + "/godwit.sqlite") {
      made = ["", "-wal", "-shm"].map { folder + "/godwit.sqlite" + $0 }
    }
    let store = try open()
    do {
      let summary = try await store.write { db in
        try FormerStore(source).copy(into: db, named: "\(target)", progress: progress)
      }
      if case .folder(let old) = source, case .folder(let new) = target {
        for former in try files.contentsOfDirectory(atPath: old) {
          let name = Backup.currentName(ofFile: former)
          guard Backup.files.contains(name), !files.fileExists(atPath: new + "/" + name) else { continue }
          try files.copyItem(atPath: old + "/" + former, toPath: new + "/" + name)
        }
      }
      store.close()
      return summary
    } catch {
      store.close()
      for file in made { try? files.removeItem(atPath: file) }
      throw error
    }
  }

  private static let pageSize = 10_000

  private func copy(
    _ table: BackupTable, into target: any SQLConnection, _ points: PointRestorer, _ progress: (Int) -> Void
  ) throws -> Int {
    let isPoints = table.name == BackupPoints.table.name
    let former = FormerSchema.name(of: table)
    let present = try columns(of: former)
    guard !present.isEmpty else { return 0 }
    // Columns that the first development build did not have are empty.
    let columns = isPoints ? table.columns : table.columns.filter { present.contains(FormerSchema.name(of: $0, of: table)) }
    let source: BackupTable
    let select: String
    if isPoints {
      source = table
      let place = connection.dialect == .sqlite ? try self.columns(of: "contexts") : present
      select = BackupPoints.select(connection.dialect, without: place.contains("import") ? [] : ["import"])
    } else {
      let names = columns.map { FormerSchema.name(of: $0, of: table) }
      source = BackupTable(
        former, zip(names, columns).map { "\($0):\($1.kind.rawValue)" }.joined(separator: " "),
        key: table.key.map { key in columns.first { $0.name == key }.map { FormerSchema.name(of: $0, of: table) } ?? key }
          .joined(separator: " "))
      select = "SELECT \(names.map(BackupTable.quoted).joined(separator: ", ")) FROM \(former)"
    }
    let key = isPoints ? source.key.map { "points.\($0)" } : source.key.map(BackupTable.quoted)
    let plan = TablePlan(table: table, columns: columns, isFormer: true)
    var (last, count): ([SQLArgument]?, Int) = (nil, 0)
    while true {
      var rows: [[SQLArgument]] = []
      try source.page(select, key, after: last, limit: Self.pageSize, connection) { rows.append($0) }
      for row in rows { try plan.store(row, target, points) }
      count += rows.count
      progress(rows.count)
      guard rows.count == Self.pageSize, let newest = rows.last else { return count }
      last = source.key(of: newest)
    }
  }
}
