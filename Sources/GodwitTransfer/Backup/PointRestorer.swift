internal import GodwitPostgres
package import GodwitStore

/// Stores points of a backup in the form of a database: shared values in the table of contexts.
package final class PointRestorer {
  private let connection: any SQLConnection
  private var contexts: [[SQLArgument]: Int64] = [:]
  private var last: (key: [SQLArgument], id: Int64)?
  private var months: Set<PostgresPartitions.Month> = []
  private var rows = PostgresCopyRows(columns: 20)
  private var order: [Int] = []
  private var orderOf: [String] = []

  /// The columns whose values are in the table of contexts, in its order.
  private static let shared = ["wifi", "trip", "device_id", "unique_id", "journal", "battery_state", "motion", "import"]
  /// Rows in one COPY of PostgreSQL.
  private static let batch = 20_000

  /// A table of PostgreSQL with the columns of `points`, into which selected rows are inserted instead.
  struct Copy {
    let table: String
    /// Returns whether a row is inserted, by the number of its device and its time in milliseconds since 1970.
    let isWanted: (_ device: Int64, _ time: Int64) -> Bool
  }
  private let copy: Copy?

  package convenience init(_ db: any SQLConnection) { self.init(db, copy: nil) }

  /// - Parameters:
  ///   - db: the database in which the points are stored.
  ///   - copy: the table for selected rows; `nil`: all rows are inserted into `points`.
  init(_ db: any SQLConnection, copy: Copy?) {
    self.connection = db
    self.copy = copy
  }

  /// Adds a row.
  ///
  /// - Parameter columns: the names of its values.
  package func add(_ row: [SQLArgument], _ columns: [String]) throws {
    if orderOf != columns {
      orderOf = columns
      order = BackupPoints.table.columns.map { column in columns.firstIndex(of: column.name) ?? -1 }
    }
    // The values are reordered. Values that the archive does not have are null.
    let values = order.map { $0 < 0 ? SQLArgument.null : row[$0] }
    switch connection.dialect {
    case .sqlite: try addToSQLite(values)
    case .postgres: try addToPostgres(values)
    }
  }

  /// Stores the remaining rows. Must be called after the last row.
  package func finish() throws { try flush() }

  // Positions in ``BackupPoints/table``.
  private enum Place {
    static let time = 1, batteryLevel = 11, batteryState = 12, motion = 13, wifi = 14, uniqueID = 17, journal = 18, sequence = 19
    static let received = 20, extras = 21, importID = 22
  }

  private func addToSQLite(_ values: [SQLArgument]) throws {
    let key =
      Array(values[Place.wifi...Place.uniqueID]) + [
        values[Place.journal], values[Place.batteryState], values[Place.motion], values[Place.importID],
      ]
    let context = try context(key, Self.shared)
    let (time, received) = (Self.number(values[Place.time]) ?? 0, Self.number(values[Place.received]) ?? 0)
    let row =
      Array(values[...Place.batteryLevel]) + [
        context.map { .integer($0) } ?? .null, values[Place.sequence], .integer(PointColumn.delay(from: time, to: received)),
        values[Place.extras],
      ]
    _ = try connection.run(
      "INSERT INTO points (\(PointRow.columns)) VALUES (\(row.map { _ in "?" }.joined(separator: ", ")))", with: row)
  }

  private func addToPostgres(_ values: [SQLArgument]) throws {
    guard let time = Self.number(values[Place.time]) else { return }
    if let copy, !copy.isWanted(Self.number(values[0]) ?? 0, time) { return }
    let context = try context(Array(values[Place.wifi...Place.uniqueID]), Array(Self.shared.prefix(4)))
    let month = PostgresPartitions.Month(milliseconds: time)
    if copy == nil, PostgresPartitions.isOfPartition(month), months.insert(month).inserted, let session {
      try PostgresPartitions.attach(month, session)
    }
    func wide(_ place: Int) -> Int64? { Self.number(values[place]) }
    func int(_ place: Int) -> Int32? { Self.number(values[place]).map { Int32(clamping: $0) } }
    func short(_ place: Int) -> Int16? { Self.number(values[place]).map { Int16(clamping: $0) } }
    rows.appendRow()
    rows.append(time)
    rows.append(wide(Place.received) ?? time)
    rows.append(wide(Place.sequence))
    rows.append(int(0) ?? 0)
    rows.append(int(2) ?? 0)
    rows.append(int(3) ?? 0)
    for place in 4...10 { rows.append(int(place)) }
    rows.append(context.map { Int32(clamping: $0) })
    rows.append(int(Place.journal))
    rows.append(short(Place.batteryLevel))
    rows.append(short(Place.batteryState))
    rows.append(short(Place.motion))
    if case .text(let extras) = values[Place.extras] { rows.append(extras) } else { rows.appendNull() }
    rows.append(int(Place.importID))
    if rows.count >= Self.batch { try flush() }
  }

  private var session: PostgresSession? { (connection as? PostgresConnection)?.session }

  private func flush() throws {
    guard rows.count > 0, let session else { return }
    let full = rows
    rows = PostgresCopyRows(columns: 20)
    try session.copy(PostgresCopy.statement(into: copy?.table ?? "points"), full.finished())
  }

  /// Returns the number of the context with these values; `nil` if all values are null.
  private func context(_ key: [SQLArgument], _ columns: [String]) throws -> Int64? {
    if key.allSatisfy({ $0 == .null }) { return nil }
    if let last, last.key == key { return last.id }
    let id: Int64
    if let known = contexts[key] {
      id = known
    } else if copy != nil {
      // A row whose context the store does not have was not a row of the store.
      guard let known = try existingContext(key, columns) else { return nil }
      id = known
      contexts[key] = id
    } else {
      var made: Int64 = 0
      try connection.query(
        """
        INSERT INTO contexts (\(columns.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        RETURNING id
        """, with: key
      ) {
        made = try $0.integer("id")
        return false
      }
      id = made
      contexts[key] = id
    }
    last = (key, id)
    return id
  }

  /// Returns the number of an existing context with these values; `nil`: there is none.
  private func existingContext(_ key: [SQLArgument], _ columns: [String]) throws -> Int64? {
    let condition = columns.map { "\($0) IS NOT DISTINCT FROM ?" }.joined(separator: " AND ")
    var found: Int64?
    try connection.query("SELECT id FROM contexts WHERE \(condition) ORDER BY retired IS NOT NULL, id LIMIT 1", with: key) {
      found = try $0.integer("id")
      return false
    }
    return found
  }

  private static func number(_ value: SQLArgument) -> Int64? { if case .integer(let number) = value { number } else { nil } }
}
