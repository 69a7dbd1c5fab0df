import Foundation
import Godwit
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import GodwitWire
import Synchronization
import Testing

/// A server in memory that counts records by their identifiers, and fails according to a script.
private final class FakeServer: Sendable {
  enum Behaviour: Sendable {
    case works
    /// The batch is stored, and the response is lost.
    case losesResponse
    case status(Int)
    case rejects(index: Int)
    case offline
    /// Every batch that contains the record of this second is rejected completely, as some servers do.
    case chokes(on: Double)
  }
  private struct State {
    var script: [Behaviour] = []
    var stored: [String: Int] = [:]
    var times: Set<Date> = []
    var requests = 0
  }
  private let state: Mutex<State>

  /// - Parameter script: the behaviour for the first requests; later requests succeed.
  init(_ script: [Behaviour] = []) { state = Mutex(State(script: script)) }

  var client: HTTPClient {
    HTTPClient { [self] request in
      let parsed = try Overland.read(request.body)
      return try state.withLock { state in
        state.requests += 1
        if case .chokes(let second)? = state.script.first {
          let isBad = parsed.records.contains { $0.time == start.addingTimeInterval(second) }
          if isBad { return HTTPClient.Response(status: 400, body: Array(#"{"error":"bad point"}"#.utf8)) }
        }
        let isChoking = if case .chokes? = state.script.first { true } else { false }
        let behaviour = state.script.isEmpty || isChoking ? .works : state.script.removeFirst()
        func store(except index: Int? = nil) {
          for (position, record) in parsed.records.enumerated() where position != index {
            state.stored[record.id?.description ?? "?", default: 0] += 1
            state.times.insert(record.time)
          }
        }
        switch behaviour {
        case .works:
          store()
          return HTTPClient.Response(status: 200, body: Array(#"{"result":"ok"}"#.utf8))
        case .losesResponse:
          store()
          throw URLError(.networkConnectionLost)
        case .status(let status): return HTTPClient.Response(status: status, headers: ["retry-after": "2"])
        case .rejects(let index):
          store(except: index)
          return HTTPClient.Response(
            status: 200, body: Array(#"{"result":"ok","rejected":[{"index":\#(index),"reason":"no"}]}"#.utf8))
        case .chokes: return HTTPClient.Response(status: 500)
        case .offline: throw URLError(.notConnectedToInternet)
        }
      }
    }
  }

  var ids: Set<String> { state.withLock { Set($0.stored.keys) } }
  var times: Set<Date> { state.withLock { $0.times } }
  var requests: Int { state.withLock { $0.requests } }
  /// The number of records that arrived more than once with the same identifier.
  var repeated: Int { state.withLock { $0.stored.values.count { $0 > 1 } } }
}

@Suite("The tracker", .timeLimit(.minutes(20)))
struct TrackerTests {
  /// Time advances only by sleeps, which end immediately.
  private func environment(_ server: FakeServer) -> TrackerEnvironment {
    let now = Mutex(start)
    let clock = SharedClock(now)
    return TrackerEnvironment(
      now: { clock.now }, sleep: { seconds in try await clock.sleep(seconds) }, random: { 0.5 }, client: server.client)
  }

  private final class SharedClock: Sendable {
    private let time: Mutex<Date>
    init(_ time: consuming Mutex<Date>) { self.time = time }
    var now: Date { time.withLock { $0 } }
    func sleep(_ seconds: Double) async throws {
      try Task.checkCancellation()
      // The timer of the tracker would fire every minute without end, so only back-offs and intervals advance the time.
      if seconds == 60 { return try await Self.waitForCancellation() }
      time.withLock { $0 += seconds }
      await Task.yield()
      try Task.checkCancellation()
    }
    private static func waitForCancellation() async throws {
      let (stream, _) = AsyncStream<Void>.makeStream()
      for await _ in stream {}
      throw CancellationError()
    }
  }

  private func track(
    _ folder: TemporaryFolder, _ server: FakeServer, batch: Int = 50, _ body: (Tracker, ScriptedSensor) async throws -> Void
  ) async throws {
    var settings = Settings()
    settings.main.batchSize = batch
    settings.sendInterval = 30
    let sensor = ScriptedSensor()
    let url = try #require(URL(string: "http://127.0.0.1:9/api/overland"))
    let tracker = try Tracker(
      configuration: Tracker.Configuration(
        journalPath: folder.journal, endpoints: [Endpoint(id: EndpointID("home"), url: url, token: "secret")],
        settings: settings, environment: environment(server)), sensor: sensor)
    let running = Task { try await tracker.run() }
    await tracker.caughtUp()
    try await body(tracker, sensor)
    running.cancel()
    _ = await running.result
  }

  private func fixes(_ range: Range<Int>) -> [Fix] {
    range.compactMap { if case .fix(let fix) = record(Double($0)).kind { fix } else { nil } }
  }

  @Test("positions of the sensor arrive at the server, each record under one identifier")
  func arrives() async throws {
    let folder = try TemporaryFolder()
    let server = FakeServer()
    try await track(folder, server) { tracker, sensor in
      tracker.startTracking()
      await tracker.caughtUp()
      for i in 0..<25 { sensor.notify(.fixes(fixes(i * 10..<i * 10 + 10))) }
      await tracker.caughtUp()
      tracker.sendNow()
      await tracker.caughtUp()
      await tracker.untilSent()
      #expect(await tracker.status.endpoints.first?.status.problem == nil)
    }
    #expect(server.ids.count == 250 && server.repeated == 0)
  }

  @Test(
    "with any faults no record is lost, and repeated records keep their identifier",
    arguments: [
      [.losesResponse], [.offline, .offline, .losesResponse, .status(503)], [.status(500), .losesResponse, .losesResponse],
      [.status(302)], [.status(429), .offline],
    ] as [[FakeServer.Behaviour]])
  private func failures(_ script: [FakeServer.Behaviour]) async throws {
    let folder = try TemporaryFolder()
    let server = FakeServer(script)
    try await track(folder, server) { tracker, sensor in
      tracker.startTracking()
      sensor.notify(.fixes(fixes(0..<120)))
      await tracker.caughtUp()
      tracker.sendNow()
      await tracker.caughtUp()
      await tracker.untilSent()
    }
    #expect(server.ids.count == 120 && server.times.count == 120)
    #expect(server.requests > script.count)
  }

  @Test("a record that the server rejects is quarantined and does not block others")
  func rejected() async throws {
    let folder = try TemporaryFolder()
    let server = FakeServer([.rejects(index: 3)])
    try await track(folder, server) { tracker, sensor in
      tracker.startTracking()
      sensor.notify(.fixes(fixes(0..<60)))
      await tracker.caughtUp()
      tracker.sendNow()
      await tracker.caughtUp()
      await tracker.untilSent()
      let quarantined = try tracker.journal.quarantined(endpoint: "home")
      #expect(quarantined.map(\.sequence) == [4] && quarantined.map(\.reason) == ["no"])
    }
    #expect(server.ids.count == 59)
  }

  @Test("a server that rejects whole batches for one record gets all the others, and that one is quarantined")
  func poison() async throws {
    let folder = try TemporaryFolder()
    let server = FakeServer([.chokes(on: 37)])
    try await track(folder, server) { tracker, sensor in
      tracker.startTracking()
      sensor.notify(.fixes(fixes(0..<120)))
      await tracker.caughtUp()
      tracker.sendNow()
      await tracker.caughtUp()
      await tracker.untilSent()
      await tracker.caughtUp()
      let quarantined = try tracker.journal.quarantined(endpoint: "home")
      #expect(quarantined.map(\.sequence) == [38])
      #expect(quarantined.first?.reason.contains("bad point") == true)
      #expect(await tracker.status.quarantined == 1)
    }
    #expect(server.times == Set(fixes(0..<120).map(\.time)).subtracting([start.addingTimeInterval(37)]))
  }

  @Test("an ended tracker continues at the next launch: tracking and waiting records")
  func relaunch() async throws {
    let folder = try TemporaryFolder()
    try await track(folder, FakeServer(Array(repeating: .offline, count: 1000))) { tracker, sensor in
      tracker.startTracking()
      sensor.notify(.fixes(fixes(0..<30)))
      await tracker.caughtUp()
    }
    let server = FakeServer()
    try await track(folder, server) { tracker, sensor in
      #expect(await tracker.status.isTracking)
      #expect(sensor.configured.last != nil)
      sensor.notify(.fixes(fixes(30..<40)))
      await tracker.caughtUp()
      tracker.sendNow()
      await tracker.caughtUp()
      await tracker.untilSent()
    }
    #expect(server.times == Set(fixes(0..<40).map(\.time)))
  }

  @Test("a stopped tracker records nothing, and stays stopped after a relaunch")
  func stopped() async throws {
    let folder = try TemporaryFolder()
    let server = FakeServer()
    try await track(folder, server) { tracker, sensor in
      tracker.startTracking()
      await tracker.caughtUp()
      tracker.stopTracking()
      sensor.notify(.fixes(fixes(0..<10)))
      await tracker.caughtUp()
    }
    try await track(folder, server) { tracker, _ in #expect(await !tracker.status.isTracking) }
    #expect(server.ids.isEmpty)
  }

  @Test("an endpoint's description has neither token nor query")
  func redacted() throws {
    let url = try #require(URL(string: "https://example.org/api?token=abc"))
    let endpoint = Endpoint(id: EndpointID("home"), url: url, token: "secret", headers: ["X-Key": "secret"])
    #expect("\(endpoint)" == "home (https://example.org/api)")
  }
}
