public import Foundation
internal import GodwitColumns
public import GodwitModel
internal import GodwitSQLite
package import GodwitServices
internal import Synchronization

/// The embedded store: one SQLite file in write-ahead-log mode with `synchronous=FULL`.
///
/// One thread writes (`GroupCommit`). Each read borrows a read-only connection.
public final class SQLiteTrackStore: TrackStore, StoreDatabase {
  private let path: String
  private let writer: GroupCommit
  private let readers: ReaderPool
  private let lastBlock = LastTable()
  package let health: StoreHealth
  package let clock: ServerClock
  package let queues: WorkQueues
  /// Checks for damage.
  private let integrity = IntegrityCheck()
  /// Receives each commit: the stored submissions, in order.
  private let observers: CommitObservers

  /// Page cache in KiB. It holds the upper levels of the B-trees of many devices.
  public static let pageCache = 12 << 10

  /// Opens the database of a data folder. Creates the folder and the database if they do not exist.
  /// - Parameters:
  ///   - folder: the folder of the database.
  ///   - pageCache: KiB of the writer's page cache. A store with one device needs a fraction of the default.
  ///   - parts: the additions of the program.
  /// - Throws: `SQLiteError`, `MigrationError`, or the error of the file system. Each description contains the remedy.
  package init(folder: String, pageCache: Int = SQLiteTrackStore.pageCache, parts: StoreParts) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    path = folder + "/godwit.sqlite"
    try parts.migrations.checkHeader(of: path)
    let database = try Database(path: path)
    try database.execute("PRAGMA cache_size = -\(pageCache)")
    // Each checkpoint costs an fsync; 4,000 pages (16 MB) make it rare.
    try database.execute("PRAGMA wal_autocheckpoint = 4000")
    try database.execute("PRAGMA journal_size_limit = 67108864")
    // Deleted content is overwritten with zeros.
    try database.execute("PRAGMA secure_delete = ON")
    try parts.migrations.apply(to: database)
    clock = parts.clock
    queues = parts.queues
    let health = StoreHealth(clock: parts.clock)
    self.health = health
    readers = ReaderPool(path: path) {
      health.failed($0)
      health.readFailed($0)
    }
    let observers = CommitObservers()
    self.observers = observers
    writer = try GroupCommit(database: database, health: health, parts: parts) { observers.notify($0) }
  }

  deinit {
    // Does not wait, because the store's own thread may run this.
    writer.beginStopping()
  }

  /// Stores what is pending and closes the file. If no other program has the file open, the log is checkpointed and removed. Waits
  /// a few seconds for running reads.
  public func close() {
    // Readers are closed first, because SQLite checkpoints the log only if the last connection to close may write.
    integrity.stop()
    readers.close()
    writer.stop()
  }

  /// Number of transactions.
  package var commits: Int { writer.commits.load(ordering: .relaxed) }

  package func observeCommits(_ observer: @escaping @Sendable ([(Submission, SubmissionResult)]) -> Void) {
    observers.add(observer)
  }

  public func submit(_ submission: Submission) { writer.submit(submission) }

  package func commitPending() { writer.commitPending() }

  package func addParticipant(_ participant: any CommitParticipant) { writer.addParticipant(participant) }

  // MARK: For both databases

  package var dialect: SQLDialect { .sqlite }

  package func checkIntegrity(at now: Date) {
    do {
      if try integrity.run(path) { health.foundWhole(at: now) }
    } catch let error as SQLiteError where error.isCorrupt {
      health.foundDamage(error.message, at: now)
    } catch {
      // The database could not be read. The next check or upload reports a lasting problem.
    }
  }

  package var hasRoom: Bool {
    let free = try? FileManager.default.attributesOfFileSystem(forPath: path)[.systemFreeSize] as? NSNumber
    return free.map { $0.int64Value >= Self.room } ?? true
  }

  /// Bytes of free space for a large upload and its commit.
  private static let room: Int64 = 8 << 20

  package func moveLog() {
    // If a reader needs the log or the disk is full, the log stays. The check for the file prevents SQLite from creating a removed
    // file again.
    guard FileManager.default.fileExists(atPath: path), health.fault == nil else { return }
    integrity.perform { _ = try? Database(path: path).execute("PRAGMA wal_checkpoint(PASSIVE)") }
  }

  package func read<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
    try readers.read { try body(SQLiteConnection($0)) }
  }

  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    writer.perform(
      GroupCommit.Work(
        run: { db in
          let value = try body(db)
          return { completion(.success(value)) }
        },
        failed: { completion(.failure($0)) }))
  }

  /// Maximum bytes of a database that is rewritten after a deletion. Uploads wait for seconds while it is rewritten.
  package static let maximumRewrite: Int64 = 256 << 20

  package func removeCopies() throws -> Bool {
    let database = try impatientConnection()
    let size = try (database.integer("PRAGMA page_count") ?? 0) * (database.integer("PRAGMA page_size") ?? 0)
    guard size <= Self.maximumRewrite else { return true }
    do { try database.execute("PRAGMA secure_delete = ON; VACUUM") } catch {
      if error.isBusy || error.isFull { return false }
      throw error
    }
    return true
  }

  package func reclaimSpace() throws {
    let database = try impatientConnection()
    let (pages, free) = (try database.integer("PRAGMA page_count") ?? 0, try database.integer("PRAGMA freelist_count") ?? 0)
    let size = try database.integer("PRAGMA page_size") ?? 0
    guard free > pages / 2, free * size > Self.minimumReclaimed, (pages - free) * size <= Self.maximumRewrite else { return }
    do { try database.execute("PRAGMA secure_delete = ON; VACUUM") } catch {
      // The next run makes another attempt.
      if error.isBusy || error.isFull { return }
      throw error
    }
  }

  /// Bytes of free pages up to which the file is not rewritten.
  private static let minimumReclaimed: Int64 = 4 << 20

  /// Opens a separate connection that hardly waits for locks, because uploads would wait with it. A removed file is not created again.
  private func impatientConnection() throws -> Database {
    let database = try Database(existing: path)
    try database.execute("PRAGMA busy_timeout = 100")
    return database
  }

  package func clearDeleted() throws -> Bool {
    let database = try impatientConnection()
    return try database.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0
  }

  // MARK: Devices

  public func devices() throws -> [DeviceSummary] {
    try readers.read { database in
      try TrackTables.devices(newest: { try Self.newest(of: $0, database) }, SQLiteConnection(database))
    }
  }

  public func device(named name: String) throws -> Device? { try read { try TrackTables.device(named: name, $0) } }

  public func device(tokenHash: [UInt8]) throws -> Device? { try read { try TrackTables.device(tokenHash: tokenHash, $0) } }

  public func addDevice(named name: String, tokenHash: [UInt8], at now: Date) throws -> Device {
    try writeApart { try TrackTables.addDevice(named: name, tokenHash: tokenHash, at: now, $0) }
  }

  public func revokeTokens(ofDeviceNamed name: String, at now: Date) throws -> Int? {
    try writeApart { try TrackTables.revokeTokens(ofDeviceNamed: name, at: now, $0) }
  }

  /// Writes on a separate connection, for rare operations, also while another process runs the server.
  private func writeApart<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
    // Otherwise SQLite would create an empty file.
    guard FileManager.default.fileExists(atPath: path) else {
      health.failed(StoreFault(.moved))
      throw StoreFault(.moved)
    }
    let database = try Database(path: path)
    return try database.transaction { try body(SQLiteConnection(database)) }
  }

  // MARK: Reading

  public func newest(device id: Int64) throws -> StoredPoint? {
    try readers.read { database in
      try TrackTables.device(id: id, SQLiteConnection(database)).flatMap { try Self.newest(of: $0, database) }
    }
  }

  private static func newest(of device: Device, _ database: Database) throws -> StoredPoint? {
    let (contexts, connection) = (try PointContexts(database), SQLiteConnection(database))
    func read(_ row: any SQLRow) throws -> StoredPoint? {
      var page = PointPage(limit: 1, contexts: contexts) { _ in device }
      try page.append(row)
      return page.points.first
    }
    let columns = PointColumn.stored(.sqlite)
    if let key = try PointFlags.livePoint(ofDevice: device.id, connection),
      let live = try PointLookup.first(key, columns, ofDevice: device.id, connection, read) ?? nil
    {
      return live
    }
    return try PointLookup.newest(columns, ofDevice: device.id, leavesOutFlagged: true, connection, read)
  }

  public func points(_ query: PointQuery) throws -> [StoredPoint] {
    try readers.read { database in
      let connection = SQLiteConnection(database)
      let names = try DeviceNames(connection, query.device)
      let query = try PointFlags.needed(query, connection)
      var page = PointPage(limit: query.limit, contexts: try PointContexts(database), device: names.device)
      guard try BlockTable.isNeeded(query, connection) else {
        let rows = try database.statement(PointQueryText.sql(query))
        try rows.bind(PointQueryText.arguments(query))
        defer { rows.reset() }
        while try rows.step() { try page.append(rows) }
        return page.points
      }
      for span in PointSpan.all(of: query, devices: names.numbers) {
        var span = span
        span.limit = query.limit - page.points.count
        guard span.limit > 0 else { break }
        let columns = PointColumn.stored(.sqlite)
        try PointReader(columns, select: PointQueryText.select, of: span, connection, last: lastBlock).read(
          rows: { row in
            try page.append(row)
            return true
          },
          runs: { block, indices in
            try page.append(block, indices, ofDevice: span.device)
            return true
          })
      }
      return page.points
    }
  }

  public func events(device: Int64, from: Date?, to: Date?) throws -> [Record] {
    try read { try TrackTables.events(device: device, from: from, to: to, $0) }
  }

  public func journals(device: Int64?) throws -> [JournalSummary] { try read { try TrackTables.journals(device: device, $0) } }

  public func rejections(device: Int64?, limit: Int) throws -> [StoredRejectedRecord] {
    try read { try TrackTables.rejections(device: device, limit: limit, $0) }
  }
}
