public import Foundation
public import GodwitModel
internal import GodwitSQLite
internal import Synchronization

/// The embedded store: one SQLite file in write-ahead-log mode, `synchronous=FULL`.
///
/// One thread writes (`GroupCommit`); each reading call borrows one of a few read-only connections.
public final class SQLiteTrackStore: TrackStore, StoreDatabase {
  private let path: String
  private let writer: GroupCommit
  private let readers: ReaderPool
  /// Told of each commit: what was stored, in order.
  private let observers: CommitObservers

  /// Opens the database of a data folder, or makes folder and database.
  /// - Throws: `SQLiteError`, `MigrationError`, or the file system's error, each saying what to do.
  public init(folder: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    path = folder + "/godwit.sqlite"
    let database = try Database(path: path)
    // 16 MiB of pages: the upper levels of the tree stay in memory, the memory stays small.
    try database.execute("PRAGMA cache_size = -16384")
    // Moving the log into the file costs an fsync each; 4,000 pages (16 MB) make that rare.
    try database.execute("PRAGMA wal_autocheckpoint = 4000")
    try database.execute("PRAGMA journal_size_limit = 67108864")
    try Schema.migrations.apply(to: database)
    readers = ReaderPool(path: path)
    let observers = CommitObservers()
    self.observers = observers
    writer = try GroupCommit(database: database) { observers.tell($0) }
    writer.accompany(by: StaleDayKeeper())
  }

  deinit {
    // Without waiting: this may be the store's own thread.
    writer.beginStopping()
  }

  /// Stores what waits and closes the writing side.
  public func close() { writer.stop() }

  /// Transactions so far.
  package var commits: Int { writer.commits.load(ordering: .relaxed) }

  package func observeCommits(_ observer: @escaping @Sendable ([(Submission, Stored)]) -> Void) {
    observers.add(observer)
  }

  public func submit(_ submission: Submission) { writer.submit(submission) }

  package func accompany(by companion: any CommitCompanion) { writer.accompany(by: companion) }

  // MARK: For both databases

  package var dialect: SQLDialect { .sqlite }

  package func read<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
    try readers.read { try body(SQLiteConnection($0)) }
  }

  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    writer.perform(
      GroupCommit.Work(
        run: { connection in
          let value = try body(connection)
          return { completion(.success(value)) }
        },
        failed: { completion(.failure($0)) }))
  }

  // MARK: Devices

  public func devices() throws -> [DeviceSummary] {
    try readers.read { database in
      var summaries: [DeviceSummary] = []
      let rows = try database.statement(
        """
        SELECT id, name, last_contact,
          points,
          (SELECT min(time) FROM points WHERE device = devices.id),
          (SELECT count(*) FROM refusals WHERE device = devices.id),
          (SELECT count(*) FROM tokens WHERE device = devices.id AND revoked IS NULL)
        FROM devices ORDER BY name
        """)
      while try rows.step() {
        let device = Device(id: rows.integer(0), name: rows.text(1))
        summaries.append(
          DeviceSummary(
            device: device, points: Int(rows.integer(3)),
            first: rows.optionalInteger(4).map { Date(millisecondsSince1970: $0) }, last: nil,
            lastContact: rows.optionalInteger(2).map { Date(millisecondsSince1970: $0) },
            refused: Int(rows.integer(5)), tokens: Int(rows.integer(6))))
      }
      rows.reset()
      for index in summaries.indices {
        summaries[index].last = try Self.newest(of: summaries[index].device, database)
      }
      return summaries
    }
  }

  public func device(named name: String) throws -> Device? {
    try readers.read { database in
      try database.integer("SELECT id FROM devices WHERE name = ?", name).map { Device(id: $0, name: name) }
    }
  }

  public func device(tokenHash: [UInt8]) throws -> Device? {
    try readers.read { database in
      let row = try database.statement(
        """
        SELECT tokens.hash, devices.id, devices.name FROM tokens JOIN devices ON devices.id = tokens.device
        WHERE tokens.hash = ? AND tokens.revoked IS NULL
        """)
      row.bind(tokenHash, at: 1)
      defer { row.reset() }
      guard try row.step(), AccessToken.isSame(row.blob(0), tokenHash) else { return nil }
      return Device(id: row.integer(1), name: row.text(2))
    }
  }

  public func addDevice(named name: String, tokenHash: [UInt8], at now: Date) throws -> Device {
    // A connection of its own: this is rare, and may happen beside a running server.
    let database = try Database(path: path)
    return try database.transaction {
      let time = now.millisecondsSince1970
      try database.run("INSERT INTO devices (name, created) VALUES (?, ?) ON CONFLICT DO NOTHING", name, time)
      guard let id = try database.integer("SELECT id FROM devices WHERE name = ?", name) else {
        throw StoreError.closed
      }
      try database.run("INSERT INTO tokens (hash, device, created) VALUES (?, ?, ?)", tokenHash, id, time)
      return Device(id: id, name: name)
    }
  }

  public func revokeTokens(ofDeviceNamed name: String, at now: Date) throws -> Int? {
    let database = try Database(path: path)
    return try database.transaction {
      guard let id = try database.integer("SELECT id FROM devices WHERE name = ?", name) else { return nil }
      try database.run(
        "UPDATE tokens SET revoked = ? WHERE device = ? AND revoked IS NULL", now.millisecondsSince1970, id)
      return database.changes
    }
  }

  // MARK: Reading

  public func newest(device id: Int64) throws -> StoredPoint? {
    try readers.read { database in
      let name = try database.text("SELECT name FROM devices WHERE id = ?", id)
      return try name.flatMap { try Self.newest(of: Device(id: id, name: $0), database) }
    }
  }

  private static func newest(of device: Device, _ database: Database) throws -> StoredPoint? {
    let contexts = try PointContexts(database)
    let newest = try database.statement(
      PointQueryText.select + " WHERE device = ?1 ORDER BY time DESC, latitude DESC, longitude DESC LIMIT 1")
    newest.bind(device.id, at: 1)
    defer { newest.reset() }
    return try newest.step() ? PointRow.read(newest, contexts: contexts, device: { _ in device }) : nil
  }

  public func points(_ query: PointQuery) throws -> [StoredPoint] {
    try readers.read { database in
      let names = try DeviceNames(database)
      let contexts = try PointContexts(database)
      let rows = try database.statement(PointQueryText.sql(query))
      try rows.bind(PointQueryText.arguments(query))
      defer { rows.reset() }
      var points: [StoredPoint] = []
      while try rows.step() {
        if let point = try PointRow.read(rows, contexts: contexts, device: names.device) { points.append(point) }
      }
      return points
    }
  }

  public func events(device: Int64, from: Date?, to: Date?) throws -> [Record] {
    try readers.read { database in
      let rows = try database.statement(
        "SELECT record FROM events WHERE device = ? AND time >= ? AND time < ? ORDER BY time, kind")
      try rows.bind([device, from?.millisecondsSince1970 ?? .min, to?.millisecondsSince1970 ?? .max])
      defer { rows.reset() }
      var records: [Record] = []
      while try rows.step() {
        records.append(try EventRow.record(json: rows.text(0)))
      }
      return records
    }
  }

  public func journals(device: Int64?) throws -> [JournalSummary] {
    try readers.read { database in
      let names = try DeviceNames(database)
      let rows = try database.statement(
        """
        SELECT journals.device, journals.journal, journals.since, ranges.first, ranges.last
        FROM journals JOIN ranges ON ranges.journal = journals.id
        WHERE ?1 IS NULL OR journals.device = ?1 ORDER BY journals.device, journals.id, ranges.first
        """)
      try rows.bind([device])
      defer { rows.reset() }
      var journals: [JournalSummary] = []
      while try rows.step() {
        let journal = JournalSummary(
          device: names.device(rows.integer(0)), journal: UInt64(bitPattern: rows.integer(1)),
          since: rows.optionalInteger(2), covered: [rows.integer(3)...rows.integer(4)])
        if let last = journals.last, last.device == journal.device, last.journal == journal.journal {
          journals[journals.count - 1].covered += journal.covered
        } else {
          journals.append(journal)
        }
      }
      return journals
    }
  }

  public func refusals(device: Int64?, limit: Int) throws -> [StoredRefusal] {
    try readers.read { database in
      let names = try DeviceNames(database)
      let rows = try database.statement(
        """
        SELECT device, received, place, reason, raw FROM refusals
        WHERE ?1 IS NULL OR device = ?1 ORDER BY id DESC LIMIT ?2
        """)
      try rows.bind([device, limit])
      defer { rows.reset() }
      var refusals: [StoredRefusal] = []
      while try rows.step() {
        refusals.append(
          StoredRefusal(
            device: names.device(rows.integer(0)), received: Date(millisecondsSince1970: rows.integer(1)),
            refused: Refused(place: rows.text(2), reason: rows.text(3), raw: rows.blob(4))))
      }
      return refusals
    }
  }
}

/// Names of devices by number, read once per call.
private struct DeviceNames {
  private var names: [Int64: String] = [:]

  init(_ database: Database) throws {
    let rows = try database.statement("SELECT id, name FROM devices")
    defer { rows.reset() }
    while try rows.step() { names[rows.integer(0)] = rows.text(1) }
  }

  func device(_ id: Int64) -> Device { Device(id: id, name: names[id] ?? "device \(id)") }
}

/// Who wants to know of commits.
private final class CommitObservers: Sendable {
  // In a structure, because a bare closure in a generic box is wrapped anew at every access, and never unwrapped.
  private struct Observer {
    var tell: @Sendable ([(Submission, Stored)]) -> Void
  }
  private let observers = Mutex<[Observer]>([])

  func add(_ new: @escaping @Sendable ([(Submission, Stored)]) -> Void) {
    observers.withLock { $0.append(Observer(tell: new)) }
  }

  func tell(_ group: [(Submission, Stored)]) {
    for observer in observers.withLock({ $0 }) { observer.tell(group) }
  }
}
