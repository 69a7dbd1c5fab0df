internal import Foundation
internal import GodwitModel
internal import GodwitSQLite

/// Writes records into an open transaction: the store's hot path. Belongs to the writer's thread.
final class RecordInserter {
  private let database: Database
  private let point: Statement
  private let event: Statement
  private let refusal: Statement
  private let contact: Statement
  private let ranges: RangeKeeper
  private var contexts = InternedContexts()
  private var journals: [JournalKey: Int64] = [:]
  private var lastJournal: (key: JournalKey, id: Int64)?

  private struct JournalKey: Hashable {
    var device: Int64
    var journal: UInt64
  }

  /// Most bytes of a refused part that are kept.
  static let keptRefusalBytes = 64 << 10

  init(_ database: Database) throws {
    self.database = database
    point = try database.statement(PointRow.insert)
    event = try database.statement(
      """
      INSERT INTO events (device, kind, time, discriminator, received, ended, record) VALUES (?,?,?,?,?,?,?)
      ON CONFLICT DO UPDATE SET received = excluded.received, ended = excluded.ended, record = excluded.record
        WHERE excluded.ended > ended
      """)
    refusal = try database.statement(
      "INSERT INTO refusals (device, received, place, reason, raw) VALUES (?,?,?,?,?)")
    contact = try database.statement("UPDATE devices SET last_contact = ?2, points = points + ?3 WHERE id = ?1")
    ranges = try RangeKeeper(database)
  }

  /// Stores what is new of a submission.
  func insert(_ submission: Submission) throws -> Stored {
    var stored = Stored()
    let device = submission.device.id
    let received = submission.received.millisecondsSince1970
    for index in submission.records.indices {
      switch submission.records[index].kind {
      case .fix(let fix):
        let references = try references(of: submission.records[index], device: device)
        PointRow.bind(
          fix, of: submission.records[index], device: device, references: references, received: received, to: point)
        try point.runAndReset()
        stored.savedPoints += database.changes
      default:
        try insertEvent(submission.records[index], device: device, received: received)
      }
      if database.changes > 0 {
        stored.saved += 1
      } else {
        stored.duplicates += 1
        stored.known.append(index)
      }
    }
    for refused in submission.refusals {
      refusal.bind(device, at: 1)
      refusal.bind(received, at: 2)
      refusal.bind(refused.place, at: 3)
      refusal.bind(refused.reason, at: 4)
      refusal.bind(Array(refused.raw.prefix(Self.keptRefusalBytes)), at: 5)
      try refusal.runAndReset()
    }
    if let range = submission.range {
      try ranges.add(range, journal: try number(of: JournalKey(device: device, journal: range.journal)))
    }
    return stored
  }

  /// Notes that a device was heard of and how many points it has more; once per device and commit, not per
  /// request.
  func noteContact(device: Int64, at received: Date, newPoints: Int) throws {
    contact.bind(device, at: 1)
    contact.bind(received.millisecondsSince1970, at: 2)
    contact.bind(Int64(newPoints), at: 3)
    try contact.runAndReset()
  }

  /// Forgets the numbers that a transaction gave out which was rolled back.
  func forgetInterned() {
    contexts = InternedContexts()
    journals = [:]
    lastJournal = nil
  }

  private func insertEvent(_ record: Record, device: Int64, received: Int64) throws {
    let row = EventRow(record)
    event.bind(device, at: 1)
    event.bind(row.kind, at: 2)
    event.bind(row.time, at: 3)
    event.bind(row.discriminator, at: 4)
    event.bind(received, at: 5)
    event.bind(row.hasEnded ? 1 : 0 as Int64, at: 6)
    event.bind(try row.json(), at: 7)
    try event.runAndReset()
  }

  private func references(of record: borrowing Record, device: Int64) throws -> PointRow.References {
    var references = PointRow.References()
    references.context = try contexts.id(of: record.context, in: database)
    if let id = record.id {
      references.sequence = id.sequence
      references.journal = try number(of: JournalKey(device: device, journal: id.journal))
    }
    return references
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
    guard let number else { throw StoreError.closed }
    journals[key] = number
    return number
  }
}

/// The rows of `contexts` that were used lately.
private struct InternedContexts {
  private struct Key: Hashable {
    var wifi: String?
    var trip: String?
    var deviceID: String?
    var uniqueID: String?
  }
  private var numbers: [Key: Int64] = [:]
  private var last: (key: Key, id: Int64)?
  /// Keys that are remembered before all are forgotten.
  private static let capacity = 20_000

  mutating func id(of context: borrowing DeviceContext, in database: Database) throws -> Int64? {
    if context.wifi == nil, context.tripID == nil, context.deviceID == nil, context.uniqueID == nil { return nil }
    let key = Key(wifi: context.wifi, trip: context.tripID, deviceID: context.deviceID, uniqueID: context.uniqueID)
    if let last, last.key == key { return last.id }
    if let known = numbers[key] {
      last = (key, known)
      return known
    }
    let found = try database.integer(
      "SELECT id FROM contexts WHERE wifi IS ? AND trip IS ? AND device_id IS ? AND unique_id IS ?", key.wifi, key.trip,
      key.deviceID, key.uniqueID)
    var number = found ?? 0
    if found == nil {
      try database.run(
        "INSERT INTO contexts (wifi, trip, device_id, unique_id) VALUES (?, ?, ?, ?)", key.wifi, key.trip,
        key.deviceID, key.uniqueID)
      number = database.lastInsertedRow
    }
    if numbers.count >= Self.capacity { numbers.removeAll(keepingCapacity: true) }
    numbers[key] = number
    last = (key, number)
    return number
  }
}
