import Foundation
import GodwitModel
import Synchronization
import Testing

@testable import GodwitServer
@testable import GodwitStore

/// What every store keeps to when many write at once, and several programs.
@Suite("A store that several servers share", .timeLimit(.minutes(20)))
struct SharedStoreContractTests {
  @Test("has each record once, with any server storing it, and counts it once", arguments: StoreKind.tested)
  func race(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let servers = [place.store, try place.another(), try place.another()]
    let devices = try (0..<4).map { try place.store.makeDevice("device \($0)") }
    // Every server is sent everything, each device's in another order, all at once.
    let saved = try await withThrowingTaskGroup(of: SubmissionResult.self) { group in
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
            group.addTask { try await server.store(records.shuffled() + [visit], of: device, range: range) }
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
    // Seconds 0 to 209 and twenty visits of each device, of 20 × 21 that were sent three times.
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

  @Test("is created once, by concurrent starts", arguments: StoreKind.tested)
  func beginning(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<4 {
        group.addTask {
          let store = try place.another()
          defer { store.close() }
          _ = try store.makeDevice("device \(index)")
          return try store.devices().count
        }
      }
      return try await group.reduce(0, max)
    }
    #expect(count <= 4)
    #expect(try place.store.devices().count == 4)
    #expect(try place.store.read { try $0.integer("SELECT count(*) FROM region_status") } == 1)
  }

  @Test("of a newer program is not changed", arguments: StoreKind.tested)
  func newer(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    try await place.tamper(
      kind.isPostgres ? "INSERT INTO schema_migrations (name) VALUES ('what comes next')" : "PRAGMA user_version = 1000")
    let error = try #require(throws: (any Error).self) { try place.another() }
    #expect("\(error)".contains("newer godwit") && "\(error)".contains("Update godwit"))
  }

  @Test("a write that depends on a read is not overtaken by another", arguments: StoreKind.tested)
  func increments(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let servers = [place.store, try place.another(), try place.another()]
    try await place.tamper("CREATE TABLE counts (count INTEGER NOT NULL)")
    try await place.tamper("INSERT INTO counts VALUES (0)")
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
    let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    async let counts = counted(place.store, began, goOn)
    await withCheckedContinuation { continuation in
      Thread {
        began.wait()
        continuation.resume()
      }.start()
    }
    _ = try await place.store.store([step(1)], of: device)
    goOn.signal()
    #expect(try await counts == [1, 1])
    #expect(try place.store.points(PointQuery(limit: 9)).count == 2)
  }

  /// Counts points twice in one read, on a thread of its own, which waits in between.
  private func counted(
    _ store: any StoreDatabase, _ began: DispatchSemaphore, _ goOn: DispatchSemaphore
  ) async throws -> [Int] {
    try await withCheckedThrowingContinuation { continuation in
      Thread {
        continuation.resume(
          with: Result {
            try store.read { db in
              let before = try PointLookup.count(ofDevice: 1, .min..<Int64.max, db)
              began.signal()
              goOn.wait()
              return [before, try PointLookup.count(ofDevice: 1, .min..<Int64.max, db)]
            }
          })
      }.start()
    }
  }

  /// Writes down what is stored, and fails for some.
  private final class Clerk: CommitParticipant {
    let forgotten = Atomic<Int>(0)
    struct Rejection: Error {}

    func begin(_ group: [Submission], _ db: any SQLConnection) throws {}

    func process(_ submission: Submission, _ stored: inout SubmissionResult, _ db: any SQLConnection) throws {
      try db.run("INSERT INTO notes (device, saved) VALUES (?, ?)", submission.device.id, stored.saved)
      let points = try PointLookup.count(ofDevice: submission.device.id, .min..<Int64.max, db)
      if points > 2 { throw Rejection() }
    }

    func discardState() { forgotten.add(1, ordering: .relaxed) }
  }

  @Test("participants' writes are committed with the records, or not at all", arguments: StoreKind.tested)
  func participants(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    try await place.tamper("CREATE TABLE notes (device INTEGER NOT NULL, saved INTEGER NOT NULL)")
    let clerk = Clerk()
    place.store.addParticipant(clerk)
    let commits = Mutex<[Int]>([])
    place.store.observeCommits { group in commits.withLock { $0 += group.map(\.1.saved) } }
    let (ann, bob) = (try place.store.makeDevice("ann"), try place.store.makeDevice("bob"))
    #expect(try await place.store.store([step(0), step(1)], of: ann).saved == 2)
    // One that fails takes no other with it, should they be in one group.
    let failure = Task { try await place.store.store([step(2)], of: ann) }
    async let success = place.store.store([step(0)], of: bob)
    #expect(try await success.saved == 1)
    await #expect(throws: Clerk.Rejection.self) { try await failure.value }
    #expect(try place.store.devices().map(\.points) == [2, 1])
    let notes = try place.store.read { db in
      try db.all("SELECT device, saved FROM notes ORDER BY device, saved") { [$0.integer(0), $0.integer(1)] }
    }
    #expect(notes == [[ann.id, 2], [bob.id, 1]])
    #expect(clerk.forgotten.load(ordering: .relaxed) >= 1)
    #expect(commits.withLock { $0.sorted() } == [1, 2])
  }
}
