internal import Foundation
internal import GodwitModel
internal import GodwitSQLite

/// How a record lies in the journal's table: which column, which unit.
struct RecordAppender {
  static let columns = """
    sequence, recorded, kind, time, latitude, longitude, horizontal_accuracy, altitude, vertical_accuracy, speed, \
    speed_accuracy, course, course_accuracy, battery_level, battery_state, motion, wifi, trip, device_id, unique_id, \
    extras, detail
    """
  static let columnCount: Int32 = 22

  private let insert: Statement

  init(_ database: Database) throws {
    insert = try database.statement(
      "INSERT INTO records (\(Self.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
  }

  func append(_ record: Record, sequence: Int64, recordedAt now: Date) throws {
    insert.bind(sequence, at: 1)
    insert.bind(now.timeIntervalSince1970, at: 2)
    insert.bind(record.time.timeIntervalSince1970, at: 4)
    if case .fix(let fix) = record.kind {
      insert.bind(0 as Int64, at: 3)
      insert.bind(fix.coordinate.latitude, at: 5)
      insert.bind(fix.coordinate.longitude, at: 6)
      insert.bind(fix.horizontalAccuracy, at: 7)
      insert.bind(fix.altitude, at: 8)
      insert.bind(fix.verticalAccuracy, at: 9)
      insert.bind(fix.speed, at: 10)
      insert.bind(fix.speedAccuracy, at: 11)
      insert.bind(fix.course, at: 12)
      insert.bind(fix.courseAccuracy, at: 13)
      insert.bindNull(at: 22)
    } else {
      insert.bind(1 as Int64, at: 3)
      for column in 5...13 as ClosedRange<Int32> { insert.bindNull(at: column) }
      insert.bind(String(decoding: try JSONEncoder().encode(record.kind), as: UTF8.self), at: 22)
    }
    let context = record.context
    insert.bind(context.batteryLevel, at: 14)
    insert.bind((context.batteryState?.rawValue).map { Int64($0) }, at: 15)
    insert.bind(Int64(context.motion.rawValue), at: 16)
    insert.bind(context.wifi, at: 17)
    insert.bind(context.tripID, at: 18)
    insert.bind(context.deviceID, at: 19)
    insert.bind(context.uniqueID, at: 20)
    insert.bind(record.extras, at: 21)
    try insert.runAndReset()
  }

  static func read(_ row: Statement, journal: UInt64) throws -> (sequence: Int64, record: Record) {
    let sequence = row.integer(0)
    let time = Date(timeIntervalSince1970: row.double(3))
    let kind: Record.Kind
    if row.integer(2) == 0, let place = Coordinate(latitude: row.double(4), longitude: row.double(5)) {
      kind = .fix(
        Fix(
          time: time, coordinate: place, horizontalAccuracy: row.optionalDouble(6), altitude: row.optionalDouble(7),
          verticalAccuracy: row.optionalDouble(8), speed: row.optionalDouble(9), speedAccuracy: row.optionalDouble(10),
          course: row.optionalDouble(11), courseAccuracy: row.optionalDouble(12)))
    } else if let detail = row.optionalText(21),
      let stored = try? JSONDecoder().decode(Record.Kind.self, from: Data(detail.utf8))
    {
      kind = stored
    } else {
      // A row that somebody damaged is told as what it is, and blocks nothing.
      kind = .action(Action(time: time, name: "unreadable_record"))
    }
    let context = DeviceContext(
      batteryLevel: row.optionalDouble(13),
      batteryState: row.optionalInteger(14).flatMap { BatteryState(rawValue: UInt8(truncatingIfNeeded: $0)) },
      motion: Motion(rawValue: UInt8(truncatingIfNeeded: row.integer(15))), wifi: row.optionalText(16),
      tripID: row.optionalText(17), deviceID: row.optionalText(18), uniqueID: row.optionalText(19))
    let id = RecordID(journal: journal, sequence: sequence)
    return (sequence, Record(id: id, kind: kind, context: context, extras: row.optionalText(20)))
  }
}
