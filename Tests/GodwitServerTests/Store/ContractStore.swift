import Foundation
import GodwitModel
import GodwitPostgres
import TestCluster
import TestParts
import Testing

@testable import GodwitSecrets
@testable import GodwitServer
@testable import GodwitStore

/// The kinds of stores.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case sqlite, postgres
  /// Points are sealed in blocks in the transaction that stores them.
  case sealedSQLite, sealedPostgres
  /// A Citus cluster with a coordinator and two workers.
  case citus, sealedCitus

  var testDescription: String {
    (isDistributed ? "Citus" : isPostgres ? "PostgreSQL" : "SQLite") + (isSealed ? ", sealed" : "")
  }
  var isPostgres: Bool { ![.sqlite, .sealedSQLite].contains(self) }
  var isDistributed: Bool { self == .citus || self == .sealedCitus }
  var isSealed: Bool { [.sealedSQLite, .sealedPostgres, .sealedCitus].contains(self) }

  /// The kinds of stores in this run: SQLite with the quick tests, the others with the system tests. `GODWIT_STORE_KINDS`, for
  /// example `citus,postgres`, limits the run to these kinds.
  static let tested: [StoreKind] = allCases.filter {
    let named = ProcessInfo.processInfo.environment["GODWIT_STORE_KINDS"]?.split(separator: ",")
    if let named, !named.contains("\($0.rawValue)") { return false }
    return switch $0 {
    case .sqlite: TestGroup.quick.isRun
    case .sealedSQLite: TestGroup.system.isRun
    case .postgres, .sealedPostgres: TestPart.postgres.isRun
    case .citus: TestPart.citus.isRun
    // Takes as long as all others together: runs only if it is named.
    case .sealedCitus: named != nil && TestPart.citus.isRun
    }
  }
}

/// A PostgreSQL database with the tables of a new store. Its copies are the databases of the tests, because a copy takes a third of the time in
/// which a server creates the tables.
enum EmptyStore {
  private static let original = Result {
    let database = try TestDatabase()
    try PostgresTrackStore(PostgresAddress(database.address)).close()
    return database
  }

  static func makeCopy() throws -> TestDatabase { try TestDatabase(copyOf: original.get()) }
}

/// An empty store of a kind. Further servers can open the same store.
final class ContractStore: Sendable {
  let kind: StoreKind
  private let folder: URL
  private let database: TestDatabase?
  /// The store of the first server.
  let store: any StoreDatabase

  init(_ kind: StoreKind) throws {
    self.kind = kind
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-store-\(UUID().uuidString)")
    database = kind.isDistributed ? try Self.distributed() : kind.isPostgres ? try EmptyStore.makeCopy() : nil
    store = try Self.open(kind, folder, database)
  }

  /// A database with distributed tables of a server.
  private static func distributed() throws -> TestDatabase {
    let database = try TestCitus.shared().makeDatabase()
    let address = try PostgresAddress(database.address)
    try PostgresTrackStore(address).close()
    _ = try StoreDistributor.distribute(TableDistribution.byDevice, of: address, shards: 4)
    return database
  }

  /// Closes the store and deletes its data. Tests call this in `defer`.
  func end() {
    // The rows match their hashes after every test.
    store.expectIntactRows()
    store.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// The location for a server's configuration.
  func location() throws -> StoreLocation {
    try database.map { .postgres(try PostgresAddress($0.address)) } ?? .folder(folder.path)
  }

  /// Opens the same store as another server does.
  func openAgain() throws -> any StoreDatabase { try Self.open(kind, folder, database) }

  /// Runs a statement on the database, for example to change the schema.
  func execute(_ sql: String) async throws { _ = try await store.write { try $0.run(sql) } }

  private static func open(_ kind: StoreKind, _ folder: URL, _ database: TestDatabase?) throws -> any StoreDatabase {
    let store: any StoreDatabase =
      if let database {
        try PostgresTrackStore(PostgresAddress(database.address))
      } else {
        try SQLiteTrackStore(folder: folder.path)
      }
    if kind.isSealed { store.addParticipant(ImmediateSealing()) }
    return store
  }
}

/// Seals the points of each transaction before its commit.
final class ImmediateSealing: CommitParticipant, @unchecked Sendable {
  private var devices: Set<Int64> = []

  func begin(_ group: [Submission], _ db: any SQLConnection) throws { devices = Set(group.map(\.device.id)) }

  func process(_ submission: Submission, _ stored: inout SubmissionResult, _ db: any SQLConnection) throws {}

  func end(_ db: any SQLConnection) throws {
    for device in devices.sorted() {
      var next: Int64? = .min
      while let begin = next {
        next = try PointSealer(ofDevice: device, db).sealFirst(from: begin, before: .max, minimum: 1).next
      }
    }
  }

  func discardState() {}
}

extension StoreDatabase {
  /// Expects that the rows of points match their hashes, which only PostgreSQL has.
  func expectIntactRows() {
    guard dialect.isShared else { return }
    do {
      let days = try read { try PointHashes.damaged($0) }
      #expect(days.isEmpty, "\(days)")
    } catch { Issue.record(error) }
  }
}

extension TrackStore {
  /// Submits records and waits for the commit.
  func store(
    _ records: [Record], of device: Device, rejections: [RejectedRecord] = [], range: SequenceRange? = nil,
    at received: Date = walkStart
  ) async throws -> SubmissionResult {
    try await withCheckedThrowingContinuation { continuation in
      submit(
        Submission(device: device, records: records, rejections: rejections, range: range, received: received) {
          continuation.resume(with: $0)
        })
    }
  }

  func makeDevice(_ name: String = "walker") throws -> Device {
    try addDevice(named: name, tokenHash: AccessToken().hash, at: walkStart)
  }

  /// All points of a query, read page by page.
  func allPoints(_ query: PointQuery) throws -> [StoredPoint] {
    var (points, query) = ([StoredPoint](), query)
    while true {
      let page = try self.points(query)
      points += page
      guard page.count == query.limit, let last = page.last else { return points }
      query.after = last.cursor
    }
  }
}

extension StoredPoint {
  /// The values of the key columns of `outliers`.
  var flagArguments: [SQLArgument] {
    [cursor.device.value, cursor.time.value, cursor.latitude.value, cursor.longitude.value].map(\.argument)
  }
}

/// 2026-11-20 12:00 UTC.
let walkStart = Date(millisecondsSince1970: 1_795_176_000_000)

/// Returns a valid coordinate; throws for an invalid one.
func coordinate(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
  guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { throw StoreError.closed }
  return coordinate
}

/// A fix of a walk to the north east.
/// - Parameters:
///   - second: the seconds since ``walkStart``.
///   - journal: the journal of the record; `nil` for a record without an id.
func step(_ second: Int, journal: UInt64? = nil, context: DeviceContext = DeviceContext(), extras: String? = nil) throws -> Record
{
  let fix = Fix(
    time: walkStart.addingTimeInterval(Double(second)),
    coordinate: try coordinate(47 + Double(second) * 1e-5, 10 + Double(second) * 1e-5),
    horizontalAccuracy: 5, altitude: 430.25, speed: 1.3, course: 45)
  return Record(
    id: journal.map { RecordID(journal: $0, sequence: RecordNumber(clamping: Int64(second) + 1)) }, kind: .fix(fix),
    context: context,
    extras: extras)
}
