internal import Foundation
internal import GodwitModel
internal import GodwitSQLite

/// How a fix lies in the table `points`: which column, which unit.
///
/// The order of the columns is that of the schema, in `columns`, `insert` and `read` alike.
enum PointRow {
  static let columns = """
    device, time, latitude, longitude, altitude, horizontal_accuracy, vertical_accuracy, speed, speed_accuracy, \
    course, course_accuracy, battery_level, battery_state, motion, context, journal, sequence, received, extras
    """

  static let insert = """
    INSERT INTO points (\(columns)) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19) \
    ON CONFLICT DO NOTHING
    """

  /// The numbers of what a record shares with others.
  struct References {
    var context: Int64?
    var journal: Int64?
    var sequence: Int64?
  }

  @inline(__always)
  static func bind(
    _ fix: Fix, of record: borrowing Record, device: Int64, references: References, received: Int64,
    to statement: Statement
  ) {
    statement.bind(device, at: 1)
    statement.bind(fix.time.millisecondsSince1970, at: 2)
    statement.bind(exact(fix.coordinate.latitude, by: 1e7), at: 3)
    statement.bind(exact(fix.coordinate.longitude, by: 1e7), at: 4)
    statement.bind(scale(fix.altitude, by: 100), at: 5)
    statement.bind(scale(fix.horizontalAccuracy, by: 100), at: 6)
    statement.bind(scale(fix.verticalAccuracy, by: 100), at: 7)
    statement.bind(scale(fix.speed, by: 100), at: 8)
    statement.bind(scale(fix.speedAccuracy, by: 100), at: 9)
    statement.bind(scale(fix.course, by: 100), at: 10)
    statement.bind(scale(fix.courseAccuracy, by: 100), at: 11)
    statement.bind(scale(record.context.batteryLevel, by: 10000), at: 12)
    statement.bind((record.context.batteryState?.rawValue).map { Int64($0) }, at: 13)
    statement.bind(record.context.motion.isEmpty ? nil : Int64(record.context.motion.rawValue), at: 14)
    statement.bind(references.context, at: 15)
    statement.bind(references.journal, at: 16)
    statement.bind(references.sequence, at: 17)
    statement.bind(received, at: 18)
    if record.extras == nil { statement.bindNull(at: 19) } else { statement.bind(record.extras, at: 19) }
  }

  /// Reads a row of `columns` followed by the columns wifi, trip, device_id, unique_id of its context and the
  /// journal's 64 bits.
  static func read<Row: SQLRow>(_ row: Row, device: (Int64) -> Device) -> StoredPoint? {
    let latitude = row.integer(2)
    let longitude = row.integer(3)
    // Only valid coordinates were written; a row that somebody else damaged is passed over.
    guard let place = Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7) else {
      return nil
    }
    func unscale(_ column: Int32, _ factor: Double) -> Double? {
      row.optionalInteger(column).map { Double($0) / factor }
    }
    let fix = Fix(
      time: Date(millisecondsSince1970: row.integer(1)), coordinate: place,
      horizontalAccuracy: unscale(5, 100), altitude: unscale(4, 100), verticalAccuracy: unscale(6, 100),
      speed: unscale(7, 100), speedAccuracy: unscale(8, 100), course: unscale(9, 100),
      courseAccuracy: unscale(10, 100))
    let context = DeviceContext(
      batteryLevel: unscale(11, 10000),
      batteryState: row.optionalInteger(12).flatMap { BatteryState(rawValue: UInt8(truncatingIfNeeded: $0)) },
      motion: Motion(rawValue: UInt8(truncatingIfNeeded: row.integer(13))),
      wifi: row.optionalText(19), tripID: row.optionalText(20), deviceID: row.optionalText(21),
      uniqueID: row.optionalText(22))
    var id: RecordID?
    if let journal = row.optionalInteger(23), let sequence = row.optionalInteger(16) {
      id = RecordID(journal: UInt64(bitPattern: journal), sequence: sequence)
    }
    return StoredPoint(
      device: device(row.integer(0)), fix: fix,
      record: Record(id: id, kind: .fix(fix), context: context, extras: row.optionalText(18)),
      cursor: PointCursor(device: row.integer(0), time: row.integer(1), latitude: latitude, longitude: longitude))
  }

  @inline(__always)
  static func exact(_ value: Double, by factor: Double) -> Int64 {
    // Everything that reaches the store was checked to be of a sane size; the clamp keeps a trap away.
    Int64(max(-9e15, min(9e15, (value * factor).rounded())))
  }

  @inline(__always)
  static func scale(_ value: Double?, by factor: Double) -> Int64? {
    guard let value, value.isFinite else { return nil }
    return exact(value, by: factor)
  }
}
