internal import GodwitStore

/// Reads points for a backup from rows and blocks, device by device.
struct BackupPointPage {
  private let db: any SQLConnection
  private let columns: [PointColumn]

  init(_ db: any SQLConnection) {
    self.db = db
    let both: [PointColumn] = [
      .device, .time, .latitude, .longitude, .altitude, .horizontalAccuracy, .verticalAccuracy, .speed, .speedAccuracy, .course,
      .courseAccuracy, .batteryLevel, .sequence, .received, .extras, .context,
    ]
    columns = both + (db.dialect == .sqlite ? [] : [.batteryState, .motion, .journal, .importNumber])
  }

  /// - Parameters:
  ///   - key: the key of the last point of the previous page; `nil`: the first page.
  ///   - limit: maximum number of points.
  ///   - body: called with the values of the columns of ``BackupPoints/table``.
  func rows(after key: [SQLArgument]?, limit: Int, _ body: ([SQLArgument]) throws -> Void) throws {
    let last = (key ?? []).compactMap { if case .integer(let number) = $0 { number } else { nil } }
    let devices = try db.all("SELECT id FROM devices WHERE id >= ? ORDER BY id", last.first ?? .min) { try $0.integer("id") }
    var left = limit
    var shared = SharedValues(db)
    for device in devices where left > 0 {
      var span = PointSpan(device: device, .min..<Int64.max)
      span.limit = left
      if last.count == 4, last[0] == device {
        span.after = PointKey(time: last[1], latitude: last[2], longitude: last[3])
      }
      try PointReader(columns, of: span, db).readEach { row in
        try body(values(row, &shared))
        left -= 1
      }
    }
  }

  private func values(_ row: any SQLRow, _ shared: inout SharedValues) throws -> [SQLArgument] {
    let context = try row.optionalInteger("context").map { try shared.values(ofContext: $0) } ?? [:]
    return try BackupPoints.table.columns.map { column in
      if let value = context[column.name] { return value }
      // The other columns of contexts are columns of points on PostgreSQL.
      if SharedValues.texts.contains(column.name) || db.dialect == .sqlite && SharedValues.numbers.contains(column.name) {
        return .null
      }
      if column.kind == .text { return try row.optionalText(column.name).map { .text($0) } ?? .null }
      return try row.optionalInteger(column.name).map { .integer($0) } ?? .null
    }
  }
}

/// The values of contexts, read on first use.
private struct SharedValues {
  static let texts = ["wifi", "trip", "device_id", "unique_id"]
  /// Columns that contexts have only in SQLite.
  static let numbers = ["journal", "battery_state", "motion", "import"]

  private let db: any SQLConnection
  private var known: [Int64: [String: SQLArgument]] = [:]

  init(_ db: any SQLConnection) { self.db = db }

  mutating func values(ofContext id: Int64) throws -> [String: SQLArgument] {
    if let values = known[id] { return values }
    let numbers = db.dialect == .sqlite ? Self.numbers : []
    let names = (Self.texts + numbers).map(BackupTable.quoted).joined(separator: ", ")
    let found = try db.first("SELECT \(names) FROM contexts WHERE id = ?", id) { row in
      var values: [String: SQLArgument] = [:]
      for name in Self.texts { values[name] = try row.optionalText(name).map { .text($0) } ?? .null }
      for name in numbers { values[name] = try row.optionalInteger(name).map { .integer($0) } ?? .null }
      return values
    }
    known[id] = found ?? [:]
    return found ?? [:]
  }
}
