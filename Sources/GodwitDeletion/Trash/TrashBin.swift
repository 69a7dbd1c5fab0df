package import GodwitStore
package import GodwitTransfer

/// Deletes rows of tables in one transaction, and stores them in an entry of the trash unless they are deleted permanently.
package final class TrashBin {
  /// The number of the entry; `nil`: rows are deleted permanently.
  package let entry: Int64?
  private let db: any SQLConnection
  /// Rows that are not yet written to the trash, by table.
  private var waiting: [String: (table: BackupTable, bytes: [UInt8])] = [:]
  /// The order in which tables were first used.
  private var order: [String] = []

  /// Bytes at which a part is written.
  private static let partSize = 1 << 20
  private static let tables = Dictionary(uniqueKeysWithValues: BackupTable.all.map { ($0.name, $0) })

  private init(_ entry: Int64?, _ db: any SQLConnection) {
    self.entry = entry
    self.db = db
  }

  /// Calls `body` with a bin, and then writes the remaining rows to the trash.
  package static func filled<Value>(
    _ entry: Int64?, _ db: any SQLConnection, _ body: (TrashBin) throws -> Value
  ) throws -> Value {
    let bin = TrashBin(entry, db)
    let value = try body(bin)
    for name in bin.order { try bin.flush(name) }
    return value
  }

  /// Deletes rows of a table. They are stored in the entry, unless they can be recomputed.
  /// - Parameters:
  ///   - table: the name of the table; for points, see ``copyPoints(where:_:)``.
  ///   - condition: a condition on its columns.
  /// - Returns: the number of deleted rows.
  @discardableResult
  package func remove(_ table: String, where condition: String, _ arguments: any SQLValue...) throws -> Int {
    try store(table, condition, arguments.map(\.argument))
    return try db.run("DELETE FROM \(table) WHERE \(condition)", with: arguments.map(\.argument))
  }

  /// Stores a copy of rows that the caller then changes or deletes.
  package func copy(_ table: String, where condition: String, _ arguments: any SQLValue...) throws {
    try store(table, condition, arguments.map(\.argument))
  }

  /// Stores a copy of points that the caller then deletes.
  /// - Parameter condition: a condition on columns of `points`.
  package func copyPoints(where condition: String, _ arguments: any SQLValue...) throws {
    guard entry != nil else { return }
    let table = BackupPoints.table
    try store(BackupPoints.select(where: condition, db.dialect), table, arguments.map(\.argument))
  }

  /// Stores a row that does not belong to a database table.
  package func add(_ row: [SQLArgument], as table: BackupTable) throws {
    guard entry != nil else { return }
    try append(row, table)
  }

  /// Stores the result of a SELECT with the columns of a table. The rows themselves are not deleted.
  package func remember(_ select: String, _ table: BackupTable, _ arguments: any SQLValue...) throws {
    try remember(select, table, with: arguments.map(\.argument))
  }

  /// Stores the result of a SELECT with a list of arguments.
  package func remember(_ select: String, _ table: BackupTable, with arguments: [SQLArgument]) throws {
    guard entry != nil else { return }
    try store(select, table, arguments)
  }

  private func store(_ name: String, _ condition: String, _ arguments: [SQLArgument]) throws {
    guard entry != nil, let table = Self.tables[name] else { return }
    let columns = table.columns.map { BackupTable.quoted($0.name) }.joined(separator: ", ")
    try store("SELECT \(columns) FROM \(name) WHERE \(condition)", table, arguments)
  }

  private func store(_ select: String, _ table: BackupTable, _ arguments: [SQLArgument]) throws {
    try db.query(select, with: arguments) { row in
      try append(table.values(of: row), table)
      return true
    }
  }

  private func append(_ row: [SQLArgument], _ table: BackupTable) throws {
    if waiting[table.name] == nil { order.append(table.name) }
    BackupRow.append(row, to: &waiting[table.name, default: (table, [])].bytes)
    if waiting[table.name, default: (table, [])].bytes.count >= Self.partSize { try flush(table.name) }
  }

  private func flush(_ name: String) throws {
    guard let entry, let (table, bytes) = waiting[name], !bytes.isEmpty else { return }
    waiting[name] = (table, [])
    try TrashTables.add(String(decoding: bytes, as: UTF8.self), of: name, columns: table.columnText, to: entry, db)
  }
}

extension TrashTables {
  /// The JSON of regions that a device's app created. They are restored as changes of the regions.
  static let appRegions = BackupTable("app_regions", "id:t json:b")
}
