public import Foundation
public import GodwitModel
public import GodwitPostgres
internal import Synchronization

/// The store for more than one machine: a PostgreSQL database, in which any number of servers write at the same time.
///
/// One thread writes records and another what else there is (`PostgresWriter`); each reading call borrows one of a few sessions.
/// A database that cannot be reached makes calls fail, with an error that says so, and is connected to again by itself.
public final class PostgresTrackStore: TrackStore, StoreDatabase {
  private let address: PostgresAddress
  private let writer: PostgresWriter
  private let readers: PostgresPool
  private let observers = Observers()

  /// Connects to a database, and brings its tables up to date.
  /// - Parameter address: of a database that exists and that the user may make tables in.
  /// - Throws: `PostgresError`, or an error that says that a newer program was here.
  public init(_ address: PostgresAddress) throws {
    self.address = address
    // Other servers may be at it, and a table may be large.
    let session = try PostgresSession(address, limits: PostgresSession.Limits(statement: 3600))
    try PostgresMigrations(steps: PostgresSchema.steps).apply(to: session)
    readers = PostgresPool(address)
    let observers = observers
    writer = PostgresWriter(address) { observers.tell($0) }
    writer.accompany(by: StaleDayKeeper())
  }

  deinit { writer.beginStopping() }

  /// Stores what waits and ends the sessions.
  public func close() {
    writer.stop()
    readers.close()
  }

  /// Transactions so far.
  package var commits: Int { writer.commits.load(ordering: .relaxed) }

  package func observeCommits(_ observer: @escaping @Sendable ([(Submission, Stored)]) -> Void) { observers.add(observer) }

  package func accompany(by companion: any CommitCompanion) { writer.accompany(by: companion) }

  public func submit(_ submission: Submission) { writer.submit(submission) }

  // MARK: For both databases

  package var dialect: SQLDialect { .postgres }

  package func read<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
    try readers.read { try body(PostgresConnection($0)) }
  }

  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    writer.perform(
      PostgresWriter.Work(
        run: { connection in
          let value = try body(connection)
          return { completion(.success(value)) }
        },
        failed: { completion(.failure($0)) }))
  }

  // MARK: Devices

  public func newest(device id: Int64) throws -> StoredPoint? {
    try readers.use { session in
      let names = try session.run("SELECT name FROM devices WHERE id = ?", [.integer(id)])
      guard names.next() else { return nil }
      let device = Device(id: id, name: names.text(0))
      let rows = try session.run(
        PostgresPointRow.select
          + " WHERE points.device = ? ORDER BY points.time DESC, points.latitude DESC, points.longitude DESC LIMIT 1",
        [.integer(id)])
      return rows.next() ? PostgresPointRow.read(rows) { _ in device } : nil
    }
  }

  public func devices() throws -> [DeviceSummary] {
    try readers.read { session in
      var summaries: [DeviceSummary] = []
      let rows = try session.run(
        """
        SELECT id, name, last_contact, points,
          (SELECT min(time) FROM points WHERE device = devices.id),
          (SELECT count(*) FROM refusals WHERE device = devices.id),
          (SELECT count(*) FROM tokens WHERE device = devices.id AND revoked IS NULL)
        FROM devices ORDER BY name
        """)
      while rows.next() {
        let device = Device(id: rows.integer(0), name: rows.text(1))
        let newest = try session.run(
          PostgresPointRow.select
            + " WHERE points.device = ? ORDER BY points.time DESC, points.latitude DESC, points.longitude DESC LIMIT 1",
          [.integer(device.id)])
        summaries.append(
          DeviceSummary(
            device: device, points: Int(rows.integer(3)),
            first: rows.optionalInteger(4).map { Date(millisecondsSince1970: $0) },
            last: newest.next() ? PostgresPointRow.read(newest) { _ in device } : nil,
            lastContact: rows.optionalInteger(2).map { Date(millisecondsSince1970: $0) },
            refused: Int(rows.integer(5)), tokens: Int(rows.integer(6))))
      }
      return summaries
    }
  }

  public func device(named name: String) throws -> Device? {
    try readers.use { session in
      let rows = try session.run("SELECT id FROM devices WHERE name = ?", [.text(name)])
      return rows.next() ? Device(id: rows.integer(0), name: name) : nil
    }
  }

  public func device(tokenHash: [UInt8]) throws -> Device? {
    // Asked by the few threads that take in requests: a database that hangs must not have them all for long.
    try readers.use(patience: 3) { session in
      let rows = try session.run(
        """
        SELECT tokens.hash, devices.id, devices.name FROM tokens JOIN devices ON devices.id = tokens.device
        WHERE tokens.hash = ? AND tokens.revoked IS NULL
        """, [.blob(tokenHash)])
      guard rows.next(), AccessToken.isSame(rows.blob(0), tokenHash) else { return nil }
      return Device(id: rows.integer(1), name: rows.text(2))
    }
  }

  public func addDevice(named name: String, tokenHash: [UInt8], at now: Date) throws -> Device {
    let time = PostgresValue.integer(now.millisecondsSince1970)
    return try readers.use { session in
      try session.transaction {
        try session.run("INSERT INTO devices (name, created) VALUES (?, ?) ON CONFLICT DO NOTHING", [.text(name), time])
        let rows = try session.run("SELECT id FROM devices WHERE name = ?", [.text(name)])
        guard rows.next() else { throw StoreError.busy }
        let id = rows.integer(0)
        try session.run(
          "INSERT INTO tokens (hash, device, created) VALUES (?, ?, ?)", [.blob(tokenHash), .integer(id), time])
        return Device(id: id, name: name)
      }
    }
  }

  public func revokeTokens(ofDeviceNamed name: String, at now: Date) throws -> Int? {
    try readers.use { session in
      try session.transaction {
        let rows = try session.run("SELECT id FROM devices WHERE name = ?", [.text(name)])
        guard rows.next() else { return nil }
        return try session.run(
          "UPDATE tokens SET revoked = ? WHERE device = ? AND revoked IS NULL",
          [.integer(now.millisecondsSince1970), .integer(rows.integer(0))]
        ).changes
      }
    }
  }

  // MARK: Reading

  public func points(_ query: PointQuery) throws -> [StoredPoint] {
    try readers.read { session in
      let names = try DeviceNames(session, query.device)
      let rows = try session.run(PointQueryText.sql(query, select: PostgresPointRow.select), PointQueryText.values(query))
      var points: [StoredPoint] = []
      points.reserveCapacity(rows.count)
      while rows.next() {
        if let point = PostgresPointRow.read(rows, device: names.device) { points.append(point) }
      }
      return points
    }
  }

  public func events(device: Int64, from: Date?, to: Date?) throws -> [Record] {
    try readers.use { session in
      let rows = try session.run(
        "SELECT record FROM events WHERE device = ? AND time >= ? AND time < ? ORDER BY time, kind",
        [
          .integer(device), .integer(from?.millisecondsSince1970 ?? .min), .integer(to?.millisecondsSince1970 ?? .max),
        ])
      var records: [Record] = []
      while rows.next() { records.append(try EventRow.record(json: rows.text(0))) }
      return records
    }
  }

  public func journals(device: Int64?) throws -> [JournalSummary] {
    try readers.read { session in
      let names = try DeviceNames(session, device)
      let rows = try session.run(
        """
        SELECT journals.device, journals.journal, journals.since, ranges.first, ranges.last
        FROM journals JOIN ranges ON ranges.journal = journals.id
        WHERE ?1 IS NULL OR journals.device = ?1 ORDER BY journals.device, journals.id, ranges.first
        """, [device.map { .integer($0) } ?? .null])
      var journals: [JournalSummary] = []
      while rows.next() {
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
    try readers.read { session in
      let names = try DeviceNames(session, device)
      let rows = try session.run(
        """
        SELECT device, received, place, reason, raw FROM refusals
        WHERE ?1 IS NULL OR device = ?1 ORDER BY id DESC LIMIT ?2
        """, [device.map { .integer($0) } ?? .null, .integer(Int64(limit))])
      var refusals: [StoredRefusal] = []
      while rows.next() {
        refusals.append(
          StoredRefusal(
            device: names.device(rows.integer(0)), received: Date(millisecondsSince1970: rows.integer(1)),
            refused: Refused(place: rows.text(2), reason: rows.text(3), raw: rows.blob(4))))
      }
      return refusals
    }
  }
}

extension PointQueryText {
  /// The parameters, for PostgreSQL.
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

/// Names of devices by number, read once per call: of all, or of the one that is asked for.
private struct DeviceNames {
  private var names: [Int64: String] = [:]

  init(_ session: PostgresSession, _ device: Int64?) throws {
    let rows = try session.run(
      "SELECT id, name FROM devices WHERE ?1 IS NULL OR id = ?1", [device.map { .integer($0) } ?? .null])
    while rows.next() { names[rows.integer(0)] = rows.text(1) }
  }

  func device(_ id: Int64) -> Device { Device(id: id, name: names[id] ?? "device \(id)") }
}

/// Who wants to know of commits.
private final class Observers: Sendable {
  // In a structure, because a bare closure in a generic box is wrapped anew at every access, and never unwrapped.
  private struct Observer {
    var tell: @Sendable ([(Submission, Stored)]) -> Void
  }
  private let observers = Mutex<[Observer]>([])

  func add(_ new: @escaping @Sendable ([(Submission, Stored)]) -> Void) {
    observers.withLock { $0.append(Observer(tell: new)) }
  }

  func tell(_ group: [(Submission, Stored)]) { for observer in observers.withLock({ $0 }) { observer.tell(group) } }
}
