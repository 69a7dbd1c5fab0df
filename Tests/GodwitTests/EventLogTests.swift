import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import Synchronization
import TestTexts
import Testing

@testable import Godwit

@Suite("The event log")
struct EventLogTests {
  /// Returns a client whose server accepts, fails or is unreachable at random.
  private func unreliableClient(_ seed: UInt64) -> HTTPClient {
    let random = Mutex(SeededNumbers(seed))
    return HTTPClient { _ in
      switch random.withLock({ Int.random(in: 0..<6, using: &$0) }) {
      case 0: throw URLError(.notConnectedToInternet)
      case 1: HTTPClient.Response(status: 503, headers: ["retry-after": "7"])
      case 2:
        HTTPClient.Response(
          status: 200, body: Array(#"{"result":"ok","set":{"send_interval":60,"main.batch_size":25}}"#.utf8))
      default: HTTPClient.Response(status: 200, body: Array(#"{"result":"ok"}"#.utf8))
      }
    }
  }

  private func event(_ number: Int, _ random: inout SeededNumbers) -> Event {
    let latitude = Double.random(in: -80...80, using: &random)
    let longitude = Double.random(in: -179...179, using: &random)
    // Valid: inside the ranges.
    let place = Coordinate(latitude: latitude, longitude: longitude)!
    let fix = Fix(
      time: start.addingTimeInterval(Double(number) + Double.random(in: 0..<1, using: &random)), coordinate: place,
      horizontalAccuracy: Double.random(in: 1...300, using: &random), speed: Double.random(in: 0...40, using: &random))
    var settings = Settings()
    settings.main.minimumDistance = [1, 10, 50, 100, 500].randomElement(using: &random)
    settings.includesTrackingStats = Bool.random(using: &random)
    switch Int.random(in: 0..<16, using: &random) {
    case 0: return .start
    case 1: return .sendNow
    case 2: return .startTrip(TripMode.allCases.randomElement(using: &random))
    case 3: return .stopTrip
    case 4: return .visit(Visit(time: fix.time, coordinate: place, arrival: .distantPast), cached: fix)
    case 5: return .paused
    case 6: return .resumed
    case 7:
      return .contextChanged(DeviceContext(batteryLevel: Double.random(in: 0...1, using: &random), wifi: "é\"\u{2028}"))
    case 8: return .networkChanged(isReachable: Bool.random(using: &random))
    case 9: return .settingsChanged(settings)
    case 10: return .locationFailed("no \u{1}signal\n")
    case 11: return .becameActive(cached: fix)
    case 12: return .fixesLost(Int.random(in: 1...9, using: &random), .invalid)
    default: return .fixes([fix])
    }
  }

  /// Runs a tracker that writes a log.
  /// - Returns: the status of the tracker before its end.
  private func run(_ folder: TemporaryFolder, _ log: String, seed: UInt64, steps: Int = 200) async throws -> Tracker.Status {
    let clock = VirtualClock()
    let sensor = ScriptedSensor(steps: 7)
    let url = try #require(URL(string: "http://127.0.0.1:9/"))
    var second = Endpoint(id: EndpointID("second \u{E9}"), url: url)
    second.maximumBytesPerDay = 20_000
    var configuration = Tracker.Configuration(
      journalPath: folder.journal, endpoints: [Endpoint(id: EndpointID("home"), url: url), second], uniqueID: "u",
      environment: clock.environment(unreliableClient(seed)))
    configuration.eventLog = try Tracker.EventLog(path: log)
    let tracker = try Tracker(configuration: configuration, sensor: sensor)
    let running = Task { try await tracker.run() }
    await tracker.caughtUp()
    tracker.startTracking()
    var random = SeededNumbers(seed)
    for number in 0..<steps {
      sensor.notify(event(number, &random))
      clock.advance(Double.random(in: 0...90, using: &random))
      await tracker.caughtUp()
    }
    let status = await tracker.status
    running.cancel()
    _ = await running.result
    return status
  }

  private func lines(_ path: String) throws -> [String] {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  @Test("a run is replayed bit for bit, with random events", arguments: [1, 2, 3, 4] as [UInt64])
  func replays(_ seed: UInt64) async throws {
    let folder = try TemporaryFolder()
    let log = folder.url.appendingPathComponent("events").path
    let status = try await run(folder, log, seed: seed)
    var replay = EventReplay()
    var steps = 0
    var kinds: Set<String> = []
    for line in try lines(log) {
      guard let outcome = try replay.replay(line) else { continue }
      #expect(outcome.isSame, "line \(outcome.line): \(outcome.effects) instead of \(outcome.step.effects)")
      steps += 1
      for effect in outcome.effects { kinds.insert("\(effect)".prefix { $0.isLetter }.description) }
      if case .willTerminate = outcome.step.event {
        #expect(outcome.engine.isTracking == status.isTracking && outcome.engine.dropped.invalid == status.invalidFixes)
      }
    }
    #expect(steps > 200)
    #expect(kinds.isSuperset(of: ["record", "upload", "setTimer", "storeCoverage", "configureLocation"]))
  }

  @Test("a step that the engine now performs differently is reported")
  func differs() async throws {
    let folder = try TemporaryFolder()
    let log = folder.url.appendingPathComponent("events").path
    _ = try await run(folder, log, seed: 5, steps: 20)
    var replay = EventReplay()
    var different: [Int] = []
    for (number, line) in try lines(log).enumerated() {
      let changed = line.replacingOccurrences(of: #""rememberTracking":{"_0":true}"#, with: #""rememberTracking":{"_0":false}"#)
      if let outcome = try replay.replay(changed) {
        #expect(outcome.isSame == (changed == line))
        if !outcome.isSame { different.append(number) }
      }
    }
    #expect(different.count == 1)
  }

  @Test("a relaunch continues in the same file, also after a truncated line, which is reported with its number")
  func cut() async throws {
    let folder = try TemporaryFolder()
    let log = folder.url.appendingPathComponent("events").path
    _ = try await run(folder, log, seed: 6, steps: 30)
    var data = try Data(contentsOf: URL(fileURLWithPath: log))
    data.removeLast(40)
    try data.write(to: URL(fileURLWithPath: log))
    _ = try await run(folder, log, seed: 7, steps: 30)
    var replay = EventReplay()
    var problems: [String] = []
    var (beginnings, steps) = (0, 0)
    for line in try lines(log) {
      do {
        guard let outcome = try replay.replay(line) else {
          beginnings += 1
          continue
        }
        steps += 1
        #expect(outcome.isSame)
      } catch { problems.append("\(error)") }
    }
    #expect(beginnings == 2 && steps > 60)
    #expect(problems.count == 1 && problems[0].contains("line ") && problems[0].contains("cut off"))
  }

  @Test("a full log reports it, and does not change")
  func limit() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appendingPathComponent("events").path
    let beginning = Tracker.EventLog.Beginning(settings: Settings(), plans: [], uniqueID: nil)
    let log = try Tracker.EventLog(path: path, limit: 20_000)
    log.begin(beginning)
    while log.problem == nil { log.append(.start, [.rememberTracking(true)], at: start) }
    let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
    #expect(size <= 20_000 && size > 19_000)
    #expect(log.problem?.contains("no longer written") == true)
    log.append(.stop, [], at: start)
    let again = try Tracker.EventLog(path: path, limit: 20_000)
    // The remaining space is used up by a few runs.
    for _ in 0..<10 { again.begin(beginning) }
    #expect(again.problem != nil)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count <= 20_000)
  }

  @Test(
    "values that are not finite are also written and compared",
    arguments: [Double.infinity, -.infinity, .nan, -0.0, .leastNonzeroMagnitude, 0.1 + 0.2])
  func numbers(_ number: Double) throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appendingPathComponent("events").path
    let log = try Tracker.EventLog(path: path)
    log.begin(Tracker.EventLog.Beginning(settings: Settings(), plans: [], uniqueID: nil))
    var engine = Engine(settings: Settings(), plans: [])
    let place = try #require(Coordinate(latitude: 45, longitude: 14))
    for event in [.start, .fixes([Fix(time: start, coordinate: place, altitude: number)])] as [Event] {
      log.append(event, engine.handle(event, at: start), at: start)
    }
    #expect(log.problem == nil)
    var replay = EventReplay()
    let outcomes = try lines(path).compactMap { try replay.replay($0) }
    #expect(outcomes.count == 2 && outcomes.allSatisfy(\.isSame))
  }

  @Test(
    "an invalid line is rejected with its number and the reason",
    arguments: [
      (#"{"godwit":3,"whatever":1}"#, "version 3"), (#"{"at":1,"event":{"start":{}},"effects":[]}"#, "start of its run"),
      (#"{"at":1,"event":{"fly":{}},"effects":[]}"#, "not a line of an event log"), (#"{"at":1,"ev"#, "cut off"),
      ("hello", "cut off or damaged"), (#"{"godwit":2}"#, "not a line of an event log"),
    ])
  func rejected(_ line: String, _ words: String) {
    var replay = EventReplay()
    let error = #expect(throws: (any Error).self) { _ = try replay.replay(line) }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("line 1") && text.contains(words), "\(text)")
  }

  @Test("a log in a missing folder is rejected with a remedy")
  func unreachable() {
    let error = #expect(throws: (any Error).self) { try Tracker.EventLog(path: "/nowhere/at/all") }
    #expect(error.map { "\($0)" }?.contains("in a writable folder") == true)
  }
}
