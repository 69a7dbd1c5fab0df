internal import Foundation
package import GodwitModel
internal import GodwitSQLite

/// The layout of a fix in the table `points`: columns and units.
///
/// The order of the columns is that of the schema, and is the same in `columns`, `insert` and `read`. The columns are read by
/// position, because resolving 16 names would cost time for each of millions of points.
package enum PointRow {
  package static let columns = """
    device, time, latitude, longitude, altitude, horizontal_accuracy, vertical_accuracy, speed, speed_accuracy, \
    course, course_accuracy, battery_level, context, sequence, delay, extras
    """

  package static let insert = """
    INSERT INTO points (\(columns)) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16) \
    ON CONFLICT DO NOTHING
    """

  @inline(__always)
  static func bind(
    _ fix: Fix, of record: borrowing Record, device: Int64, context: Int64?, received: Int64, to statement: Statement
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
    statement.bind(context, at: 13)
    statement.bind(record.id?.sequence.value, at: 14)
    statement.bind(PointColumn.delay(from: fix.time.millisecondsSince1970, to: received), at: 15)
    if record.extras == nil { statement.bindNull(at: 16) } else { statement.bind(record.extras, at: 16) }
  }

  /// The key of a fix as it is stored.
  @inline(__always)
  static func key(_ fix: Fix) -> PointKey {
    PointKey(
      time: fix.time.millisecondsSince1970, latitude: exact(fix.coordinate.latitude, by: 1e7),
      longitude: exact(fix.coordinate.longitude, by: 1e7))
  }

  /// Decodes the fix from the first eleven columns, which both databases have; `nil` if the row is damaged.
  @inline(__always)
  package static func fix(_ row: some SQLRow) -> Fix? {
    guard let place = coordinate(latitude: row.integer(2), longitude: row.integer(3)) else { return nil }
    func unscale(_ column: Int32, _ factor: Double) -> Double? {
      row.optionalInteger(column).map { Double($0) / factor }
    }
    return Fix(
      time: Date(millisecondsSince1970: row.integer(1)), coordinate: place,
      horizontalAccuracy: unscale(5, 100), altitude: unscale(4, 100), verticalAccuracy: unscale(6, 100),
      speed: unscale(7, 100), speedAccuracy: unscale(8, 100), course: unscale(9, 100),
      courseAccuracy: unscale(10, 100))
  }

  /// Decodes a coordinate; `nil` if it is damaged.
  @inline(__always)
  static func coordinate(latitude: Int64, longitude: Int64) -> Coordinate? {
    Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)
  }

  /// Decodes the battery level from the twelfth column.
  package static func batteryLevel(_ row: some SQLRow) -> Double? { row.optionalInteger(11).map { Double($0) / 10000 } }

  /// Decodes the key from the first four columns.
  package static func cursor(_ row: some SQLRow) -> PointCursor {
    cursor(PointKey(time: row.integer(1), latitude: row.integer(2), longitude: row.integer(3)), ofDevice: row.integer(0))
  }

  /// The cursor of the page that follows a point.
  @inline(__always)
  static func cursor(_ key: PointKey, ofDevice device: Int64) -> PointCursor {
    PointCursor(
      device: RowNumber(clamping: device), time: EpochMilliseconds(clamping: key.time),
      latitude: DegreesE7(clamping: key.latitude), longitude: DegreesE7(clamping: key.longitude))
  }

  @inline(__always)
  package static func exact(_ value: Double, by factor: Double) -> Int64 {
    // Stored values are of a plausible size; the clamp prevents a trap.
    Int64(max(-9e15, min(9e15, (value * factor).rounded())))
  }

  @inline(__always)
  package static func scale(_ value: Double?, by factor: Double) -> Int64? {
    guard let value, value.isFinite else { return nil }
    return exact(value, by: factor)
  }
}
