package import GodwitStore
package import GodwitTransfer

/// Takes rows out of tables in one transaction: into an entry of the trash, or permanently.
package final class TrashBin {
  /// The number of the entry; `nil`: rows are deleted permanently.
  package let entry: Int64?
  private let db: any SQLConnection
  /// Rows that are taken and not yet written, by table.
  private var waiting: [String: (table: BackupTable, bytes: [UInt8])] = [:]
  /// The order in which tables were first used.
  private var order: [String] = []

  /// Bytes of a part.
  private static let partSize = 1 << 20
  private static let tables = Dictionary(uniqueKeysWithValues: BackupTable.all.map { ($0.name, $0) })

  private init(_ entry: Int64?, _ db: any SQLConnection) {
    self.entry = entry
    self.db = db
  }

  /// Calls `body` with a bin, and then writes what was taken.
  package static func filled<Value>(
    _ entry: Int64?, _ db: any SQLConnection, _ body: (TrashBin) throws -> Value
  ) throws -> Value {
    let bin = TrashBin(entry, db)
    let value = try body(bin)
    for name in bin.order { try bin.flush(name) }
    return value
  }

  /// Deletes rows of a table. They go into the entry, unless they can be computed again.
  /// - Parameters:
  ///   - table: the name of the table; for points, see ``takePoints(where:_:)``.
  ///   - condition: on its columns.
  /// - Returns: how many there were.
  @discardableResult
  package func remove(_ table: String, where condition: String, _ arguments: any SQLValue...) throws -> Int {
    try store(table, condition, arguments.map(\.argument))
    return try db.run("DELETE FROM \(table) WHERE \(condition)", with: arguments.map(\.argument))
  }

  /// Keeps a copy of rows, which are changed or deleted in another way afterwards.
  package func copy(_ table: String, where condition: String, _ arguments: any SQLValue...) throws {
    try store(table, condition, arguments.map(\.argument))
  }

  /// Keeps a copy of points, which are deleted afterwards.
  /// - Parameter condition: on columns of `points`.
  package func copyPoints(where condition: String, _ arguments: any SQLValue...) throws {
    guard entry != nil else { return }
    let table = BackupPoints.table
    try store(BackupPoints.select(where: condition, db.dialect), table, arguments.map(\.argument))
  }

  /// Keeps a row that is not one of a table.
  package func add(_ row: [SQLArgument], as table: BackupTable) throws {
    guard entry != nil else { return }
    try append(row, table)
  }

  /// Keeps what a statement selects, in the order of a table's columns; the rows themselves stay.
  package func remember(_ select: String, _ table: BackupTable, _ arguments: any SQLValue...) throws {
    try remember(select, table, with: arguments.map(\.argument))
  }

  /// The same with a list of arguments.
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
  /// Regions that a device's app made: the JSON of each. They come back as changes of the regions.
  static let appRegions = BackupTable("app_regions", "id:t json:b")
}
