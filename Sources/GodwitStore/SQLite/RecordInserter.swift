internal import Foundation
internal import GodwitModel
internal import GodwitSQLite

/// Writes records into an open transaction. This is the store's hot path. Used by the writer's thread.
final class RecordInserter {
  private let database: Database
  private let connection: SQLiteConnection
  private let point: Statement
  private let event: Statement
  private let rejection: Statement
  private let contact: Statement
  private let ranges: RangeRecorder
  private var contexts = InternedContexts()
  private var journals: [JournalKey: Int64] = [:]
  private var lastJournal: (key: JournalKey, id: Int64)?
  /// Recognizes points that are in blocks, during a transaction.
  private var sealed = SealedDuplicates()

  private struct JournalKey: Hashable {
    var device: Int64
    var journal: UInt64
  }

  init(_ database: Database) throws {
    self.database = database
    connection = SQLiteConnection(database)
    point = try database.statement(PointRow.insert)
    event = try database.statement(
      """
      INSERT INTO events (device, kind, time, discriminator, received, ended, record, import) VALUES (?,?,?,?,?,?,?,?)
      ON CONFLICT DO UPDATE SET received = excluded.received, ended = excluded.ended, record = excluded.record,
        import = excluded.import WHERE excluded.ended > ended
      """)
    rejection = try database.statement(
      "INSERT INTO rejected_records (device, received, place, reason, raw, protocol, origin, size) VALUES (?,?,?,?,?,?,?,?)")
    contact = try database.statement(
      "UPDATE devices SET last_contact = max(coalesce(last_contact, ?2), coalesce(?2, last_contact)), points = points + ?3 WHERE id = ?1"
    )
    ranges = try RangeRecorder(database)
  }

  /// Discards the decoded blocks: another connection may have changed the blocks before this transaction.
  func beginTransaction() { sealed = SealedDuplicates() }

  /// Stores the new records of a submission.
  func insert(_ submission: Submission) throws -> SubmissionResult {
    var stored = SubmissionResult()
    let device = submission.device.id
    let received = submission.received.millisecondsSince1970
    for index in submission.records.indices {
      let isNew: Bool
      switch submission.records[index].kind {
      case .fix(let fix):
        isNew =
          try !sealed.contains(PointRow.key(fix), ofDevice: device, connection)
          && insertPoint(fix, of: submission.records[index], device: device, received: received, importID: submission.importID)
        if isNew { stored.savedPoints += 1 }
      default:
        try insertEvent(submission.records[index], device: device, received: received, importID: submission.importID)
        isNew = database.changes > 0
      }
      if isNew {
        stored.saved += 1
      } else {
        stored.duplicates += 1
        stored.known.append(index)
      }
    }
    for rejected in submission.rejections where submission.retrying == nil {
      rejection.bind(device, at: 1)
      rejection.bind(received, at: 2)
      rejection.bind(rejected.place, at: 3)
      rejection.bind(rejected.reason, at: 4)
      rejection.bind(rejected.raw, at: 5)
      rejection.bind(rejected.origin?.format.rawValue, at: 6)
      rejection.bind(rejected.origin?.stored, at: 7)
      rejection.bind(Int64(rejected.size), at: 8)
      try rejection.runAndReset()
    }
    if let range = submission.range {
      try ranges.add(range, journal: try number(of: JournalKey(device: device, journal: range.journal)), received: received)
    }
    return stored
  }

  /// Records a contact of a device and the number of its new points. Called once for each device and commit. A `nil` time leaves
  /// the last contact unchanged.
  func recordContact(device: Int64, at received: Date?, newPoints: Int) throws {
    contact.bind(device, at: 1)
    contact.bind(received?.millisecondsSince1970, at: 2)
    contact.bind(Int64(newPoints), at: 3)
    try contact.runAndReset()
  }

  /// Discards cached numbers, because their rows may have been rolled back or deleted.
  func discardInterned() {
    contexts = InternedContexts()
    journals = [:]
    lastJournal = nil
  }

  /// - Returns: whether the point is new.
  @inline(__always)
  private func insertPoint(
    _ fix: Fix, of record: borrowing Record, device: Int64, received: Int64, importID: Int64?
  ) throws -> Bool {
    let context = try context(of: record, device: device, importID: importID)
    PointRow.bind(fix, of: record, device: device, context: context, received: received, to: point)
    try point.runAndReset()
    return database.changes > 0
  }

  private func insertEvent(_ record: Record, device: Int64, received: Int64, importID: Int64?) throws {
    let row = EventRow(record)
    event.bind(device, at: 1)
    event.bind(row.kind, at: 2)
    event.bind(row.time, at: 3)
    event.bind(row.discriminator, at: 4)
    event.bind(received, at: 5)
    event.bind(row.hasEnded ? 1 : 0 as Int64, at: 6)
    event.bind(try row.json(), at: 7)
    event.bind(importID, at: 8)
    try event.runAndReset()
  }

  private func context(of record: borrowing Record, device: Int64, importID: Int64?) throws -> Int64? {
    let journal = try record.id.map { try number(of: JournalKey(device: device, journal: $0.journal)) }
    return try contexts.id(of: record.context, journal: journal, importID: importID, in: database)
  }

  private func number(of key: JournalKey) throws -> Int64 {
    if let lastJournal, lastJournal.key == key { return lastJournal.id }
    let number = try journals[key] ?? addJournal(key)
    lastJournal = (key, number)
    return number
  }

  private func addJournal(_ key: JournalKey) throws -> Int64 {
    let journal = Int64(bitPattern: key.journal)
    try database.run("INSERT INTO journals (device, journal) VALUES (?, ?) ON CONFLICT DO NOTHING", key.device, journal)
    let number = try database.integer("SELECT id FROM journals WHERE device = ? AND journal = ?", key.device, journal)
    guard let number else { throw StoreError.missingRow(table: "journals") }
    journals[key] = number
    return number
  }
}

/// A cache of recently used rows of `contexts`.
private struct InternedContexts {
  private struct Key: Hashable {
    var journal: Int64?
    var wifi: String?
    var trip: String?
    var deviceID: String?
    var uniqueID: String?
    var batteryState: Int64?
    var motion: Int64?
    var importID: Int64?

    init(_ context: borrowing DeviceContext, _ journal: Int64?, _ importID: Int64?) {
      (self.journal, self.importID) = (journal, importID)
      wifi = context.wifi
      trip = context.tripID
      deviceID = context.deviceID
      uniqueID = context.uniqueID
      batteryState = (context.batteryState?.rawValue).map { Int64($0) }
      motion = context.motion.isEmpty ? nil : Int64(context.motion.rawValue)
    }

    var isEmpty: Bool {
      journal == nil && wifi == nil && trip == nil && deviceID == nil && uniqueID == nil && batteryState == nil && motion == nil
        && importID == nil
    }
  }
  private var numbers: [Key: Int64] = [:]
  private var last: (key: Key, id: Int64)?
  /// Maximum cached keys. A larger cache is cleared.
  private static let capacity = 20_000

  /// - Parameters:
  ///   - journal: the number of the row in `journals`.
  ///   - importID: the number of the import that the point belongs to.
  mutating func id(
    of context: borrowing DeviceContext, journal: Int64?, importID: Int64?, in database: Database
  ) throws -> Int64? {
    let key = Key(context, journal, importID)
    if let last, last.key == key { return last.id }
    if key.isEmpty { return nil }
    let number: Int64
    if let known = numbers[key] {
      number = known
    } else {
      number = try Self.find(key, in: database) ?? Self.add(key, to: database)
      if numbers.count >= Self.capacity { numbers.removeAll(keepingCapacity: true) }
      numbers[key] = number
    }
    last = (key, number)
    return number
  }

  private static func find(_ key: Key, in database: Database) throws -> Int64? {
    try database.integer(
      """
      SELECT id FROM contexts WHERE journal IS ? AND device_id IS ? AND wifi IS ? AND trip IS ? AND unique_id IS ?
        AND motion IS ? AND battery_state IS ? AND import IS ? AND retired IS NULL
      """, key.journal, key.deviceID, key.wifi, key.trip, key.uniqueID, key.motion, key.batteryState, key.importID)
  }

  private static func add(_ key: Key, to database: Database) throws -> Int64 {
    try database.run(
      """
      INSERT INTO contexts (journal, device_id, wifi, trip, unique_id, motion, battery_state, import)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, key.journal, key.deviceID, key.wifi, key.trip, key.uniqueID, key.motion, key.batteryState, key.importID)
    return database.lastInsertedRow
  }
}
