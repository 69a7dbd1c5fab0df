package import Foundation
public import GodwitModel
internal import GodwitSQLite

/// The only queue of a tracker: an append-only SQLite file in which every record waits until every endpoint has
/// acknowledged it. Only `removeRecords(waitingFor:olderThan:at:)` and `shrink(to:at:)` remove a record earlier, and
/// `removeQuarantined(olderThan:at:)` one that an endpoint rejected.
///
/// - When `append(_:remembering:recordedAt:)` has returned, a record survives any end of the program. It also survives a power
/// failure from then on or, if the journal was opened with a `syncInterval`, after at most that many seconds; in any case before
/// it is sent.
/// - Each endpoint has a cursor: the number of the last record that it acknowledged; see `EndpointCursor`.
/// - Sequence numbers are never reused.
///
/// `@unchecked Sendable`: the writing connection and its state are used only while `writing` is locked, the reading
/// connection only while `reading` is. Appending and reading a batch for an upload therefore do not block each other.
public final class Journal: @unchecked Sendable {
  /// The identifier of the journal, created with the file. Endpoints receive other identifiers.
  public let id: UInt64
  public let path: String

  let writing = NSLock()
  let writer: Database
  private let appender: RecordAppender
  var queue: JournalQueue
  var flush: DiskFlush
  /// The running time of trackers with this file before it was opened, in seconds.
  private let earlierRunningTime: Double
  /// Seconds on a clock that is never set and includes sleep, from an arbitrary start.
  private let uptime: @Sendable () -> Double
  private let openedAt: Double

  let reading = NSLock()
  let reader: JournalReader

  /// Opens the file, or creates it.
  /// - Parameters:
  ///   - path: the path of the file. SQLite stores its log next to it.
  ///   - newID: the identifier of a new journal.
  ///   - syncInterval: maximum seconds until appended data is flushed to the disk; 0: each append is flushed. Flushing for every
  ///     fix needs more processor time than everything else, and wears out the disk.
  ///   - uptime: seconds on a clock that is never set and continues while the device sleeps. Records become older only by the
  ///     progress of this clock while this object exists; by default they do not become older.
  /// - Throws: `SQLiteError`, `MigrationError`, or `FormerSchemaError` for a file that a development build wrote, which
  /// ``JournalConversion`` converts. A file that is not a database, or a damaged one, is not changed. Programs that must continue
  /// use ``openMovingDamagedAside(path:newID:syncInterval:uptime:)``.
  package init(
    path: String, newID: UInt64 = UInt64.random(in: 1 ... .max), syncInterval: Double = 0,
    uptime: @escaping @Sendable () -> Double = { 0 }
  ) throws {
    self.path = path
    self.uptime = uptime
    openedAt = uptime()
    writer = try JournalSchema.open(path)
    // Pages of the write-ahead log after which it is reused instead of extended. If each commit is flushed, a small number is
    // better: a commit into existing space does not change the size of the file.
    try writer.execute("PRAGMA wal_autocheckpoint = \(syncInterval > 0 ? 1000 : 250)")
    // Records are appended at one end and read at the other, so a large cache only costs memory. The unit is KiB; SQLite expects
    // it as a negative number.
    try writer.execute("PRAGMA cache_size = -256")
    // Without this check, damage would be detected only when a batch is read or removed, and again at every launch.
    try writer.checkIntegrity()
    try JournalSchema.migrations.apply(to: writer)
    let writer = writer
    id = try writer.transaction {
      if let kept = try writer.integer("SELECT value FROM meta WHERE key = 'journal'") { return UInt64(bitPattern: kept) }
      try writer.run(
        "INSERT OR REPLACE INTO meta (key, value) VALUES ('journal', ?1), ('endpoint_key', ?1)", Int64(bitPattern: newID))
      return newID
    }
    let lastRunningTime = try writer.integer("SELECT uptime FROM records ORDER BY sequence DESC LIMIT 1") ?? 0
    earlierRunningTime = Double(max(lastRunningTime, try writer.integer("SELECT value FROM meta WHERE key = 'uptime'") ?? 0))
    appender = try RecordAppender(writer)
    queue = try JournalQueue(
      writer, endpointKey: try writer.integer("SELECT value FROM meta WHERE key = 'endpoint_key'") ?? Int64(bitPattern: newID))
    flush = DiskFlush(writer, interval: syncInterval)
    reader = try JournalReader(path: path, journal: id)
  }

  /// Opens the file. A damaged or invalid file is renamed and replaced by a new one.
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - newID: the identifier of a new journal.
  ///   - syncInterval: maximum seconds until appended data is flushed.
  ///   - uptime: as in ``init(path:newID:syncInterval:uptime:)``.
  /// - Returns: the journal, and the new name of a damaged file; `nil`: the file was not damaged.
  /// - Throws: the errors of ``init(path:newID:syncInterval:uptime:)``, except for damage.
  package static func openMovingDamagedAside(
    path: String, newID: UInt64 = UInt64.random(in: 1 ... .max), syncInterval: Double = 0,
    uptime: @escaping @Sendable () -> Double = { 0 }
  ) throws -> (journal: Journal, movedAside: String?) {
    do {
      return (try Journal(path: path, newID: newID, syncInterval: syncInterval, uptime: uptime), nil)
    } catch let error as SQLiteError where error.isCorrupt {
      let aside = try DamagedFile.moveAside(path)
      return (try Journal(path: path, newID: newID, syncInterval: syncInterval, uptime: uptime), aside)
    }
  }

  /// The running time of trackers with this file in seconds: the stored time plus the time since the file was opened. It never
  /// decreases, and changes of the wall clock do not affect it.
  var runningTime: Int64 { Int64(min(1e12, earlierRunningTime + max(0, uptime() - openedAt))) }

  // MARK: Writing

  /// Appends records in one transaction, in their order, and stores values with them (`nil` removes a value).
  /// - Parameters:
  ///   - records: the records.
  ///   - notes: the values, by key.
  ///   - now: the time.
  /// - Throws: `SQLiteError`; nothing was written then.
  package func append(_ records: [Record], remembering notes: [String: String?] = [:], recordedAt now: Date) throws {
    guard !records.isEmpty || !notes.isEmpty else { return }
    try writing.withLock {
      var sequence = queue.lastSequence
      // Values without a record come from commands. They are rare and are flushed at once.
      let isDue = records.isEmpty || flush.isDue(now)
      let runningTime = runningTime
      try flush.synchronise(isDue)
      do {
        try writer.transaction {
          for index in records.indices {
            sequence += 1
            try appender.append(records[index], sequence: sequence, recordedAt: now, runningTime: runningTime)
          }
          for (key, value) in notes { try write(note: key, value) }
          // The values may be equal to the stored ones.
          if records.isEmpty, flush.isPending { try flush.writeCount() }
        }
      } catch {
        appender.invalidate()
        throw error
      }
      queue.lastSequence = sequence
      flush.isPending = !isDue
      if isDue { flush.last = now }
    }
  }

  /// Flushes appended data, unless it was flushed within the interval.
  /// - Parameter now: the time; `nil`: flush in any case.
  /// - Throws: `SQLiteError`.
  package func sync(at now: Date? = nil) throws {
    try writing.withLock {
      if let now, !flush.isDue(now) { return }
      try syncAppended()
      if let now { flush.last = now }
    }
  }

  /// Flushes appended data. Requires the lock `writing`.
  private func syncAppended() throws {
    if flush.isPending { try flush.flushAppended() }
  }

  /// Creates a cursor for an endpoint without one. It starts before the first record that another endpoint still waits for.
  package func register(endpoint: String) throws {
    try writing.withLock {
      guard queue.cursors[endpoint] == nil else { return }
      try change(isFlushed: true) { try queue.set(queue.cursor(of: endpoint), of: endpoint) }
    }
  }

  /// Runs a transaction. If it fails, the cursors that it set are restored. Requires the lock `writing`.
  func change(isFlushed: Bool, _ body: () throws -> Void) throws {
    try flush.synchronise(isFlushed)
    let before = queue.cursors
    do { try writer.transaction(body) } catch {
      queue.restore(before)
      throw error
    }
  }

  /// Removes the cursors of endpoints that are no longer used, so that records do not wait for them.
  package func retainOnly(endpoints: Set<String>) throws {
    try writing.withLock {
      for endpoint in queue.cursors.keys where !endpoints.contains(endpoint) {
        try queue.remove(endpoint)
        try write(note: Self.sinceNote(endpoint), nil)
      }
      try writer.transaction { try queue.deleteDelivered() }
      try queue.findFirst()
    }
  }

  /// Acknowledges every record up to `sequence` for an endpoint, in one transaction with the quarantine of rejected records and
  /// the removal of records that every endpoint has.
  /// - Parameters:
  ///   - endpoint: the name of the endpoint.
  ///   - sequence: the last record that the endpoint has.
  ///   - reported: the numbers of the records for the endpoint; `nil`: each record had a number.
  ///   - rejected: the records that the endpoint rejects permanently, with its reasons.
  ///   - bytes: the size of the upload.
  ///   - now: the time.
  package func acknowledge(
    endpoint: String, through sequence: Int64, reported: ReportedNumbers? = nil,
    settingAside rejected: [(sequence: Int64, reason: String)] = [], bytes: Int = 0, at now: Date
  ) throws {
    try writing.withLock {
      var cursor = queue.cursor(of: endpoint)
      let late = sequence <= cursor.acknowledged
      // The batch was in flight while some of its records were counted as lost. They have arrived.
      let arrived = reported.map { queue.lostButArrived(endpoint, $0.first, sequence) } ?? 0
      guard !late || arrived > 0 else { return }
      if let reported { cursor.notify(reported) } else if !late { cursor.number += sequence - cursor.acknowledged }
      cursor.acknowledged = max(cursor.acknowledged, sequence)
      // Not flushed: after a power failure the batch is sent again with the same numbers.
      try change(isFlushed: false) {
        for (sequence, reason) in rejected {
          try writer.run(
            "INSERT OR IGNORE INTO quarantined_records (endpoint, sequence, reason, time, uptime) VALUES (?, ?, ?, ?, ?)",
            endpoint, sequence, reason, now.timeIntervalSince1970, runningTime)
        }
        try queue.set(cursor, of: endpoint)
        if arrived > 0 { try JournalLosses.countBack(arrived, endpoint, in: writer) }
        if bytes > 0 { try countUsage(endpoint, bytes, at: now) }
        try queue.deleteDelivered()
      }
      try queue.acknowledged(endpoint)
    }
  }

  /// Deletes all waiting and quarantined records. The numbering continues.
  package func purge() throws {
    try writing.withLock {
      try flush.synchronise(true)
      let purged = try writer.transaction {
        let purged = try queue.purge()
        try writer.run("DELETE FROM records")
        try writer.run("DELETE FROM quarantined_records")
        try writer.run("DELETE FROM contexts")
        try queue.storeLastSequence()
        return purged
      }
      appender.invalidate()
      try queue.purged(purged)
    }
  }

  // MARK: Reading

  /// A batch for an endpoint.
  package struct Batch: Sendable {
    /// The records in their order, with their sequence numbers.
    package var records: [(sequence: Int64, record: Record)] = []
    /// The last sequence number that the endpoint has acknowledged, or that was removed before.
    package var after: Int64
    /// The sequence number to acknowledge after delivery. It includes skipped records.
    package var through: Int64
    /// The time before which the next waiting record must not be sent; `nil`: there is no such record.
    package var notBefore: Date?
  }

  /// Returns the next records for an endpoint.
  /// - Parameters:
  ///   - endpoint: the name of the endpoint.
  ///   - limit: the maximum number of records.
  ///   - latestOnly: whether all fixes except the newest are skipped.
  ///   - recordedBefore: only records up to this time are returned, and those that waited for the delay in running time, because
  ///     a clock that was set back recorded later times; `nil`: all.
  ///   - delay: seconds that are added to the time of a younger record to compute ``Batch/notBefore``.
  package func batch(
    endpoint: String, limit: Int, latestOnly: Bool = false, recordedBefore: Date? = nil, delay: Double = 0
  ) throws -> Batch {
    // Flushed first. Otherwise a power failure could remove sent records, and their numbers would be reused.
    let (after, last) = try writing.withLock {
      try syncAppended()
      return (queue.firstAfter(endpoint), queue.lastSequence)
    }
    return try reading.withLock {
      try reader.batch(
        after: after, last: last, limit: limit, latestOnly: latestOnly, recordedBefore: recordedBefore, delay: delay,
        runningTime: runningTime)
    }
  }

  /// Returns the next records for an endpoint, in their order, with their sequence numbers.
  public func next(endpoint: String, limit: Int) throws -> [(sequence: Int64, record: Record)] {
    try batch(endpoint: endpoint, limit: limit).records
  }

  /// Returns the number of records that an endpoint has not acknowledged. It is computed from the sequence numbers, which have no gaps.
  public func waiting(endpoint: String) -> Int {
    writing.withLock { Int(max(0, queue.lastSequence - queue.firstAfter(endpoint))) }
  }

  /// The number of records that the endpoint with the largest queue has not acknowledged.
  package var maximumWaiting: Int {
    writing.withLock { queue.maximumWaiting }
  }

  /// Returns the last sequence number that an endpoint has acknowledged, or that was removed before.
  public func acknowledged(endpoint: String) -> Int64 {
    writing.withLock { queue.firstAfter(endpoint) }
  }

  /// The endpoints that have a cursor.
  public func endpoints() -> [String] { writing.withLock { queue.cursors.keys.sorted() } }

  /// Returns the records that an endpoint rejected permanently, with its reasons.
  public func quarantined(endpoint: String) throws -> [(sequence: Int64, reason: String, record: Record)] {
    try reading.withLock { try reader.quarantined(endpoint: endpoint) }
  }

  /// The number of damaged rows that were read since the journal was opened.
  public var damagedCount: Int { reading.withLock { reader.damagedCount } }

  /// Returns the number of quarantined records for all endpoints.
  public func quarantinedCount() throws -> Int {
    try reading.withLock { Int(try reader.database.integer("SELECT count(*) FROM quarantined_records") ?? 0) }
  }

  /// Stores a value with the records; `nil` removes it.
  package func remember(_ key: String, _ value: String?) throws {
    try writing.withLock {
      try flush.synchronise(true)
      try write(note: key, value)
    }
  }

  /// Stops all writing through this object, to simulate a program that was killed.
  package func freeze() { writing.withLock { try? writer.execute("PRAGMA query_only = ON") } }

  func write(note key: String, _ value: String?) throws {
    if let value {
      try writer.run(
        "INSERT INTO stored_values (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key, value)
    } else {
      try writer.run("DELETE FROM stored_values WHERE key = ?", key)
    }
  }

  package func remembered(_ key: String) throws -> String? {
    try reading.withLock { try reader.database.text("SELECT value FROM stored_values WHERE key = ?", key) }
  }

  /// Returns at most `limit` stored positions in `from..<to`. Records that every endpoint has acknowledged are deleted.
  package func fixes(from: Date, to: Date, limit: Int) throws -> [Fix] {
    try reading.withLock { try reader.fixes(from: from, to: to, limit: limit) }
  }

  /// Returns the fix that was recorded last; `nil`: no fix is stored.
  public func newestFix() throws -> Fix? {
    try reading.withLock { try reader.newestFix() }
  }
}
