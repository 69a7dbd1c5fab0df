public import Foundation
public import GodwitModel
internal import GodwitSQLite

/// The only queue of a tracker: an append-only SQLite file in which every record waits until every endpoint has
/// acknowledged it, or until it is older than the retention.
///
/// - A record is durable when ``append(_:recordedAt:)`` has returned (write-ahead log, `synchronous=FULL`).
/// - Each endpoint has a cursor: the number of the last record that it acknowledged.
/// - Numbers are never used twice; with the journal's own random number they name a record for ever.
///
/// `@unchecked Sendable`: the writing connection and everything that goes with it is touched only while
/// `writing` is locked, the reading connection only while `reading` is. Appending and reading a batch for an
/// upload therefore do not wait for one another.
public final class Journal: @unchecked Sendable {
  /// The journal's own number, made when the file was.
  public let id: UInt64
  public let path: String

  private let writing = NSLock()
  private let writer: Database
  private let appender: RecordAppender
  private var lastSequence: Int64
  private var firstSequence: Int64
  private var cursors: [String: Int64] = [:]

  private let reading = NSLock()
  private let reader: Database

  /// Opens the file, or makes it.
  /// - Parameters:
  ///   - path: of the file; SQLite keeps its log beside it.
  ///   - newID: the number of a journal that is made now.
  /// - Throws: `SQLiteError` or `MigrationError`. A file that is no database, or a damaged one, is left as it is:
  ///   ``openMovingDamagedAside(path:newID:)`` is for programs that must go on.
  public init(path: String, newID: UInt64 = UInt64.random(in: 1 ... .max)) throws {
    self.path = path
    writer = try Database(path: path)
    // Small, so that the log is soon written over instead of grown: a commit into space that the file has already
    // costs the disk no change of the file's size.
    try writer.execute("PRAGMA wal_autocheckpoint = 250")
    // Damage in the middle would show only when a batch is read or removed, and then at every launch again.
    try writer.checkIntegrity()
    try JournalSchema.migrations.apply(to: writer)
    let writer = writer
    id = try writer.transaction {
      if let kept = try writer.integer("SELECT value FROM meta WHERE key = 'journal'") {
        return UInt64(bitPattern: kept)
      }
      try writer.run("INSERT INTO meta (key, value) VALUES ('journal', ?)", Int64(bitPattern: newID))
      return newID
    }
    appender = try RecordAppender(writer)
    // After everything was delivered the table is empty; the number goes on from where it was.
    let kept = try writer.integer("SELECT value FROM meta WHERE key = 'last_sequence'") ?? 0
    lastSequence = max(try writer.integer("SELECT max(sequence) FROM records") ?? 0, kept)
    firstSequence = 1
    let cursorRows = try writer.statement("SELECT endpoint, acknowledged FROM cursors")
    while try cursorRows.step() { cursors[cursorRows.text(0)] = cursorRows.integer(1) }
    cursorRows.reset()
    reader = try Database(path: path)
    try findFirst()
  }

  /// Opens the file; one that is damaged or no database is renamed, and a new one is made in its place.
  /// - Returns: the journal, and the new name of a file that was moved aside.
  public static func openMovingDamagedAside(
    path: String, newID: UInt64 = UInt64.random(in: 1 ... .max)
  ) throws -> (journal: Journal, movedAside: String?) {
    do {
      return (try Journal(path: path, newID: newID), nil)
    } catch let error as SQLiteError where error.isCorrupt {
      var aside = path + ".damaged"
      var number = 1
      while FileManager.default.fileExists(atPath: aside) {
        number += 1
        aside = path + ".damaged-\(number)"
      }
      for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
        try FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
      }
      return (try Journal(path: path, newID: newID), aside)
    }
  }

  // MARK: Writing

  /// Appends records in one transaction, in their order. They are durable when this returns.
  public func append(_ records: [Record], recordedAt now: Date) throws {
    guard !records.isEmpty else { return }
    try writing.withLock {
      var sequence = lastSequence
      try writer.transaction {
        for index in records.indices {
          sequence += 1
          try appender.append(records[index], sequence: sequence, recordedAt: now)
        }
      }
      lastSequence = sequence
    }
  }

  /// Makes sure that an endpoint has a cursor. A new one begins before the oldest record that is still here.
  public func register(endpoint: String) throws {
    try writing.withLock {
      guard cursors[endpoint] == nil else { return }
      try writer.run("INSERT INTO cursors (endpoint, acknowledged) VALUES (?, ?)", endpoint, firstSequence - 1)
      cursors[endpoint] = firstSequence - 1
    }
  }

  /// Forgets the cursors of endpoints that are no longer used, so that they hold nothing back.
  public func retainOnly(endpoints: Set<String>) throws {
    try writing.withLock {
      for endpoint in cursors.keys where !endpoints.contains(endpoint) {
        try writer.run("DELETE FROM cursors WHERE endpoint = ?", endpoint)
        cursors[endpoint] = nil
      }
      try writer.transaction { try deleteDelivered() }
      try findFirst()
    }
  }

  /// An endpoint has every record up to `sequence`, but for those that are set aside with a reason each; all in
  /// one transaction with the removal of what every endpoint has.
  public func acknowledge(
    endpoint: String, through sequence: Int64, settingAside refused: [(sequence: Int64, reason: String)] = [],
    at now: Date
  ) throws {
    try writing.withLock {
      let before = cursors[endpoint]
      guard sequence > before ?? 0 else { return }
      do {
        try writer.transaction {
          for (sequence, reason) in refused {
            try writer.run(
              "INSERT OR IGNORE INTO set_aside (endpoint, sequence, reason, time) VALUES (?, ?, ?, ?)", endpoint,
              sequence, reason, now.timeIntervalSince1970)
          }
          try writer.run(
            """
            INSERT INTO cursors (endpoint, acknowledged) VALUES (?1, ?2)
            ON CONFLICT DO UPDATE SET acknowledged = excluded.acknowledged
            """, endpoint, sequence)
          cursors[endpoint] = sequence
          try deleteDelivered()
        }
      } catch {
        cursors[endpoint] = before
        throw error
      }
      try findFirst()
    }
  }

  /// Removes records older than `limit`, whether they were delivered or not, a thousand at a time.
  /// - Returns: how many that no endpoint will ever get were removed.
  @discardableResult
  public func removeRecords(olderThan limit: Date) throws -> Int {
    try writing.withLock {
      var removed = 0
      while let oldest = try oldestWaiting(), oldest < limit.timeIntervalSince1970 {
        let slice = try writer.transaction {
          try writer.run(
            """
            DELETE FROM records WHERE sequence IN
              (SELECT sequence FROM records WHERE sequence > ?1 ORDER BY sequence LIMIT 1000) AND recorded < ?2
            """, firstSequence - 1, limit.timeIntervalSince1970)
          let slice = writer.changes
          try keepLastSequence()
          return slice
        }
        removed += slice
        try findFirst()
        if slice == 0 { break }
      }
      return removed
    }
  }

  // MARK: Reading

  /// The next records for an endpoint, in their order, with their identifiers.
  public func next(endpoint: String, limit: Int) throws -> [(sequence: Int64, record: Record)] {
    let after = writing.withLock { cursors[endpoint] ?? firstSequence - 1 }
    return try reading.withLock {
      let rows = try reader.statement(
        """
        SELECT \(RecordAppender.columns) FROM records WHERE sequence > ?1 ORDER BY sequence LIMIT ?2
        """)
      try rows.bind([after, limit])
      defer { rows.reset() }
      var batch: [(sequence: Int64, record: Record)] = []
      batch.reserveCapacity(min(limit, 1000))
      while try rows.step() { batch.append(try RecordAppender.read(rows, journal: id)) }
      return batch
    }
  }

  /// Records that an endpoint has not acknowledged. Counted without looking at them: numbers have no gaps.
  public func waiting(endpoint: String) -> Int {
    writing.withLock { Int(max(0, lastSequence - max(cursors[endpoint] ?? 0, firstSequence - 1))) }
  }

  /// The endpoints that have a cursor.
  public func endpoints() -> [String] { writing.withLock { cursors.keys.sorted() } }

  /// Records that an endpoint will never take, with its reasons.
  public func setAside(endpoint: String) throws -> [(sequence: Int64, reason: String, record: Record)] {
    try reading.withLock {
      let rows = try reader.statement(
        """
        SELECT \(RecordAppender.columns.split(separator: ", ").map { "records.\($0)" }.joined(separator: ", ")),
          set_aside.reason
        FROM set_aside JOIN records ON records.sequence = set_aside.sequence
        WHERE set_aside.endpoint = ? ORDER BY set_aside.sequence
        """)
      try rows.bind([endpoint])
      defer { rows.reset() }
      var result: [(sequence: Int64, reason: String, record: Record)] = []
      while try rows.step() {
        let (sequence, record) = try RecordAppender.read(rows, journal: id)
        result.append((sequence, rows.text(RecordAppender.columnCount), record))
      }
      return result
    }
  }

  /// How many records are set aside, for all endpoints.
  public func setAsideCount() throws -> Int {
    try reading.withLock { Int(try reader.integer("SELECT count(*) FROM set_aside") ?? 0) }
  }

  /// A value that is kept with the records; `nil` removes it.
  public func remember(_ key: String, _ value: String?) throws {
    try writing.withLock {
      if let value {
        try writer.run(
          "INSERT INTO notes (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key, value)
      } else {
        try writer.run("DELETE FROM notes WHERE key = ?", key)
      }
    }
  }

  public func remembered(_ key: String) throws -> String? {
    try reading.withLock { try reader.text("SELECT value FROM notes WHERE key = ?", key) }
  }

  /// The newest fix that was ever recorded here, by its time.
  public func newestFix() throws -> Fix? {
    try reading.withLock {
      let rows = try reader.statement(
        """
        SELECT \(RecordAppender.columns) FROM records WHERE kind = 0 ORDER BY sequence DESC LIMIT 1
        """)
      defer { rows.reset() }
      guard try rows.step(), case .fix(let fix) = try RecordAppender.read(rows, journal: id).record.kind else {
        return nil
      }
      return fix
    }
  }

  // MARK: Keeping house, with `writing` locked

  /// Removes what every endpoint has and nobody set aside, but never the newest record: it tells the next launch
  /// where the device was. Called inside a transaction.
  private func deleteDelivered() throws {
    guard let delivered = cursors.values.min(), delivered >= firstSequence else { return }
    try writer.run(
      "DELETE FROM records WHERE sequence <= ? AND sequence NOT IN (SELECT sequence FROM set_aside)",
      min(delivered, lastSequence - 1))
    try keepLastSequence()
  }

  /// When the oldest record that waits was appended, seconds since 1970.
  private func oldestWaiting() throws -> Double? {
    let rows = try writer.statement(JournalSchema.oldest)
    rows.bind(firstSequence, at: 1)
    defer { rows.reset() }
    return try rows.step() ? rows.optionalDouble(0) : nil
  }

  private func keepLastSequence() throws {
    try writer.run(
      """
      INSERT INTO meta (key, value) VALUES ('last_sequence', ?)
      ON CONFLICT DO UPDATE SET value = excluded.value
      """, lastSequence)
  }

  /// The number from which on records wait: what is set aside lies before it.
  private func findFirst() throws {
    let delivered = cursors.values.min() ?? 0
    firstSequence =
      try writer.integer("SELECT min(sequence) FROM records WHERE sequence > ?", delivered) ?? lastSequence + 1
  }
}
