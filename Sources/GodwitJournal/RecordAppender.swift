internal import Foundation
internal import GodwitModel
internal import GodwitSQLite

/// Writes records to the journal's tables. Used only while the journal's writer is locked.
final class RecordAppender {
  static let columns = """
    sequence, recorded, kind, time, latitude, longitude, horizontal_accuracy, altitude, vertical_accuracy, speed, \
    speed_accuracy, course, course_accuracy, context, detail
    """

  /// The values that many records share.
  private struct SharedPart: Hashable {
    var context: DeviceContext
    var extras: String?
  }

  private let insert: Statement
  private let insertContext: Statement
  private let encoder = JSONEncoder()
  /// The contexts in the file that may be reused, with their ids. It is cleared from time to time.
  private var known: [SharedPart: Int64] = [:]
  private var last: (common: SharedPart, id: Int64)?
  /// The sequence number of the first record for which the known contexts may be used.
  private var knownSince: Int64 = 0

  /// Records after which a context is written again, so that old contexts can be removed by id.
  static let contextSpan: Int64 = 4096
  private static let maximumKnown = 64

  init(_ database: Database) throws {
    insert = try database.statement(
      "INSERT INTO records (\(Self.columns), uptime) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
    insertContext = try database.statement("INSERT INTO contexts (id, context, extras) VALUES (?,?,?)")
    encoder.outputFormatting = .sortedKeys
  }

  func append(_ record: Record, sequence: Int64, recordedAt now: Date, runningTime: Int64) throws {
    let context = try contextID(SharedPart(context: record.context, extras: record.extras), sequence)
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
      insert.bindNull(at: 15)
    } else {
      insert.bind(1 as Int64, at: 3)
      for column in 5...13 as ClosedRange<Int32> { insert.bindNull(at: column) }
      insert.bind(String(decoding: try encoder.encode(record.kind), as: UTF8.self), at: 15)
    }
    insert.bind(context, at: 14)
    insert.bind(runningTime, at: 16)
    try insert.runAndReset()
  }

  /// Discards contexts that a rolled-back transaction had written.
  func invalidate() {
    known = [:]
    last = nil
  }

  private func contextID(_ common: SharedPart, _ sequence: Int64) throws -> Int64 {
    if sequence - knownSince >= Self.contextSpan || known.count >= Self.maximumKnown {
      invalidate()
      knownSince = sequence
    }
    if let last, last.common == common { return last.id }
    if let id = known[common] {
      last = (common, id)
      return id
    }
    insertContext.bind(sequence, at: 1)
    insertContext.bind(String(decoding: try encoder.encode(common.context), as: UTF8.self), at: 2)
    insertContext.bind(common.extras, at: 3)
    try insertContext.runAndReset()
    known[common] = sequence
    last = (common, sequence)
    return sequence
  }
}

/// Reads records from the journal's tables. Used only while the journal's reader is locked.
final class RecordReader {
  private let database: Database
  private let journal: UInt64
  private let decoder = JSONDecoder()
  private var contexts: [Int64: (context: DeviceContext, extras: String?)] = [:]
  private static let maximumContexts = 256
  /// Sequence numbers of the rows that could not be read.
  private(set) var damaged: Set<Int64> = []
  private static let maximumDamaged = 10_000

  init(_ database: Database, journal: UInt64) {
    self.database = database
    self.journal = journal
  }

  /// Reads a row of ``RecordAppender/columns`` by position. Access by name would cost time for each record.
  func read(_ row: Statement) throws -> (sequence: Int64, record: Record) {
    let sequence = row.integer(0)
    let time = Date(timeIntervalSince1970: row.double(3))
    let kind: Record.Kind
    if row.integer(2) == 0, let latitude = row.optionalDouble(4), let longitude = row.optionalDouble(5),
      let place = Coordinate(latitude: latitude, longitude: longitude)
    {
      kind = .fix(
        Fix(
          time: time, coordinate: place, horizontalAccuracy: row.optionalDouble(6), altitude: row.optionalDouble(7),
          verticalAccuracy: row.optionalDouble(8), speed: row.optionalDouble(9), speedAccuracy: row.optionalDouble(10),
          course: row.optionalDouble(11), courseAccuracy: row.optionalDouble(12)))
    } else if let detail = row.optionalText(14),
      let stored = try? decoder.decode(Record.Kind.self, from: Data(detail.utf8))
    {
      kind = stored
    } else {
      // A damaged row becomes an action of its own and does not block other rows.
      if damaged.count < Self.maximumDamaged { damaged.insert(sequence) }
      kind = .action(Action(time: time, name: "unreadable_record"))
    }
    let common = try context(row.integer(13))
    var record = Record(
      id: RecordID(journal: journal, sequence: RecordNumber(clamping: sequence)), kind: kind, context: common.context,
      extras: common.extras)
    record.received = Date(timeIntervalSince1970: row.double(1))
    return (sequence, record)
  }

  private func context(_ id: Int64) throws -> (context: DeviceContext, extras: String?) {
    if let known = contexts[id] { return known }
    let row = try database.statement("SELECT context, extras FROM contexts WHERE id = ?")
    row.bind(id, at: 1)
    defer { row.reset() }
    guard try row.step() else { return (DeviceContext(), nil) }
    let (text, extras) = (row.text(0), row.optionalText(1))
    try row.checkMemory()
    // A damaged context counts as unknown.
    let result = ((try? decoder.decode(DeviceContext.self, from: Data(text.utf8))) ?? DeviceContext(), extras)
    if contexts.count >= Self.maximumContexts { contexts = [:] }
    contexts[id] = result
    return result
  }
}
