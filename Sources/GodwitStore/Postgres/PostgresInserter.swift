internal import Foundation
internal import GodwitModel
internal import GodwitPostgres
internal import GodwitSecrets

/// Writes groups of submissions, each into an open transaction. This is the store's hot path. Used by the writer's thread with one session.
///
/// Several servers write at the same time. A transaction first locks the rows of its group's devices, in the order of their
/// numbers. This prevents deadlocks and concurrent writes of the same points, events or ranges. Shared contexts and numbers of
/// journals are inserted before the transaction, in separate statements.
final class PostgresInserter {
  private let session: PostgresSession
  /// Whether the store is distributed over workers.
  let isDistributed: Bool
  private var partitions = PostgresPartitions()
  private var contexts: [ContextKey: Int64] = [:]
  private var journals: [JournalKey: Int64] = [:]
  /// Maximum cached contexts and journals. A larger cache is cleared.
  private static let remembered = 20_000

  private struct JournalKey: Hashable {
    var device: Int64
    var journal: UInt64
  }

  private struct ContextKey: Hashable {
    var wifi: String?
    var trip: String?
    var deviceID: String?
    var uniqueID: String?

    /// Returns `nil` for an empty context.
    init?(_ context: borrowing DeviceContext) {
      if context.wifi == nil, context.tripID == nil, context.deviceID == nil, context.uniqueID == nil { return nil }
      wifi = context.wifi
      trip = context.tripID
      deviceID = context.deviceID
      uniqueID = context.uniqueID
    }

    var arguments: [PostgresValue] { [wifi, trip, deviceID, uniqueID].map { $0.map { .text($0) } ?? .null } }
  }

  /// The data of a group that was prepared before its transaction.
  struct Prepared {
    fileprivate var points: [UInt8]
    fileprivate var keys: [PostgresCopy.Key]
    fileprivate var journals: [Int64?]
  }

  /// Discards the cached numbers of contexts and journals, because their rows may have been deleted.
  func discardInterned() {
    contexts.removeAll()
    journals.removeAll()
  }

  init(_ session: PostgresSession) throws {
    self.session = session
    isDistributed = try PostgresDistribution.prepareForWriting(session)
    try session.execute(PostgresCopy.tableDefinition)
  }

  /// Inserts the shared rows that a group refers to, and encodes its points.
  /// - Parameters:
  ///   - group: the submissions.
  ///   - sealed: ordinals of points to exclude, because they are in blocks.
  func prepare(_ group: [Submission], leavingOut sealed: Set<Int32> = []) throws -> Prepared {
    if contexts.count > Self.remembered { contexts.removeAll() }
    if journals.count > Self.remembered { journals.removeAll() }
    var copy = PostgresCopy()
    var ranges: [Int64?] = []
    var ordinal: Int32 = -1
    for submission in group {
      let device = submission.device.id
      let received = submission.received.millisecondsSince1970
      var lastJournal: (key: UInt64, id: Int64)?
      var lastContext: (key: ContextKey, id: Int64)?
      for index in submission.records.indices {
        guard case .fix(let fix) = submission.records[index].kind else { continue }
        ordinal += 1
        if !sealed.isEmpty, sealed.contains(ordinal) { continue }
        var references = PostgresCopy.References()
        references.importID = submission.importID
        if let key = ContextKey(submission.records[index].context) {
          if let last = lastContext, last.key == key {
            references.context = last.id
          } else {
            let id = try number(of: key)
            references.context = id
            lastContext = (key, id)
          }
        }
        if let id = submission.records[index].id {
          references.sequence = id.sequence.value
          if let last = lastJournal, last.key == id.journal {
            references.journal = last.id
          } else {
            let number = try number(of: JournalKey(device: device, journal: id.journal))
            references.journal = number
            lastJournal = (id.journal, number)
          }
        }
        copy.append(fix, of: submission.records[index], device: device, references: references, received: received)
      }
      ranges.append(try submission.range.map { try number(of: JournalKey(device: device, journal: $0.journal)) })
    }
    let keys = copy.keys
    // With `sealed` this runs in the group's transaction, before which the partitions were prepared for all of its points.
    if sealed.isEmpty {
      let now = group.map(\.received.millisecondsSince1970).max() ?? 0
      try partitions.prepare(for: keys.lazy.map(\.time), at: now, session)
    }
    return Prepared(points: copy.finished(), keys: keys, journals: ranges)
  }

  /// Begins the transaction, and locks the devices of a group.
  func begin(_ group: [Submission], _ prepared: Prepared) throws {
    let devices = Set(group.map(\.device.id)).sorted().map(String.init).joined(separator: ", ")
    try session.execute("BEGIN; SELECT id FROM devices WHERE id IN (\(devices)) ORDER BY id FOR NO KEY UPDATE")
    // For a group with points, the COPY of the points does this.
    if isDistributed, prepared.keys.isEmpty { try PostgresDistribution.commitInTwoPhases(session) }
  }

  /// Stores the new records of a group.
  /// - Returns: the result of each submission.
  func insert(_ group: [Submission], _ prepared: Prepared) throws -> [SubmissionResult] {
    let sealed = try sealedPoints(prepared)
    let old =
      sealed.isEmpty
      ? try insertPoints(prepared)
      : try sealed.union(
        Self.shifted(insertPoints(prepare(group, leavingOut: sealed)), leavingOut: sealed, count: prepared.keys.count))
    var results: [SubmissionResult] = []
    var point: Int32 = 0
    for (submission, journal) in zip(group, prepared.journals) {
      var stored = SubmissionResult()
      let device = submission.device.id
      let received = submission.received.millisecondsSince1970
      for index in submission.records.indices {
        let isNew: Bool
        if case .fix = submission.records[index].kind {
          isNew = !old.contains(point)
          point += 1
          if isNew { stored.savedPoints += 1 }
        } else {
          isNew = try insertEvent(
            submission.records[index], device: device, received: received, importID: submission.importID)
        }
        if isNew {
          stored.saved += 1
        } else {
          stored.duplicates += 1
          stored.known.append(index)
        }
      }
      for rejected in submission.rejections where submission.retrying == nil {
        try session.run(
          """
          INSERT INTO rejected_records (device, received, place, reason, raw, protocol, origin, size) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """,
          [
            .integer(device), .integer(received), .text(rejected.place), .text(rejected.reason),
            .blob(rejected.raw),
            rejected.origin.map { .text($0.format.rawValue) } ?? .null, rejected.origin.map { .text($0.stored) } ?? .null,
            .integer(Int64(rejected.size)),
          ])
      }
      if let range = submission.range, let journal { try add(range, journal: journal, received: received) }
      results.append(stored)
    }
    return results
  }

  /// Stands for the time of a device's last contact, if the group contains only imported records of the device.
  private static let unknownDevice: Int64 = -1

  /// Updates the contacts and counts of points of devices, and commits.
  func finish(_ results: [(Submission, SubmissionResult)]) throws {
    var contacts: [Int64: (received: Int64, points: Int64)] = [:]
    for (submission, stored) in results {
      let before = contacts[submission.device.id] ?? (Self.unknownDevice, 0)
      contacts[submission.device.id] = (
        submission.isHistory ? before.received : submission.received.millisecondsSince1970,
        before.points + Int64(stored.savedPoints)
      )
    }
    var (devices, times, counts) = (PostgresArray(of: .int8), PostgresArray(of: .int8), PostgresArray(of: .int8))
    for (device, contact) in contacts {
      devices.append(device)
      times.append(contact.received)
      counts.append(contact.points)
    }
    // A server that commits later may have received its records earlier.
    try session.run(
      """
      UPDATE devices SET last_contact = greatest(last_contact, nullif(contacts.received, \(Self.unknownDevice))),
        points = devices.points + contacts.points
      FROM unnest(?, ?, ?) AS contacts (device, received, points) WHERE devices.id = contacts.device
      """, [devices.value(), times.value(), counts.value()])
    try session.execute("COMMIT")
  }

  // MARK: Points

  /// Returns the ordinals of points that are in blocks. The devices are locked, so that no block changes until the commit.
  private func sealedPoints(_ prepared: Prepared) throws -> Set<Int32> {
    guard let first = prepared.keys.lazy.map(\.time).min() else { return [] }
    let connection = PostgresConnection(session)
    var blocks = try SealedDuplicates(devices: Set(prepared.keys.lazy.map { Int64($0.device) }), from: first, connection)
    guard blocks.isNeeded else { return [] }
    var sealed: Set<Int32> = []
    for (ordinal, key) in prepared.keys.enumerated() {
      let point = PointKey(time: key.time, latitude: Int64(key.latitude), longitude: Int64(key.longitude))
      if try blocks.contains(point, ofDevice: Int64(key.device), connection) { sealed.insert(Int32(ordinal)) }
    }
    return sealed
  }

  /// Converts ordinals among the unsealed points to ordinals among all points.
  private static func shifted(_ ordinals: Set<Int32>, leavingOut sealed: Set<Int32>, count: Int) -> Set<Int32> {
    let rest = (0..<Int32(clamping: count)).filter { !sealed.contains($0) }
    return Set(ordinals.map { rest[Int($0)] })
  }

  /// Inserts all points, and returns the ordinals of those that existed before or are duplicates in the group.
  ///
  /// Usually all points are new. `COPY` into the table takes a quarter of the time, and writes a quarter of the log, of a statement
  /// with a conflict check. If a point exists, `COPY` fails, and that statement is used.
  private func insertPoints(_ prepared: Prepared) throws -> Set<Int32> {
    guard !prepared.keys.isEmpty else { return [] }
    do {
      try session.copy("SAVEPOINT points; " + PostgresCopy.statement(into: "points"), prepared.points)
      return []
    } catch {
      // For an error during a COPY to a worker, Citus reports only the message.
      guard error.kind == .duplicate || isDistributed && error.kind == .unavailable else { throw error }
      try session.execute("ROLLBACK TO SAVEPOINT points")
    }
    try session.copy(PostgresCopy.statement(into: PostgresCopy.table), prepared.points)
    let rows = try session.run(
      """
      INSERT INTO points (\(PostgresCopy.columns)) SELECT \(PostgresCopy.columns) FROM \(PostgresCopy.table) ORDER BY ordinal
      ON CONFLICT (device, time, latitude, longitude) DO NOTHING RETURNING device, time, latitude, longitude
      """)
    var inserted: Set<PostgresCopy.Key> = []
    // By position: resolving a name for each column would cost time for each point.
    while rows.next() {
      inserted.insert(
        PostgresCopy.Key(
          device: Int32(truncatingIfNeeded: rows.integer(0)), time: rows.integer(1),
          latitude: Int32(truncatingIfNeeded: rows.integer(2)), longitude: Int32(truncatingIfNeeded: rows.integer(3))))
    }
    var old: Set<Int32> = []
    // Of several equal points, the first was inserted.
    for (index, key) in prepared.keys.enumerated() where inserted.remove(key) == nil { old.insert(Int32(index)) }
    return old
  }

  private func insertEvent(_ record: Record, device: Int64, received: Int64, importID: Int64?) throws -> Bool {
    let row = EventRow(record)
    let inserted = try session.run(
      """
      INSERT INTO events (device, kind, time, discriminator, received, ended, record, import) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (device, kind, time, discriminator) DO UPDATE SET received = excluded.received, ended = excluded.ended,
        record = excluded.record, import = excluded.import WHERE excluded.ended > events.ended
      """,
      [
        .integer(device), .text(row.kind), .integer(row.time), .text(Self.key(row.discriminator)), .integer(received),
        .integer(row.hasEnded ? 1 : 0), .text(try row.json()), importID.map { .integer($0) } ?? .null,
      ])
    return inserted.changes > 0
  }

  /// A text as part of a key. A long text is truncated, and its hash is appended.
  private static func key(_ text: String) -> String {
    guard text.utf8.count > 600 else { return text }
    let hash = AccessToken(text).hash.map { String($0, radix: 16) }.joined(separator: ".")
    return String(decoding: text.utf8.prefix(400), as: UTF8.self) + "…" + hash
  }

  // MARK: Ranges

  /// Adds a range, and merges ranges that it touches.
  private func add(_ range: SequenceRange, journal: Int64, received: Int64) throws {
    let (first, last) = (range.numbers.lowerBound.value, range.numbers.upperBound.value)
    let merged = try session.run(
      """
      WITH touching AS (
        DELETE FROM received_ranges WHERE journal = ?1 AND first <= ?4 AND last >= ?5 RETURNING first, last, began, ended
      ) SELECT least(?2, min(first)), greatest(?3, max(last)),
        CASE WHEN min(first) <= ?2 THEN (SELECT began FROM touching ORDER BY first LIMIT 1) ELSE ?6 END,
        CASE WHEN max(last) >= ?3 THEN (SELECT ended FROM touching ORDER BY last DESC LIMIT 1) ELSE ?6 END
      FROM touching
      """,
      [
        .integer(journal), .integer(first), .integer(last), .integer(last + 1), .integer(first - 1),
        .integer(received),
      ])
    guard merged.next() else { return }
    try session.run(
      "INSERT INTO received_ranges (journal, first, last, began, ended) VALUES (?, ?, ?, ?, ?)",
      [
        .integer(journal), .integer(merged.integer(0)), .integer(merged.integer(1)),
        merged.isNull(2) ? .null : .integer(merged.integer(2)), merged.isNull(3) ? .null : .integer(merged.integer(3)),
      ])
    if let since = range.since {
      try session.run(
        "UPDATE journals SET since = ?2 WHERE id = ?1 AND (since IS NULL OR since > ?2)",
        [.integer(journal), .integer(since.value)])
    }
  }

  // MARK: Numbers of shared rows

  private func number(of key: JournalKey) throws -> Int64 {
    if let known = journals[key] { return known }
    let arguments: [PostgresValue] = [.integer(key.device), .integer(Int64(bitPattern: key.journal))]
    let number = try number(
      in: "journals", found: { try session.run("SELECT id FROM journals WHERE device = ? AND journal = ?", arguments) },
      insertion: { try session.run("INSERT INTO journals (device, journal) VALUES (?, ?) ON CONFLICT DO NOTHING", arguments) })
    journals[key] = number
    return number
  }

  private func number(of key: ContextKey) throws -> Int64 {
    if let known = contexts[key] { return known }
    let number = try number(
      in: "contexts",
      found: {
        try session.run(
          """
          SELECT contexts.id FROM contexts, (SELECT CAST(? AS text), CAST(? AS text), CAST(? AS text), CAST(? AS text))
            AS wanted (wifi, trip, device_id, unique_id)
          WHERE \(Self.qualified("contexts")) = \(Self.qualified("wanted")) AND contexts.wifi IS NOT DISTINCT FROM wanted.wifi
            AND contexts.trip IS NOT DISTINCT FROM wanted.trip AND contexts.device_id IS NOT DISTINCT FROM wanted.device_id
            AND contexts.unique_id IS NOT DISTINCT FROM wanted.unique_id AND contexts.retired IS NULL
          """, key.arguments)
      },
      insertion: {
        try session.run(
          "INSERT INTO contexts (wifi, trip, device_id, unique_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", key.arguments)
      })
    contexts[key] = number
    return number
  }

  /// The key expression of a context, with the table's name before each column.
  private static func qualified(_ table: String) -> String {
    PostgresContext.key
      .replacing("device_id", with: "\(table).device_id").replacing("unique_id", with: "\(table).unique_id")
      .replacing("wifi", with: "\(table).wifi").replacing("trip", with: "\(table).trip")
  }

  /// Returns the number of a row. Inserts the row if it does not exist, and selects again, because another server may have inserted
  /// it meanwhile.
  private func number(
    in table: String, found: () throws -> PostgresRows, insertion: () throws -> PostgresRows
  ) throws -> Int64 {
    for _ in 1...3 {
      let rows = try found()
      if rows.next() { return rows.integer(0) }
      _ = try insertion()
    }
    throw StoreError.contended(table: table)
  }
}
