internal import Foundation
internal import GodwitModel

/// The layout of a fix in PostgreSQL's table `points`: as in ``PointRow``, but with separate columns for everything.
/// Rows have a header of 23 bytes, so shared numbers would save little.
enum PostgresPointRow {
  static let columns = [
    "device", "time", "latitude", "longitude", "altitude", "horizontal_accuracy", "vertical_accuracy", "speed",
    "speed_accuracy", "course", "course_accuracy", "battery_level", "battery_state", "motion", "context", "journal", "sequence",
    "received", "extras",
  ]

  static let select = """
    SELECT \(columns.map { "points.\($0)" }.joined(separator: ", ")),
      contexts.wifi, contexts.trip, contexts.device_id, contexts.unique_id, journals.journal
    FROM points LEFT JOIN contexts ON contexts.id = points.context LEFT JOIN journals ON journals.id = points.journal
    """

  /// The numbers of a record's shared rows.
  struct References {
    var context: Int64?
    var journal: Int64?
    var sequence: Int64?
    var importID: Int64?
  }

  /// Reads a row of `select`, by position as ``PointRow`` does.
  static func read(_ row: some SQLRow, device: (Int64) -> Device) -> StoredPoint? {
    guard let fix = PointRow.fix(row) else { return nil }
    let context = DeviceContext(
      batteryLevel: PointRow.batteryLevel(row),
      batteryState: row.optionalInteger(12).flatMap { BatteryState(rawValue: UInt8(truncatingIfNeeded: $0)) },
      motion: Motion(rawValue: UInt8(truncatingIfNeeded: row.integer(13))),
      wifi: row.optionalText(19), tripID: row.optionalText(20), deviceID: row.optionalText(21),
      uniqueID: row.optionalText(22))
    var id: RecordID?
    if let journal = row.optionalInteger(23), let sequence = row.optionalInteger(16) {
      id = RecordID(journal: UInt64(bitPattern: journal), sequence: RecordNumber(clamping: sequence))
    }
    return StoredPoint(
      device: device(row.integer(0)), fix: fix,
      record: Record(id: id, kind: .fix(fix), context: context, extras: row.optionalText(18)), cursor: PointRow.cursor(row))
  }
}
