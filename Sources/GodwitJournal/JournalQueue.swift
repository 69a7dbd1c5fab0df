internal import Foundation
internal import GodwitDigests
internal import GodwitSQLite

/// The numbers of the journal's records, and which of them each endpoint has. Used only while the journal's writer is
/// locked. The functions that change the file require a transaction, and are undone by ``restore(_:)``.
struct JournalQueue {
  private let database: Database
  /// Keys the identifiers of endpoints.
  private let endpointKey: Int64
  /// The last number that was used.
  var lastSequence: Int64
  /// The first number that an endpoint waits for.
  private(set) var firstSequence: Int64 = 1
  private(set) var cursors: [String: EndpointCursor]
  /// Removed records of an endpoint since its last acknowledgement.
  private var removed: [String: ClosedRange<Int64>] = [:]

  init(_ database: Database, endpointKey: Int64) throws {
    self.database = database
    self.endpointKey = endpointKey
    // The table may be empty after delivery; the numbers continue.
    let kept = try database.integer("SELECT value FROM meta WHERE key = 'last_sequence'") ?? 0
    lastSequence = max(try database.integer("SELECT max(sequence) FROM records") ?? 0, kept)
    cursors = try EndpointCursor.all(in: database)
    try findFirst()
  }

  // MARK: Endpoints

  /// The last number that every endpoint has; 0 without endpoints.
  var slowest: Int64 { cursors.values.map(\.acknowledged).min() ?? 0 }

  /// Returns the number after which an endpoint's waiting records begin.
  func firstAfter(_ endpoint: String) -> Int64 { max(cursors[endpoint]?.acknowledged ?? 0, firstSequence - 1) }

  /// The number of records that the slowest endpoint does not have.
  var maximumWaiting: Int { cursors.isEmpty ? 0 : Int(max(0, lastSequence - max(slowest, firstSequence - 1))) }

  /// Returns the cursor of an endpoint, or a new one. The position in the journal goes into the identifier: an endpoint that
  /// is added again later gets new numbers.
  func cursor(of endpoint: String) -> EndpointCursor {
    if let cursor = cursors[endpoint] { return cursor }
    var words = withUnsafeBytes(of: endpointKey.littleEndian) { Array($0) }
    words += withUnsafeBytes(of: firstSequence.littleEndian) { Array($0) }
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
    try database.run("DELETE FROM cursors WHERE endpoint = ?", endpoint)
    cursors[endpoint] = nil
  }

  /// Sets the cursors to their values before a transaction that failed.
  mutating func restore(_ before: [String: EndpointCursor]) { cursors = before }

  // MARK: Acknowledgement

  /// Returns the number of records of a batch that were removed while it was in flight.
  func lostButArrived(_ endpoint: String, _ first: Int64, _ last: Int64) -> Int64 {
    guard let numbers = removed[endpoint] else { return 0 }
    return max(0, min(last, numbers.upperBound) - max(first, numbers.lowerBound) + 1)
  }

  /// After an acknowledgement was committed.
  mutating func acknowledged(_ endpoint: String) throws {
    removed[endpoint] = nil
    try findFirst()
  }

  /// Removes records that every endpoint has and that are not quarantined, but never the newest record: the next launch
  /// reads the position from it.
  func deleteDelivered() throws {
    let delivered = slowest
    guard delivered >= firstSequence else { return }
    try database.run(
      "DELETE FROM records WHERE sequence <= ? AND sequence NOT IN (SELECT sequence FROM quarantined_records)",
      min(delivered, lastSequence - 1))
    try storeLastSequence()
  }

  func storeLastSequence() throws {
    try database.run(
      """
      INSERT INTO meta (key, value) VALUES ('last_sequence', ?)
      ON CONFLICT DO UPDATE SET value = excluded.value
      """, lastSequence)
  }

  /// Finds the first waiting number: quarantined records lie before it.
  mutating func findFirst() throws {
    let delivered = slowest
    firstSequence =
      try database.integer("SELECT min(sequence) FROM records WHERE sequence > ?", delivered) ?? lastSequence + 1
  }

  // MARK: Removal

  /// Moves an endpoint's cursor over records that it will never get, and counts them as a loss.
  mutating func lose(_ endpoint: String, through: Int64, _ reason: Journal.LossReason, at now: Date) throws {
    guard var cursor = cursors[endpoint] else { return }
    let after = firstAfter(endpoint)
    cursor.acknowledged = through
    cursor.lose(through - after)
    try set(cursor, of: endpoint)
    try JournalLosses.count(through - after, of: endpoint, after: after, through: through, reason, at: now, in: database)
  }

  /// After a removal was committed.
  mutating func recordRemoved(_ endpoint: String, _ numbers: ClosedRange<Int64>) {
    removed[endpoint] = min(removed[endpoint]?.lowerBound ?? numbers.lowerBound, numbers.lowerBound)...numbers.upperBound
  }

  /// Writes cursors that have every record. The numbers of the records are not used again: a batch may be in flight.
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
