import Foundation
import GodwitModel
import GodwitPostgres
import GodwitServices
import Synchronization
import TestCluster
import TestTexts
import Testing

@testable import GodwitSQLite
@testable import GodwitServer
@testable import GodwitStore

/// The guarantees of every store for concurrent writes by several servers.
@Suite("A store shared by several servers", .timeLimit(.minutes(20)))
struct SharedStoreContractTests {
  @Test("each record is stored and counted once, whichever servers store it", arguments: StoreKind.tested)
  func race(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let servers = [place.store, try place.openAgain(), try place.openAgain()]
    let devices = try (0..<4).map { try place.store.makeDevice("device \($0)") }
    // Every server gets all records concurrently, in different orders.
    let saved = try await withThrowingTaskGroup(of: SubmissionResult.self) { group in
      var generator = SeededNumbers(1)
      for (offset, server) in servers.enumerated() {
        for device in devices {
          for batch in 0..<20 {
            let start = (batch * 7 + offset * 11) % 20 * 10
            let records = try (start..<start + 20).map {
              try step($0, journal: 5, context: DeviceContext(wifi: "net \($0 % 30)", deviceID: device.name))
            }
            let visit = Record(
              kind: .visit(
                Visit(time: walkStart, coordinate: try coordinate(47, 10), arrival: walkStart.addingTimeInterval(Double(start)))))
            let range = SequenceRange(
              journal: 5, numbers: RecordNumber(clamping: Int64(start + 1))...RecordNumber(clamping: Int64(start + 20)), since: 1)
            let shuffled = records.shuffled(using: &generator) + [visit]
            group.addTask { try await server.store(shuffled, of: device, range: range) }
          }
        }
      }
      return try await group.reduce(into: SubmissionResult()) {
        $0.saved += $1.saved
        $0.savedPoints += $1.savedPoints
        $0.duplicates += $1.duplicates
        #expect($1.known.count == $1.duplicates)
      }
    }
    // Each device has seconds 0 to 209 and twenty visits. The 20 batches of 21 records were sent three times.
    #expect(saved.savedPoints == 4 * 210)
    #expect(saved.saved == 4 * 230)
    #expect(saved.duplicates == 3 * 4 * 20 * 21 - 4 * 230)
    #expect(try place.store.devices().map(\.points) == [210, 210, 210, 210])
    for device in devices {
      let points = try place.store.points(PointQuery(device: device.id, limit: 1000))
      #expect(points.count == 210)
      #expect(
        points.enumerated().allSatisfy {
          $1.record.context.wifi == "net \($0 % 30)" && $1.record.id?.sequence.value == Int64($0) + 1
        }
      )
      #expect(try place.store.events(device: device.id, from: nil, to: nil).count == 20)
      let journals = try place.store.journals(device: device.id)
      #expect(journals.map(\.covered) == [[1...210]])
    }
    for server in servers.dropFirst() { server.close() }
  }

  @Test("concurrent starts of servers create the data of the store once", arguments: StoreKind.tested)
  func beginning(_ kind: StoreKind) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // In one process, creating the file or checking its header would release the locks of other servers.
    let path = folder.path + "/godwit.sqlite"
    GodwitSQLite.PrivateFile.prepare(path)
    try ServerSchema.migrations.checkHeader(of: path)
    let database: TestDatabase? =
      try kind.isDistributed ? TestCitus.shared().makeDatabase() : kind.isPostgres ? TestDatabase() : nil
    let stores = try await withThrowingTaskGroup(of: (any StoreDatabase).self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await WorkQueue(.global()).run { () -> any StoreDatabase in
            guard let database else { return try SQLiteTrackStore(folder: folder.path) }
            return try PostgresTrackStore(PostgresAddress(database.address))
          }
        }
      }
      return try await group.reduce(into: [any StoreDatabase]()) { $0.append($1) }
    }
    defer { for store in stores { store.close() } }
    for (index, store) in stores.enumerated() { _ = try store.makeDevice("device \(index)") }
    for store in stores { #expect(try store.devices().count == 4) }
    #expect(try stores[0].read { try $0.integer("SELECT count(*) FROM region_status") } == 1)
  }

  @Test("a store of a newer version is rejected", arguments: StoreKind.tested)
  func newer(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    try await place.execute(
      kind.isPostgres ? "INSERT INTO schema_migrations (name) VALUES ('what comes next')" : "PRAGMA user_version = 1000")
    let error = try #require(throws: (any Error).self) { try place.openAgain() }
    #expect("\(error)".contains("newer godwit") && "\(error)".contains("Update godwit"))
  }

  @Test("a write that depends on a read is isolated from other writes", arguments: StoreKind.tested)
  func increments(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let servers = [place.store, try place.openAgain(), try place.openAgain()]
    try await place.execute("CREATE TABLE counts (count INTEGER NOT NULL)")
    try await place.execute("INSERT INTO counts VALUES (0)")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for server in servers {
        for _ in 0..<50 {
          group.addTask {
            try await server.write { db in
              let count = try db.integer("SELECT count FROM counts") ?? 0
              try db.run("UPDATE counts SET count = ?", count + 1)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try place.store.read { try $0.integer("SELECT count FROM counts") } == 150)
    for server in servers.dropFirst() { server.close() }
  }

  @Test("a read sees one consistent state", arguments: StoreKind.tested)
  func snapshot(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice()
    _ = try await place.store.store([step(0)], of: device)
    let (began, shouldContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    async let counts = counted(place.store, began, shouldContinue)
    await withCheckedContinuation { continuation in
      Thread {
        began.wait()
        continuation.resume()
      }.start()
    }
    _ = try await place.store.store([step(1)], of: device)
    shouldContinue.signal()
    #expect(try await counts == [1, 1])
    #expect(try place.store.points(PointQuery(limit: 9)).count == 2)
  }

  /// Counts points twice in one read, on a separate thread, which waits between the counts.
  private func counted(
    _ store: any StoreDatabase, _ began: DispatchSemaphore, _ shouldContinue: DispatchSemaphore
  ) async throws -> [Int] {
    try await withCheckedThrowingContinuation { continuation in
      Thread {
        continuation.resume(
          with: Result {
            try store.read { db in
              let before = try PointLookup.count(ofDevice: 1, .min..<Int64.max, db)
              began.signal()
              shouldContinue.wait()
              return [before, try PointLookup.count(ofDevice: 1, .min..<Int64.max, db)]
            }
          })
      }.start()
    }
  }

  /// Records the stored counts in a table, and fails for a device with more than two points.
  private final class RecordingParticipant: CommitParticipant {
    let discards = Atomic<Int>(0)
    struct Rejection: Error {}

    func begin(_ group: [Submission], _ db: any SQLConnection) throws {}

    func process(_ submission: Submission, _ stored: inout SubmissionResult, _ db: any SQLConnection) throws {
      try db.run("INSERT INTO notes (device, saved) VALUES (?, ?)", submission.device.id, stored.saved)
      let points = try PointLookup.count(ofDevice: submission.device.id, .min..<Int64.max, db)
      if points > 2 { throw Rejection() }
    }

    func discardState() { discards.add(1, ordering: .relaxed) }
  }

  @Test("the writes of a commit participant are committed with the records, or rolled back", arguments: StoreKind.tested)
  func participants(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    try await place.execute("CREATE TABLE notes (device INTEGER NOT NULL, saved INTEGER NOT NULL)")
    let participant = RecordingParticipant()
    place.store.addParticipant(participant)
    let commits = Mutex<[Int]>([])
    place.store.observeCommits { group in commits.withLock { $0 += group.map(\.1.saved) } }
    let (ann, bob) = (try place.store.makeDevice("ann"), try place.store.makeDevice("bob"))
    #expect(try await place.store.store([step(0), step(1)], of: ann).saved == 2)
    // A failing submission does not affect another one in the same group.
    let failure = Task { try await place.store.store([step(2)], of: ann) }
    async let success = place.store.store([step(0)], of: bob)
    #expect(try await success.saved == 1)
    await #expect(throws: RecordingParticipant.Rejection.self) { try await failure.value }
    #expect(try place.store.devices().map(\.points) == [2, 1])
    let notes = try place.store.read { db in
      try db.all("SELECT device, saved FROM notes ORDER BY device, saved") { [$0.integer(0), $0.integer(1)] }
    }
    #expect(notes == [[ann.id, 2], [bob.id, 1]])
    #expect(participant.discards.load(ordering: .relaxed) >= 1)
    #expect(commits.withLock { $0.sorted() } == [1, 2])
  }
}
