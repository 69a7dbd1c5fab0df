internal import Foundation
internal import GodwitDigests
internal import GodwitSQLite

/// The sequence numbers of the journal, and which records each endpoint has. Used only while the journal's writer is locked. The
/// functions that change the file require a transaction, and ``restore(_:)`` undoes their changes in memory.
struct JournalQueue {
  private let database: Database
  /// The key from which the identifiers of endpoints are computed.
  private let endpointKey: Int64
  /// The last sequence number that was assigned.
  var lastSequence: Int64
  /// The first sequence number that an endpoint waits for.
  private(set) var firstSequence: Int64 = 1
  private(set) var cursors: [String: EndpointCursor]
  /// The number of endpoints that were removed from the journal.
  private var removals: Int64
  /// The removed records of each endpoint since its last acknowledgement.
  private var removed: [String: ClosedRange<Int64>] = [:]

  init(_ database: Database, endpointKey: Int64) throws {
    self.database = database
    self.endpointKey = endpointKey
    // The table may be empty after delivery. The numbering continues.
    let kept = try database.integer("SELECT value FROM meta WHERE key = 'last_sequence'") ?? 0
    lastSequence = max(try database.integer("SELECT max(sequence) FROM records") ?? 0, kept)
    removals = try database.integer("SELECT value FROM meta WHERE key = 'removals'") ?? 0
    cursors = try EndpointCursor.all(in: database)
    try findFirst()
  }

  // MARK: Endpoints

  /// The last sequence number that every endpoint has; 0 without endpoints.
  var slowest: Int64 { cursors.values.map(\.acknowledged).min() ?? 0 }

  /// Returns the sequence number after which the waiting records of an endpoint begin.
  func firstAfter(_ endpoint: String) -> Int64 { max(cursors[endpoint]?.acknowledged ?? 0, firstSequence - 1) }

  /// The number of records that the slowest endpoint has not acknowledged.
  var maximumWaiting: Int { cursors.isEmpty ? 0 : Int(max(0, lastSequence - max(slowest, firstSequence - 1))) }

  /// Returns the cursor of an endpoint, or a new one. The identifier depends on the position in the journal and on the number of
  /// removed endpoints, so an endpoint that is added again gets new numbers: its filters may differ.
  func cursor(of endpoint: String) -> EndpointCursor {
    if let cursor = cursors[endpoint] { return cursor }
    var words = withUnsafeBytes(of: endpointKey.littleEndian) { Array($0) }
    words += withUnsafeBytes(of: firstSequence.littleEndian) { Array($0) }
    words += withUnsafeBytes(of: removals.littleEndian) { Array($0) }
    words += Array(endpoint.utf8)
    let hash = SHA256Digest.of(words, prefix: 8)
    let identifier = hash.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    return EndpointCursor(acknowledged: firstSequence - 1, identifier: max(1, identifier))
  }

  /// Writes an endpoint's cursor.
  mutating func set(_ cursor: EndpointCursor, of endpoint: String) throws {
    try cursor.write(as: endpoint, to: database)
    cursors[endpoint] = cursor
  }

  mutating func remove(_ endpoint: String) throws {
    try database.transaction {
      try database.run("DELETE FROM cursors WHERE endpoint = ?", endpoint)
      try database.run(
        "INSERT INTO meta (key, value) VALUES ('removals', ?) ON CONFLICT DO UPDATE SET value = excluded.value", removals + 1)
    }
    removals += 1
    cursors[endpoint] = nil
  }

  /// Restores the cursors to their values before a failed transaction.
  mutating func restore(_ before: [String: EndpointCursor]) { cursors = before }

  // MARK: Acknowledgement

  /// Returns the number of records of a batch that were removed while the batch was in flight.
  func lostButArrived(_ endpoint: String, _ first: Int64, _ last: Int64) -> Int64 {
    guard let numbers = removed[endpoint] else { return 0 }
    return max(0, min(last, numbers.upperBound) - max(first, numbers.lowerBound) + 1)
  }

  /// Updates the state after an acknowledgement was committed.
  mutating func acknowledged(_ endpoint: String) throws {
    removed[endpoint] = nil
    try findFirst()
  }

  /// Removes the records that every endpoint has and that are not quarantined, but never the newest record and the newest fix: the
  /// next launch reads the position from it.
  func deleteDelivered() throws {
    let delivered = slowest
    guard delivered >= firstSequence else { return }
    try delete(through: min(delivered, lastSequence - 1))
    try storeLastSequence()
  }

  /// Removes records that are not quarantined, but not the newest fix.
  func delete(through sequence: Int64) throws {
    try database.run(
      """
      DELETE FROM records WHERE sequence <= ? AND sequence NOT IN (SELECT sequence FROM quarantined_records)
      AND sequence IS NOT (SELECT sequence FROM records WHERE kind = 0 ORDER BY sequence DESC LIMIT 1)
      """, sequence)
  }

  func storeLastSequence() throws {
    try database.run(
      """
      INSERT INTO meta (key, value) VALUES ('last_sequence', ?)
      ON CONFLICT DO UPDATE SET value = excluded.value
      """, lastSequence)
  }

  /// Finds the first waiting sequence number. Quarantined records may be stored before it.
  mutating func findFirst() throws {
    let delivered = slowest
    firstSequence =
      try database.integer("SELECT min(sequence) FROM records WHERE sequence > ?", delivered) ?? lastSequence + 1
  }

  // MARK: Removal

  /// Moves the cursor of an endpoint past records that it will never get, and counts them as a loss.
  mutating func lose(_ endpoint: String, through: Int64, _ reason: Journal.LossReason, at now: Date) throws {
    guard var cursor = cursors[endpoint] else { return }
    let after = firstAfter(endpoint)
    cursor.acknowledged = through
    cursor.lose(through - after)
    try set(cursor, of: endpoint)
    try JournalLosses.count(through - after, of: endpoint, after: after, through: through, reason, at: now, in: database)
  }

  /// Stores the range of removed records after the removal was committed.
  mutating func recordRemoved(_ endpoint: String, _ numbers: ClosedRange<Int64>) {
    removed[endpoint] = min(removed[endpoint]?.lowerBound ?? numbers.lowerBound, numbers.lowerBound)...numbers.upperBound
  }

  /// Writes cursors that have acknowledged every record. The numbers of the records are not reused, because a batch may be in flight.
  /// - Returns: the cursors, for ``purged(_:)`` after the commit.
  func purge() throws -> [String: EndpointCursor] {
    let purged = cursors.mapValues { cursor in
      var purged = cursor
      purged.lose(max(0, lastSequence - max(cursor.acknowledged, firstSequence - 1)))
      purged.acknowledged = lastSequence
      return purged
    }
    for (endpoint, cursor) in purged { try cursor.write(as: endpoint, to: database) }
    return purged
  }

  mutating func purged(_ cursors: [String: EndpointCursor]) throws {
    self.cursors = cursors
    removed = [:]
    try findFirst()
  }
}
