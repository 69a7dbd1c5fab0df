internal import Foundation
internal import GodwitModel
package import GodwitStore
internal import GodwitTransfer

/// Restores rows of the trash into their tables, in transactions of the caller.
///
/// A row that exists again does not change. A row whose number is in use gets a new number, and references to it are
/// changed.
package struct TrashReturn {
  private let db: any SQLConnection
  /// New numbers by table and former number.
  package private(set) var numbers: [String: [Int64: Int64]]

  /// The references of rows, by table and column. A row whose referenced row does not exist is omitted, unless the
  /// reference is optional.
  private static let references: [String: [(column: String, table: String, isOptional: Bool)]] = {
    var references: [String: [(column: String, table: String, isOptional: Bool)]] = [
      "devices": [("owner", "users", true)],
      "received_ranges": [("journal", "journals", false)],
      "deleted_ranges": [("journal", "journals", false)],
      "webhook_deliveries": [("device", "devices", false), ("event", "region_events", false), ("webhook", "webhooks", false)],
      "link_devices": [("link", "links", false), ("device", "devices", false)],
      "access_tokens": [("account", "users", false), ("device", "devices", false)],
      "friendships": [("subject", "users", false), ("viewer", "users", false)],
    ]
    for table in BackupTable.all where references[table.name] == nil {
      let names = Set(table.columns.map(\.name))
      var found: [(column: String, table: String, isOptional: Bool)] = []
      if names.contains("device") { found.append(("device", "devices", false)) }
      if names.contains("account") { found.append(("account", "users", false)) }
      references[table.name] = found
    }
    // Events of accounts have negative device numbers.
    references["region_events"] = []
    return references
  }()

  private static let order = Dictionary(uniqueKeysWithValues: BackupTable.all.enumerated().map { ($1.name, $0) })

  /// - Parameter numbers: the new numbers from earlier transactions.
  package init(_ db: any SQLConnection, numbers: [String: [Int64: Int64]]) {
    self.db = db
    self.numbers = numbers
  }

  /// Whether a table must be restored before another: each table follows those to which it refers.
  package static func isBefore(_ first: String, _ second: String) -> Bool { order[first] ?? .max < order[second] ?? .max }

  /// Returns the column names and the rows of a part.
  package static func rows(of part: TrashTables.Part) throws -> (names: [String], rows: [[SQLArgument]]) {
    let columns = BackupTable(part.source, part.columns).columns
    var rows: [[SQLArgument]] = []
    var bytes = Array(part.content.utf8)[...]
    while !bytes.isEmpty {
      let line = bytes.prefix { $0 != 0x0A }
      bytes = bytes.dropFirst(line.count + 1)
      rows.append(try line.withUnsafeBufferPointer { try BackupRow.read($0, columns.map(\.kind)) })
    }
    return (columns.map(\.name), rows)
  }

  /// Replaces the number of a merged device with that of the device into which it was merged.
  package mutating func follow(_ device: Int64, to target: Int64) { numbers["devices", default: [:]][device] = target }

  // MARK: Rows of tables

  /// Restores a row.
  ///
  /// - Returns: whether it was stored.
  @discardableResult
  package mutating func put(_ row: [SQLArgument], _ names: [String], into table: String) throws -> Bool {
    var row = row
    for reference in Self.references[table] ?? [] {
      guard let place = names.firstIndex(of: reference.column), case .integer(let former) = row[place] else { continue }
      let number = numbers[reference.table]?[former] ?? former
      row[place] = .integer(number)
      guard try db.integer("SELECT 1 FROM \(reference.table) WHERE id = ?", number) == nil else { continue }
      if !reference.isOptional { return false }
      row[place] = .null
    }
    if table == "devices" { return try putDevice(row, names) }
    let isNumbered = BackupTable.all.contains { $0.name == table && $0.isNumbered }
    guard isNumbered, case .integer(let id) = row[0] else { return try insert(row, names, into: table) }
    if try db.integer("SELECT 1 FROM \(table) WHERE id = ?", id) == nil { return try insert(row, names, into: table) }
    let new = try insertNumbered(Array(row.dropFirst()), Array(names.dropFirst()), into: table)
    if let new { numbers[table, default: [:]][id] = new }
    return new != nil
  }

  private func statement(_ names: [String], into table: String) -> String {
    let columns = names.map { BackupTable.quoted($0) }.joined(separator: ", ")
    let places = names.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO \(table) (\(columns)) VALUES (\(places)) ON CONFLICT DO NOTHING"
  }

  private func insert(_ row: [SQLArgument], _ names: [String], into table: String) throws -> Bool {
    try db.run(statement(names, into: table), with: row) > 0
  }

  private func insertNumbered(_ row: [SQLArgument], _ names: [String], into table: String) throws -> Int64? {
    var new: Int64?
    try db.query(statement(names, into: table) + " RETURNING id", with: row) {
      new = try $0.integer("id")
      return false
    }
    return new
  }

  /// Restores a device with its number, which was not given to another device.
  private func putDevice(_ row: [SQLArgument], _ names: [String]) throws -> Bool {
    guard try insert(row, names, into: "devices"), case .integer(let id) = row[0],
      let name = names.firstIndex(of: "name"), case .text(let text) = row[name]
    else { return false }
    // A trigger of SQLite has given the row a new number.
    try db.run("UPDATE devices SET id = ? WHERE name = ? AND id <> ?", id, text, id)
    return true
  }

  // MARK: Points

  /// The values of a restored point that the caller needs.
  package struct Point {
    package var device: Int64
    package var time: Int64
    /// The row number of its journal.
    package var journal: Int64?
    package var sequence: Int64?
  }

  /// Restores points.
  ///
  /// - Returns: the points that were not stored before.
  package mutating func putPoints(_ rows: [[SQLArgument]], _ names: [String]) throws -> [Point] {
    var places: [String: Int] = [:]
    for (index, name) in names.enumerated() { places[name] = index }
    func value(_ name: String, _ row: [SQLArgument]) -> SQLArgument { places[name].map { row[$0] } ?? .null }
    func number(_ name: String, _ row: [SQLArgument]) -> Int64? {
      if case .integer(let number) = value(name, row) { number } else { nil }
    }
    var contexts = ReturnedContexts(db)
    var months: Set<PostgresPartitions.Month> = []
    var points: [Point] = []
    var sealed = SealedDuplicates()
    for row in rows {
      guard let formerDevice = number("device", row), let time = number("time", row) else { continue }
      let device = numbers["devices"]?[formerDevice] ?? formerDevice
      guard try contexts.isThere(device: device) else { continue }
      let key = PointKey(time: time, latitude: number("latitude", row) ?? 0, longitude: number("longitude", row) ?? 0)
      guard try !sealed.contains(key, ofDevice: device, db) else { continue }
      let journal = number("journal", row).map { numbers["journals"]?[$0] ?? $0 }
      let shared = ["wifi", "trip", "device_id", "unique_id"].map { value($0, row) }
      var columns = Self.common
      var values = [SQLArgument.integer(device)] + Self.common.dropFirst().map { value($0, row) }
      switch db.dialect {
      case .sqlite:
        let own: [SQLArgument] =
          [journal.argument] + ["battery_state", "motion", "import"].map { value($0, row) }
        columns += ["context", "delay"]
        values += [
          try contexts.number(shared + own).argument,
          .integer(PointColumn.delay(from: time, to: number("received", row) ?? time)),
        ]
      case .postgres:
        let month = PostgresPartitions.Month(milliseconds: time)
        if months.insert(month).inserted { try PostgresPartitions.attachIfPlausible(month, db) }
        columns += ["context", "received", "journal", "battery_state", "motion", "import"]
        values += [try contexts.number(shared).argument, value("received", row), journal.argument]
        values += ["battery_state", "motion", "import"].map { value($0, row) }
      }
      guard try insert(values, columns, into: "points") else { continue }
      points.append(Point(device: device, time: time, journal: journal, sequence: number("sequence", row)))
    }
    return points
  }

  /// The columns of points in both databases, with the device first.
  private static let common = [
    "device", "time", "latitude", "longitude", "altitude", "horizontal_accuracy", "vertical_accuracy", "speed", "speed_accuracy",
    "course", "course_accuracy", "battery_level", "sequence", "extras",
  ]
}

/// Finds or creates the contexts of restored points, in one transaction.
private struct ReturnedContexts {
  private let db: any SQLConnection
  private var known: [[SQLArgument]: Int64] = [:]
  private var devices: [Int64: Bool] = [:]

  init(_ db: any SQLConnection) { self.db = db }

  mutating func isThere(device: Int64) throws -> Bool {
    if let known = devices[device] { return known }
    let isThere = try db.integer("SELECT 1 FROM devices WHERE id = ?", device) != nil
    devices[device] = isThere
    return isThere
  }

  /// Returns the number of the context with these values; `nil` if all values are null.
  ///
  /// - Parameter values: the values in the order of the columns below.
  mutating func number(_ values: [SQLArgument]) throws -> Int64? {
    if values.allSatisfy({ $0 == .null }) { return nil }
    if let known = known[values] { return known }
    let columns =
      ["wifi", "trip", "device_id", "unique_id"]
      + (db.dialect == .sqlite ? ["journal", "battery_state", "motion", "import"] : [])
    let equals = db.dialect == .sqlite ? "IS ?" : "IS NOT DISTINCT FROM CAST(? AS TEXT)"
    let condition = columns.map { "\($0) \(equals)" }.joined(separator: " AND ")
    let insertion = """
      INSERT INTO contexts (\(columns.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
      ON CONFLICT DO NOTHING
      """
    for _ in 0..<3 {
      var found: Int64?
      try db.query("SELECT id FROM contexts WHERE \(condition) AND retired IS NULL LIMIT 1", with: values) {
        found = try $0.integer("id")
        return false
      }
      if let found {
        known[values] = found
        return found
      }
      _ = try db.run(insertion, with: values)
    }
    throw StoreError.contended(table: "contexts")
  }
}
