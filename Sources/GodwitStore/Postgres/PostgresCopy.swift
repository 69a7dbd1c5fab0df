internal import GodwitModel
internal import GodwitPostgres

/// Rows of points for `COPY … FROM STDIN (FORMAT binary)` into the table `points`, or into `arrivals`, which also has the order of receipt.
package struct PostgresCopy {
  static let table = "arrivals"
  /// The temporary table of a session, which is empty after each transaction.
  static let tableDefinition = """
    CREATE TEMPORARY TABLE IF NOT EXISTS \(table) (ordinal BIGINT GENERATED ALWAYS AS IDENTITY, LIKE points) \
    ON COMMIT DELETE ROWS
    """

  /// - Parameter table: `points` or `arrivals`.
  package static func statement(into table: String) -> String { "COPY \(table) (\(columns)) FROM STDIN (FORMAT binary)" }

  package static let columns = """
    time, received, sequence, device, latitude, longitude, altitude, horizontal_accuracy, vertical_accuracy, speed, \
    speed_accuracy, course, course_accuracy, context, journal, battery_level, battery_state, motion, extras, import
    """

  private var rows = PostgresCopyRows(columns: 20)
  /// Keys of the points, in order.
  private(set) var keys: [Key] = []

  /// The key of a point.
  struct Key: Hashable {
    let device: Int32
    let time: Int64
    let latitude: Int32
    let longitude: Int32
  }

  /// The numbers of the shared rows that a record refers to. A row of PostgreSQL has a header of 23 bytes, so sharing more would
  /// save little.
  struct References {
    var context: Int64?
    var journal: Int64?
    var sequence: Int64?
    var importID: Int64?
  }

  mutating func append(
    _ fix: Fix, of record: borrowing Record, device: Int64, references: References, received: Int64
  ) {
    let key = Key(
      device: Int32(clamping: device), time: fix.time.millisecondsSince1970,
      latitude: Int32(clamping: PointRow.exact(fix.coordinate.latitude, by: 1e7)),
      longitude: Int32(clamping: PointRow.exact(fix.coordinate.longitude, by: 1e7)))
    rows.appendRow()
    keys.append(key)
    rows.append(key.time)
    rows.append(received)
    rows.append(references.sequence)
    rows.append(key.device)
    rows.append(key.latitude)
    rows.append(key.longitude)
    // A value out of range is not a real speed or altitude. It is stored as the nearest integer of the column.
    rows.append(PointRow.scale(fix.altitude, by: 100).map { Int32(clamping: $0) })
    rows.append(PointRow.scale(fix.horizontalAccuracy, by: 100).map { Int32(clamping: $0) })
    rows.append(PointRow.scale(fix.verticalAccuracy, by: 100).map { Int32(clamping: $0) })
    rows.append(PointRow.scale(fix.speed, by: 100).map { Int32(clamping: $0) })
    rows.append(PointRow.scale(fix.speedAccuracy, by: 100).map { Int32(clamping: $0) })
    rows.append(PointRow.scale(fix.course, by: 100).map { Int32(clamping: $0) })
    rows.append(PointRow.scale(fix.courseAccuracy, by: 100).map { Int32(clamping: $0) })
    rows.append(references.context.map { Int32(clamping: $0) })
    rows.append(references.journal.map { Int32(clamping: $0) })
    rows.append(PointRow.scale(record.context.batteryLevel, by: 10000).map { Int16(clamping: $0) })
    rows.append(record.context.batteryState.map { Int16($0.rawValue) })
    rows.append(record.context.motion.isEmpty ? nil : Int16(record.context.motion.rawValue))
    rows.append(record.extras)
    rows.append(references.importID.map { Int32(clamping: $0) })
  }

  /// Returns the complete data.
  consuming func finished() -> [UInt8] { rows.finished() }
}
