public import Foundation
internal import GodwitColumns
public import GodwitModel
package import GodwitPostgres
package import GodwitServices
internal import Synchronization

/// The store for several servers: a PostgreSQL database, in which several servers write at the same time.
///
/// One thread writes records, and another does all other writes (`PostgresWriter`). Each read borrows a session. If the database
/// cannot be reached, calls fail with an error, and the store reconnects automatically.
public final class PostgresTrackStore: TrackStore, StoreDatabase {
  private let address: PostgresAddress
  private let writer: PostgresWriter
  private let readers: PostgresPool
  private let lastBlock = LastTable()
  private let observers = CommitObservers()
  package let clock: ServerClock
  package let queues: WorkQueues

  /// Connects to a database, and migrates its tables.
  /// - Parameters:
  ///   - address: an existing database in which the user may create tables.
  ///   - parts: the additions of the program.
  /// - Throws: `PostgresError`, or an error if a newer version has migrated the database.
  package init(_ address: PostgresAddress, parts: StoreParts) throws {
    self.address = address
    // A long timeout, because other servers may be migrating, and a table may be large.
    let session = try PostgresSession(address, limits: PostgresSession.Limits(statement: 3600))
    try PostgresMigrations(steps: parts.postgresSteps).apply(to: session)
    try PostgresDistribution.checkCompleteness(session)
    try PointHashes.prepare(session)
    clock = parts.clock
    queues = parts.queues
    readers = PostgresPool(
      address, clock: parts.clock, isDistributed: try PostgresDistribution.isDistributed(session))
    let observers = observers
    writer = PostgresWriter(address, parts: parts) { observers.notify($0) }
  }

  deinit { writer.beginStopping() }

  /// Stores pending submissions and closes the sessions.
  public func close() {
    writer.stop()
    readers.close()
  }

  /// Number of transactions.
  package var commits: Int { writer.commits.load(ordering: .relaxed) }

  package func observeCommits(_ observer: @escaping @Sendable ([(Submission, SubmissionResult)]) -> Void) {
    observers.add(observer)
  }

  package func addParticipant(_ participant: any CommitParticipant) { writer.addParticipant(participant) }

  public func submit(_ submission: Submission) { writer.submit(submission) }

  // The writer has its own threads.
  package func commitPending() {}

  // MARK: For both databases

  package var dialect: SQLDialect { .postgres }

  package var health: StoreHealth { writer.health }

  /// Does nothing: PostgreSQL checks its own files.
  package func checkIntegrity(at now: Date) {}

  package func moveLog() {}

  package var hasRoom: Bool { true }

  package func read<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
    try reading { try body(PostgresConnection($0)) }
  }

  /// Reads in one transaction, and records damaged blocks.
  private func reading<Value>(_ body: (PostgresSession) throws -> Value) throws -> Value {
    do { return try readers.read(body) } catch {
      health.readFailed(error)
      throw error
    }
  }

  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    writer.perform(
      PostgresWriter.Work(
        run: { db in
          let value = try body(db)
          return { completion(.success(value)) }
        },
        failed: { completion(.failure($0)) }))
  }

  /// Does nothing: PostgreSQL's vacuum removes the rows.
  package func removeCopies() throws -> Bool { true }

  /// Does nothing: PostgreSQL's vacuum truncates the tables.
  package func reclaimSpace() throws {}

  package func clearDeleted() throws -> Bool { true }

  // MARK: Devices

  public func newest(device id: Int64) throws -> StoredPoint? {
    try reading { session in
      try TrackTables.device(id: id, PostgresConnection(session)).flatMap { try Self.newest(of: $0, session) }
    }
  }

  private static func newest(of device: Device, _ session: PostgresSession) throws -> StoredPoint? {
    let connection = PostgresConnection(session)
    let points = PostgresPoints(connection) { _ in device }
    let columns = PointColumn.stored(.postgres)
    if let key = try PointFlags.livePoint(ofDevice: device.id, connection),
      let live = try PointLookup.first(key, columns, ofDevice: device.id, connection, { try points.read($0) }) ?? nil
    {
      return live
    }
    return try PointLookup.newest(columns, ofDevice: device.id, leavesOutFlagged: true, connection, { try points.read($0) })
  }

  public func devices() throws -> [DeviceSummary] {
    try readers.read { session in
      try TrackTables.devices(newest: { try Self.newest(of: $0, session) }, PostgresConnection(session))
    }
  }

  public func device(named name: String) throws -> Device? { try use { try TrackTables.device(named: name, $0) } }

  public func device(tokenHash: [UInt8]) throws -> Device? {
    // The few threads that receive requests call this; a hanging database must not block them for long.
    try readers.use(timeout: 3) { try TrackTables.device(tokenHash: tokenHash, PostgresConnection($0)) }
  }

  public func addDevice(named name: String, tokenHash: [UInt8], at now: Date) throws -> Device {
    try writeApart { try TrackTables.addDevice(named: name, tokenHash: tokenHash, at: now, $0) }
  }

  public func revokeTokens(ofDeviceNamed name: String, at now: Date) throws -> Int? {
    try writeApart { try TrackTables.revokeTokens(ofDeviceNamed: name, at: now, $0) }
  }

  /// Runs a single query without a transaction.
  private func use<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
    try readers.use { try body(PostgresConnection($0)) }
  }

  /// Writes outside of the queue, for rare operations.
  private func writeApart<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
    try readers.use { session in try session.transaction { try body(PostgresConnection(session)) } }
  }

  // MARK: Reading

  public func points(_ query: PointQuery) throws -> [StoredPoint] {
    try reading { session in
      let connection = PostgresConnection(session)
      let names = try DeviceNames(connection, query.device)
      let query = try PointFlags.needed(query, connection)
      let reader = PostgresPoints(connection, device: names.device)
      let columns = PointColumn.stored(.postgres)
      var points: [StoredPoint] = []
      guard try BlockTable.isNeeded(query, connection) else {
        let rows = try session.run(
          PointQueryText.sql(query, select: PointColumn.select(columns, .postgres)), PointQueryText.values(query))
        points.reserveCapacity(rows.count)
        while rows.next() { if let point = try reader.read(rows) { points.append(point) } }
        return points
      }
      for span in PointSpan.all(of: query, devices: names.numbers) {
        var span = span
        span.limit = query.limit - points.count
        guard span.limit > 0 else { break }
        let select = PointColumn.select(columns, .postgres)
        try PointReader(columns, select: select, of: span, connection, last: lastBlock).read(
          rows: { row in
            // The concrete type is faster.
            if let row = row as? PostgresRows, let point = try reader.read(row) { points.append(point) }
            return true
          },
          sealed: { row in
            if let point = try reader.read(row) { points.append(point) }
            return true
          })
      }
      return points
    }
  }

  public func events(device: Int64, from: Date?, to: Date?) throws -> [Record] {
    try use { try TrackTables.events(device: device, from: from, to: to, $0) }
  }

  public func journals(device: Int64?) throws -> [JournalSummary] { try read { try TrackTables.journals(device: device, $0) } }

  public func rejections(device: Int64?, limit: Int) throws -> [StoredRejectedRecord] {
    try read { try TrackTables.rejections(device: device, limit: limit, $0) }
  }
}

extension PointQueryText {
  /// The parameters of a query.
  static func values(_ query: PointQuery) -> [PostgresValue] {
    arguments(query).map { argument in
      switch argument {
      case let number as Int64: .integer(number)
      case let number as Int: .integer(Int64(number))
      default: .null
      }
    }
  }
}
