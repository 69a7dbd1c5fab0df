import Foundation
import Synchronization
import TestClient
import TestCluster
import TestHistory
import TestParts
import Testing

/// A worker of a distributed store whose processes are stopped: its system accepts connections and data, and answers nothing.
@Suite(
  "A worker that hangs",
  .enabled(if: TestPart.citus.isRun, "\(TestPart.citus.reason)"), .serialized, .timeLimit(.minutes(20)))
struct HangingWorkerTests {
  /// Not where the phones are: a transaction with an event that hangs keeps the lock of events.
  private static let region = #"{"id":"home","center":{"latitude":46,"longitude":14.5},"radius":300}"#

  @Test("devices of the other worker are stored and read, and acknowledged records of both are stored once")
  func hangingWorker() async throws {
    let cluster = try TestCitus()
    let database = try cluster.makeDatabase()
    let environment = ["GODWIT_STORE": database.address]
    #expect(try Executable.run(["device", "list"], environment: environment).status == 0)
    #expect(try Executable.run(["store", "distribute", "--shards", "8"], environment: environment).status == 0)
    let server = try await RunningServer(store: database.address)
    var devices: [Int: (name: String, sender: Uploads.Sender)] = [:]
    for number in 0..<16 where devices.count < 2 {
      let name = "phone-\(number)"
      let token = try server.addDevice(name)
      let port = try database.sql(
        """
        SELECT nodeport FROM devices, pg_dist_placement JOIN pg_dist_node USING (groupid)
        WHERE name = '\(name)' AND shardid = get_shard_id_for_distribution_column('points', id)
        """)
      devices[try #require(Int(port))] = (name, Uploads.Sender(endpoint: server.endpoint, token: token))
    }
    let (worker, other) = (try #require(cluster.workers.first), try #require(cluster.workers.last))
    let (stopped, running) = (try #require(devices[Int(worker.port)]), try #require(devices[Int(other.port)]))
    let (hanging, continuing) = (Uploads([stopped.sender]), Uploads([running.sender]))
    async let stops: Void = hanging.run(phones: 2)
    async let end: Void = continuing.run(phones: 2, from: 2)
    try await hanging.waitForBatches(20)
    try await continuing.waitForBatches(20)

    let origin = "http://127.0.0.1:\(server.port)/api/v1/"
    let administrator = try server.administratorToken
    let reads = Reads(origin + "points?device=\(running.name)&limit=100", token: administrator)
    async let read: Void = reads.run()
    try await reads.more(5)
    for year in [2011, 2012] {
      // Afterwards a session of the coordinator has a connection to the worker.
      #expect(try await ask("GET", origin + "points?device=\(stopped.name)&limit=1", token: administrator).status == 200)
      let pause = try await continuing.maximumPause {
        let start = ContinuousClock.now
        try worker.freeze()
        let blocked = Reads(origin + "points?device=\(stopped.name)&limit=1", token: administrator)
        async let blockedReads: Void = blocked.run()
        // The first request waits for its timeout, the others do not.
        try await hanging.waitForResponses(2, withStatus: 503)
        // Only a transaction that waited for the worker when it stopped keeps the lock of other writes.
        let region = try await ask("PUT", origin + "regions/home", Self.region, token: administrator)
        #expect([200, 201, 503].contains(region.status), "\(region.text)")
        // A month that has no partition, which would be on both workers.
        let point = #"{"type":"Feature","geometry":{"type":"Point","coordinates":[10,47]},"properties":"#
        let upload = try await ask(
          "POST", server.endpoint, "{\"locations\":[\(point){\"timestamp\":\"\(year)-05-20T08:30:00Z\"}}]}",
          token: running.sender.token)
        #expect(upload.status == 200, "\(upload.text)")
        try await continuing.waitForBatches(100)
        // The worker hangs for longer than all timeouts.
        try await Task.sleep(for: .seconds(40) - (ContinuousClock.now - start))
        try worker.thaw()
        blocked.end()
        await blockedReads
        #expect(blocked.maximumTime < .seconds(50))
      }
      #expect(pause < .seconds(20))
      try await hanging.waitForBatches(20)
      let region = try await ask("PUT", origin + "regions/home", Self.region, token: administrator)
      #expect(region.status == 200 || region.status == 201, "\(region.text)")
    }
    #expect(hanging.maximumTime(503) < .seconds(20))
    #expect(reads.maximumTime < .seconds(10))
    #expect(reads.statuses == [200] && continuing.statuses == [200])
    reads.end()
    await read
    for uploads in [hanging, continuing] { uploads.end() }
    _ = await (stops, end)
    #expect(try await server.stop() == 0)
    _ = try database.sql("SELECT recover_prepared_transactions()")
    let stored = try StoredHistory(of: database.address)
    #expect(hanging.problems(of: stored.part { $0 <= 2 }) == [])
    #expect(continuing.problems(of: stored.part { $0 > 2 }) == [])
    // With the points of the two months.
    #expect(stored.points.count + 2 == Int(try database.sql("SELECT sum(points) FROM devices")))
  }
}

/// A client that reads without a pause.
private final class Reads: Sendable {
  private let address: String
  private let token: String
  private let state = Mutex(State())

  private struct State {
    var statuses: [Int: Int] = [:]
    var maximumTime = Duration.zero
    var isOver = false
  }

  init(_ address: String, token: String) { (self.address, self.token) = (address, token) }

  /// The statuses that there were; 0 for no answer.
  var statuses: Set<Int> { state.withLock { Set($0.statuses.keys) } }
  /// The maximum time of a response.
  var maximumTime: Duration { state.withLock { $0.maximumTime } }

  func end() { state.withLock { $0.isOver = true } }

  /// Reads until the end is requested.
  func run() async {
    while !Task.isCancelled, !state.withLock({ $0.isOver }) {
      let start = ContinuousClock.now
      let response = try? await ask("GET", address, token: token)
      let time = ContinuousClock.now - start
      state.withLock { state in
        state.statuses[response?.status ?? 0, default: 0] += 1
        state.maximumTime = max(state.maximumTime, time)
      }
      // A reader that does not use up the processor.
      try? await Task.sleep(for: .milliseconds(100))
    }
  }

  /// Waits until some more reads were answered.
  func more(_ count: Int) async throws {
    let before = state.withLock { $0.statuses[200] ?? 0 }
    let end = Date().addingTimeInterval(60)
    while state.withLock({ ($0.statuses[200] ?? 0) < before + count }) {
      guard Date() < end else { throw Background.Timeout(what: "\(count) reads", errorOutput: "\(statuses)") }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}

extension StoredHistory {
  /// The points and ranges of some journals.
  fileprivate func part(_ contains: (UInt64) -> Bool) -> StoredHistory {
    StoredHistory(points: points.filter { contains($0.record.journal) }, ranges: ranges.filter { contains($0.journal) })
  }
}
