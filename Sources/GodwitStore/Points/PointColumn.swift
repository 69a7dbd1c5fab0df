internal import GodwitModel

/// A column of points: in the table `points`, in a block of sealed points, and in a row that ``PointReader`` reads.
///
/// The raw values are the numbers of the columns in blocks. A number must never be reused for another column.
package enum PointColumn: UInt8, Sendable, CaseIterable {
  case time = 1
  case latitude = 2
  case longitude = 3
  case altitude = 4
  case horizontalAccuracy = 5
  case verticalAccuracy = 6
  case speed = 7
  case speedAccuracy = 8
  case course = 9
  case courseAccuracy = 10
  case batteryLevel = 11
  case context = 12
  case sequence = 13
  /// Seconds from the time to the arrival, rounded down: a column of SQLite, computed on PostgreSQL.
  case delay = 14
  case extras = 15
  // Columns of PostgreSQL. SQLite has them in the row of the context.
  case batteryState = 16
  case motion = 17
  case journal = 18
  /// When the point arrived, milliseconds since 1970: a column of PostgreSQL, computed on SQLite.
  case received = 19
  case importNumber = 20
  /// The device, which all points of a block share.
  case device = 21

  /// The name in both databases.
  package var name: String {
    switch self {
    case .horizontalAccuracy: "horizontal_accuracy"
    case .verticalAccuracy: "vertical_accuracy"
    case .speedAccuracy: "speed_accuracy"
    case .courseAccuracy: "course_accuracy"
    case .batteryLevel: "battery_level"
    case .batteryState: "battery_state"
    case .importNumber: "import"
    default: "\(self)"
    }
  }

  /// The key of a point within its device.
  static let key: [PointColumn] = [.time, .latitude, .longitude]

  /// The columns of the table `points`, in the order of ``PointRow/columns`` on SQLite.
  package static func stored(_ dialect: SQLDialect) -> [PointColumn] {
    let both: [PointColumn] = [
      .device, .time, .latitude, .longitude, .altitude, .horizontalAccuracy, .verticalAccuracy, .speed, .speedAccuracy, .course,
      .courseAccuracy, .batteryLevel,
    ]
    return switch dialect {
    case .sqlite: both + [.context, .sequence, .delay, .extras]
    case .postgres: both + [.batteryState, .motion, .context, .journal, .sequence, .received, .extras, .importNumber]
    }
  }

  /// Returns the value of ``delay``: the seconds between two times in milliseconds, rounded down; 0 if the difference overflows.
  @inline(__always)
  package static func delay(from time: Int64, to received: Int64) -> Int64 {
    let (milliseconds, isTooMuch) = received.subtractingReportingOverflow(time)
    guard !isTooMuch else { return 0 }
    return milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
  }

  /// Returns the columns, followed by those columns of the key that are missing.
  static func withKey(_ columns: [PointColumn]) -> [PointColumn] { columns + key.filter { !columns.contains($0) } }

  /// `SELECT … FROM points` of columns, in their order.
  static func select(_ columns: [PointColumn], _ dialect: SQLDialect) -> String {
    "SELECT \(columns.map { $0.sql(dialect) }.joined(separator: ", ")) FROM points"
  }

  /// The column in a `SELECT` from `points`.
  private func sql(_ dialect: SQLDialect) -> String {
    switch (self, dialect) {
    case (.received, .sqlite): "points.time + points.delay * 1000 AS received"
    // Negative values are rounded down, as in SQLite.
    case (.delay, .postgres):
      "(points.received - points.time - 999 * (CASE WHEN points.received < points.time THEN 1 ELSE 0 END)) / 1000 AS delay"
    case (.batteryState, .sqlite), (.motion, .sqlite), (.journal, .sqlite), (.importNumber, .sqlite): "NULL AS \(name)"
    default: "points.\(name)"
    }
  }
}
