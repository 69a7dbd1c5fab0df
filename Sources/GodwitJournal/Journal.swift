public import Foundation
public import GodwitModel
internal import GodwitSQLite

/// The only queue of a tracker: an append-only SQLite file in which every record waits until every endpoint has
/// acknowledged it. Only ``removeRecords(waitingFor:olderThan:at:)`` and ``shrink(to:at:)`` remove a record earlier.
///
/// - When ``append(_:remembering:recordedAt:)`` has returned, a record survives the end of the program in any form. It
///   also survives a power cut from then on, or, if the journal was opened with a `syncInterval`, after at most so many
///   seconds; in any case before it is sent.
/// - Each endpoint has a cursor: the number of the last record that it acknowledged; see `EndpointCursor`.
/// - Numbers are never used twice.
///
/// `@unchecked Sendable`: the writing connection and its state are used only while `writing` is locked, the reading
/// connection only while `reading` is. Appending and reading a batch for an upload therefore do not block each other.
public final class Journal: @unchecked Sendable {
  /// The journal's own id, created with the file. Endpoints get other identifiers instead.
  public let id: UInt64
  public let path: String

  let writing = NSLock()
  let writer: Database
  private let appender: RecordAppender
  private(set) var lastSequence: Int64
  var firstSequence: Int64
  var cursors: [String: EndpointCursor] = [:]
  /// Removed records of an endpoint since its last acknowledgement.
  var removed: [String: ClosedRange<Int64>] = [:]
  /// Keys the identifiers of endpoints.
  let endpointKey: Int64
  /// The running time of trackers with this file when it was opened, in seconds.
  private let livedBefore: Double
  /// Seconds on the boot clock from an arbitrary start, including sleep.
  private let uptime: @Sendable () -> Double
  private let openedAt: Double
  private let syncInterval: Double
  /// Whether commits are flushed to the disk at present.
  private var isSyncing = true
  /// The time of the last flush, by the clock of the appender.
  private var lastSync = Date.distantPast
  /// Whether data was appended since.
  private(set) var isUnsynced = false

  let reading = NSLock()
  let reader: Database
  let records: RecordReader

  /// Opens the file, or creates it.
  /// - Parameters:
  ///   - path: of the file; SQLite keeps its log beside it.
  ///   - newID: the number of a journal that is made now.
  ///   - syncInterval: seconds that may pass until the disk is made to write what was appended; 0: none. A disk that
  ///     must write for every fix costs more processor time than all the rest, and wears out.
  ///   - uptime: seconds on a clock that is never set and goes on while the device sleeps. What it moves while this object
  ///     exists is the only time by which records become older; by default none.
  /// - Throws: `SQLiteError`, `MigrationError`, or `FormerSchemaError` for a file that a development build wrote, which
  ///   ``JournalConversion`` converts. A file that is no database, or a damaged one, is left as it is:
  ///   ``openMovingDamagedAside(path:newID:syncInterval:uptime:)`` is for programs that must go on.
  public init(
    path: String, newID: UInt64 = UInt64.random(in: 1 ... .max), syncInterval: Double = 0,
    uptime: @escaping @Sendable () -> Double = { 0 }
  ) throws {
    self.path = path
    self.syncInterval = syncInterval
    self.uptime = uptime
    openedAt = uptime()
    writer = try JournalSchema.open(path)
    // Pages of the log after which it is written over instead of grown. Where the disk is waited for at each commit few
    // are better: a commit into space that the file has already costs it no change of the file's size.
    try writer.execute("PRAGMA wal_autocheckpoint = \(syncInterval > 0 ? 1000 : 250)")
    // It is appended to at one end and read at the other: a large cache only costs memory. KiB, negative by SQLite's
    // custom.
    try writer.execute("PRAGMA cache_size = -256")
    // Otherwise damage would appear only when a batch is read or removed, and then at every launch.
    try writer.checkIntegrity()
    try JournalSchema.migrations.apply(to: writer)
    let writer = writer
    id = try writer.transaction {
      if let kept = try writer.integer("SELECT value FROM meta WHERE key = 'journal'") { return UInt64(bitPattern: kept) }
      try writer.run(
        "INSERT OR REPLACE INTO meta (key, value) VALUES ('journal', ?1), ('endpoint_key', ?1)", Int64(bitPattern: newID))
      return newID
    }
    endpointKey = try writer.integer("SELECT value FROM meta WHERE key = 'endpoint_key'") ?? Int64(bitPattern: newID)
    let lastLived = try writer.integer("SELECT uptime FROM records ORDER BY sequence DESC LIMIT 1") ?? 0
    livedBefore = Double(max(lastLived, try writer.integer("SELECT value FROM meta WHERE key = 'uptime'") ?? 0))
    appender = try RecordAppender(writer)
    // The table may be empty after delivery; the numbers continue.
    let kept = try writer.integer("SELECT value FROM meta WHERE key = 'last_sequence'") ?? 0
    lastSequence = max(try writer.integer("SELECT max(sequence) FROM records") ?? 0, kept)
    firstSequence = 1
    cursors = try EndpointCursor.all(in: writer)
    reader = try Database(path: path)
    try reader.execute("PRAGMA cache_size = -256")
    records = RecordReader(reader, journal: id)
    try findFirst()
  }

  /// Opens the file; a damaged or invalid one is renamed and replaced by a new one.
  /// - Parameters:
  ///   - path: of the file.
  ///   - newID: the id of a new journal.
  ///   - syncInterval: maximum seconds until appended data is flushed.
  ///   - uptime: as in ``init(path:newID:syncInterval:uptime:)``.
  /// - Returns: the journal, and the new name of a damaged file.
  /// - Throws: what ``init(path:newID:syncInterval:uptime:)`` throws, except for damage.
  public static func openMovingDamagedAside(
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

  /// The running time of trackers with this file in seconds: the stored one, and the time since it was opened. It never
  /// decreases, and changes of a clock do not affect it.
  var lived: Int64 { Int64(min(1e12, livedBefore + max(0, uptime() - openedAt))) }

  // MARK: Writing

  /// Appends records in one transaction, in their order, and stores values with them (`nil` removes one).
  /// - Parameters:
  ///   - records: the records.
  ///   - notes: the values.
  ///   - now: the time.
  /// - Throws: `SQLiteError`; then nothing was written.
  public func append(_ records: [Record], remembering notes: [String: String?] = [:], recordedAt now: Date) throws {
    guard !records.isEmpty || !notes.isEmpty else { return }
    try writing.withLock {
      var sequence = lastSequence
      // Values without a record come from commands: they are rare, and flushed at once.
      let isDue = records.isEmpty || isSyncDue(now)
      let lived = lived
      try synchronise(isDue)
      do {
        try writer.transaction {
          for index in records.indices {
            sequence += 1
            try appender.append(records[index], sequence: sequence, recordedAt: now, lived: lived)
          }
          for (key, value) in notes { try write(note: key, value) }
        }
      } catch {
        appender.forget()
        throw error
      }
      lastSequence = sequence
      isUnsynced = !isDue
      if isDue { lastSync = now }
    }
  }

  /// Flushes appended data, unless that happened within the interval.
  /// - Parameter now: the time; `nil`: always.
  /// - Throws: `SQLiteError`.
  public func sync(at now: Date? = nil) throws {
    try writing.withLock {
      if let now, !isSyncDue(now) { return }
      try syncAppended()
      if let now { lastSync = now }
    }
  }

  /// Requires the lock `writing`.
  private func syncAppended() throws {
    guard isUnsynced else { return }
    // A flushed commit includes all earlier ones.
    try synchronise(true)
    try keepLastSequence()
    isUnsynced = false
  }

  private func isSyncDue(_ now: Date) -> Bool {
    // After a clock was set back the elapsed time is unknown.
    syncInterval <= 0 || now < lastSync || now.timeIntervalSince(lastSync) >= syncInterval
  }

  /// Sets whether commits are flushed to the disk. Requires the lock `writing`.
  func synchronise(_ isWanted: Bool) throws {
    guard isWanted != isSyncing else { return }
    try writer.execute("PRAGMA synchronous = \(isWanted ? "FULL" : "NORMAL")")
    isSyncing = isWanted
  }

  /// Creates a cursor for an endpoint without one. It starts before the oldest stored record.
  public func register(endpoint: String) throws {
    try writing.withLock {
      guard cursors[endpoint] == nil else { return }
      try synchronise(true)
      let cursor = newCursor(endpoint)
      try writer.transaction { try cursor.write(as: endpoint, to: writer) }
      cursors[endpoint] = cursor
    }
  }

  /// Removes the cursors of endpoints that are no longer used, so that records do not wait for them.
  public func retainOnly(endpoints: Set<String>) throws {
    try writing.withLock {
      for endpoint in cursors.keys where !endpoints.contains(endpoint) {
        try writer.run("DELETE FROM cursors WHERE endpoint = ?", endpoint)
        try write(note: Self.sinceNote(endpoint), nil)
        cursors[endpoint] = nil
      }
      try writer.transaction { try deleteDelivered() }
      try findFirst()
    }
  }

  /// Acknowledges every record up to `sequence` for an endpoint, except for quarantined ones, in one transaction with
  /// the removal of records that every endpoint has.
  /// - Parameters:
  ///   - endpoint: its name.
  ///   - sequence: the last record that it has.
  ///   - told: the numbers of the records for it; `nil`: each of them had a number.
  ///   - refused: records that it rejects permanently.
  ///   - bytes: the size of the upload.
  ///   - now: the time.
  public func acknowledge(
    endpoint: String, through sequence: Int64, told: ReportedNumbers? = nil,
    settingAside refused: [(sequence: Int64, reason: String)] = [], bytes: Int = 0, at now: Date
  ) throws {
    try writing.withLock {
      let before = cursors[endpoint]
      var cursor = before ?? newCursor(endpoint)
      let late = sequence <= cursor.acknowledged
      // Records that were counted as lost while in flight have arrived.
      let arrived = told.map { lostButArrived(endpoint, $0.first, sequence) } ?? 0
      guard !late || arrived > 0 else { return }
      if let told { cursor.tell(told) } else if !late { cursor.number += sequence - cursor.acknowledged }
      cursor.acknowledged = max(cursor.acknowledged, sequence)
      // Not flushed: after a power cut the batch is sent again under the same numbers.
      try synchronise(false)
      do {
        try writer.transaction {
          for (sequence, reason) in refused {
            try writer.run(
              "INSERT OR IGNORE INTO quarantined_records (endpoint, sequence, reason, time, uptime) VALUES (?, ?, ?, ?, ?)",
              endpoint,
              sequence, reason, now.timeIntervalSince1970, lived)
          }
          try cursor.write(as: endpoint, to: writer)
          if arrived > 0 { try countBack(arrived, endpoint) }
          if bytes > 0 { try countUsage(endpoint, bytes, at: now) }
          cursors[endpoint] = cursor
          try deleteDelivered()
        }
      } catch {
        cursors[endpoint] = before
        throw error
      }
      removed[endpoint] = nil
      try findFirst()
    }
  }

  /// Deletes all waiting records. The numbers continue.
  public func purge() throws {
    try writing.withLock {
      try synchronise(true)
      // Their numbers are not used again: a batch may be in flight.
      let purged = cursors.mapValues { cursor in
        var purged = cursor
        purged.lose(max(0, lastSequence - max(cursor.acknowledged, firstSequence - 1)))
        purged.acknowledged = lastSequence
        return purged
      }
      try writer.transaction {
        for (endpoint, cursor) in purged { try cursor.write(as: endpoint, to: writer) }
        try writer.run("DELETE FROM records")
        try writer.run("DELETE FROM quarantined_records")
        try writer.run("DELETE FROM contexts")
        try keepLastSequence()
      }
      appender.forget()
      cursors = purged
      removed = [:]
      try findFirst()
    }
  }

  // MARK: Reading

  /// A batch for an endpoint.
  public struct Batch: Sendable {
    /// In their order, with their identifiers.
    public var records: [(sequence: Int64, record: Record)] = []
    /// The last number that the endpoint has acknowledged, or that was removed before.
    public var after: Int64
    /// The number to acknowledge after delivery; it includes skipped records.
    public var through: Int64
    /// A waiting record must not be sent before this time.
    public var notBefore: Date?
  }

  /// Returns the next records for an endpoint.
  /// - Parameters:
  ///   - endpoint: its name.
  ///   - limit: maximum records.
  ///   - latestOnly: only the newest of the fixes; the others are skipped.
  ///   - recordedBefore: only records up to this time.
  ///   - delay: seconds, to compute when a younger record may be sent.
  public func batch(
    endpoint: String, limit: Int, latestOnly: Bool = false, recordedBefore: Date? = nil, delay: Double = 0
  ) throws -> Batch {
    // Flushed first: otherwise a power cut could remove sent records, and their numbers would be used twice.
    let (after, last) = try writing.withLock {
      try syncAppended()
      return (firstAfter(endpoint), lastSequence)
    }
    return try reading.withLock {
      // The first record that is too young holds back all after it, even older ones: if the clock was set back in
      // between, skipping it would lose it.
      var young: (sequence: Int64, recorded: Double)?
      if let recordedBefore {
        let rows = try reader.statement(
          "SELECT sequence, recorded FROM records WHERE sequence > ? AND recorded > ? ORDER BY sequence LIMIT 1")
        try rows.bind([after, recordedBefore.timeIntervalSince1970])
        defer { rows.reset() }
        if try rows.step() { young = (rows.integer(0), rows.double(1)) }
      }
      let rows: Statement
      if latestOnly {
        rows = try reader.statement(
          """
          SELECT \(RecordAppender.columns) FROM records
          WHERE sequence > ?1 AND sequence <= ?3 AND (kind <> 0 OR sequence =
            (SELECT max(sequence) FROM records WHERE kind = 0 AND sequence > ?1 AND sequence <= ?3))
          ORDER BY sequence LIMIT ?2
          """)
      } else {
        rows = try reader.statement(
          """
          SELECT \(RecordAppender.columns) FROM records
          WHERE sequence > ?1 AND sequence <= ?3 ORDER BY sequence LIMIT ?2
          """)
      }
      try rows.bind([after, limit, min(last, young.map { $0.sequence - 1 } ?? last)])
      defer { rows.reset() }
      var batch = Batch(after: after, through: after)
      batch.records.reserveCapacity(min(limit, 1000))
      while try rows.step() { batch.records.append(try records.read(rows)) }
      batch.through = batch.records.last?.sequence ?? after
      if batch.records.count < limit, let young {
        batch.notBefore = Date(timeIntervalSince1970: young.recorded + delay)
      }
      return batch
    }
  }

  /// Returns the next records for an endpoint, in their order, with their identifiers.
  public func next(endpoint: String, limit: Int) throws -> [(sequence: Int64, record: Record)] {
    try batch(endpoint: endpoint, limit: limit).records
  }

  /// Returns the number of records that an endpoint has not acknowledged. Computed from numbers, which have no gaps.
  public func waiting(endpoint: String) -> Int {
    writing.withLock { Int(max(0, lastSequence - firstAfter(endpoint))) }
  }

  /// The number of records that the slowest endpoint has not acknowledged.
  package var maximumWaiting: Int {
    writing.withLock { cursors.isEmpty ? 0 : Int(max(0, lastSequence - max(slowest, firstSequence - 1))) }
  }

  /// Returns the last number that an endpoint has acknowledged, or that was removed before.
  public func acknowledged(endpoint: String) -> Int64 {
    writing.withLock { firstAfter(endpoint) }
  }

  /// The endpoints that have a cursor.
  public func endpoints() -> [String] { writing.withLock { cursors.keys.sorted() } }

  /// Returns records that an endpoint rejected permanently, with its reasons.
  public func setAside(endpoint: String) throws -> [(sequence: Int64, reason: String, record: Record)] {
    try reading.withLock {
      let rows = try reader.statement(
        """
        SELECT \(RecordAppender.columns.split(separator: ", ").map { "records.\($0)" }.joined(separator: ", ")),
          quarantined_records.reason
        FROM quarantined_records JOIN records ON records.sequence = quarantined_records.sequence
        WHERE quarantined_records.endpoint = ? ORDER BY quarantined_records.sequence
        """)
      try rows.bind([endpoint])
      defer { rows.reset() }
      var result: [(sequence: Int64, reason: String, record: Record)] = []
      while try rows.step() {
        let reason = rows.text(15)
        let (sequence, record) = try records.read(rows)
        result.append((sequence, reason, record))
      }
      return result
    }
  }

  /// The number of damaged rows among those that were read.
  public var damagedCount: Int { reading.withLock { records.damaged.count } }

  /// Returns the number of quarantined records of all endpoints.
  public func setAsideCount() throws -> Int {
    try reading.withLock { Int(try reader.integer("SELECT count(*) FROM quarantined_records") ?? 0) }
  }

  /// Stores a value with the records; `nil` removes it.
  public func remember(_ key: String, _ value: String?) throws {
    try writing.withLock {
      try synchronise(true)
      try write(note: key, value)
    }
  }

  /// Stops all writing through this object. For a simulated program that has been killed.
  package func freeze() { writing.withLock { try? writer.execute("PRAGMA query_only = ON") } }

  func write(note key: String, _ value: String?) throws {
    if let value {
      try writer.run(
        "INSERT INTO stored_values (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key, value)
    } else {
      try writer.run("DELETE FROM stored_values WHERE key = ?", key)
    }
  }

  public func remembered(_ key: String) throws -> String? {
    try reading.withLock { try reader.text("SELECT value FROM stored_values WHERE key = ?", key) }
  }

  /// The newest fix that was ever recorded here, by its time.
  public func newestFix() throws -> Fix? {
    try reading.withLock {
      let rows = try reader.statement(
        """
        SELECT \(RecordAppender.columns) FROM records WHERE kind = 0 ORDER BY sequence DESC LIMIT 1
        """)
      defer { rows.reset() }
      guard try rows.step(), case .fix(let fix) = try records.read(rows).record.kind else {
        return nil
      }
      return fix
    }
  }

  // MARK: Keeping house, with `writing` locked

  /// Removes records that every endpoint has and that are not quarantined, but never the newest record: the next launch
  /// reads the position from it. Requires a transaction.
  func deleteDelivered() throws {
    let delivered = slowest
    guard delivered >= firstSequence else { return }
    try writer.run(
      "DELETE FROM records WHERE sequence <= ? AND sequence NOT IN (SELECT sequence FROM quarantined_records)",
      min(delivered, lastSequence - 1))
    try keepLastSequence()
  }

  /// The last number that every endpoint has; 0 without endpoints.
  private var slowest: Int64 { cursors.values.map(\.acknowledged).min() ?? 0 }

  /// Returns the number after which an endpoint's waiting records begin.
  func firstAfter(_ endpoint: String) -> Int64 { max(cursors[endpoint]?.acknowledged ?? 0, firstSequence - 1) }

  func keepLastSequence() throws {
    try writer.run(
      """
      INSERT INTO meta (key, value) VALUES ('last_sequence', ?)
      ON CONFLICT DO UPDATE SET value = excluded.value
      """, lastSequence)
  }

  /// Finds the first waiting number: quarantined records lie before it.
  func findFirst() throws {
    let delivered = slowest
    firstSequence =
      try writer.integer("SELECT min(sequence) FROM records WHERE sequence > ?", delivered) ?? lastSequence + 1
  }
}
