import Foundation
import Godwit
import GodwitDelivery
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import GodwitWire
import Synchronization
import TestServer
import Testing

/// The number of arrivals of each fix at a server, by the time of the fix in seconds.
private final class Arrivals: Sendable {
  private let counts = Mutex<[Int: Int]>([:])

  func record(_ times: [Int]) {
    counts.withLock { counts in for time in times { counts[time, default: 0] += 1 } }
  }
  var all: [Int: Int] { counts.withLock { $0 } }
  var count: Int { counts.withLock { $0.count } }
}

/// An endpoint: its format, and the fault of its server.
private struct Party: Sendable {
  enum Fault: Sendable {
    case none
    /// Closes every connection.
    case down
    /// Responds with 500.
    case failing
    /// Responds with 200 and an invalid body.
    case rubbish
    /// Takes this number of seconds for each response.
    case slow(Double)
  }
  var format: String
  var fault: Fault
}

@Suite("Five endpoints of five formats at once", .timeLimit(.minutes(20)))
struct FiveEndpointsTests {
  private static let parties = [
    Party(format: "overland", fault: .rubbish), Party(format: "openlocate", fault: .down),
    Party(format: "owntracks", fault: .failing), Party(format: "query", fault: .slow(40)),
    Party(format: "datadrop", fault: .none),
  ]
  private static let day = 86_400.0
  /// The duration of the faults in days.
  private static let faulty = 11.0
  private static let fixEvery = 1800.0

  @Test(
    "one down for 11 days, one failing, one slow, one with invalid responses: each gets every record within the retention once",
    .timeLimit(.minutes(20)))
  func elevenDays() async throws {
    // In a separate process, whose memory has only the tracker and the servers.
    await #expect(processExitsWith: .success) { try await Self.elevenDays() }
  }

  private static func elevenDays() async throws {
    let folder = try TemporaryFolder()
    let clock = VirtualClock(start)
    let healed = start.addingTimeInterval(faulty * day)
    let arrivals = parties.map { _ in Arrivals() }
    let servers = try parties.indices.map { index in
      try server(parties[index], arrivals[index], clock, healed: healed)
    }
    let endpoints = try parties.indices.map { index in
      var endpoint = Endpoint(
        id: EndpointID(parties[index].format), address: URLTemplate(try servers[index].url("/in")),
        token: .fixed("NAME:PASSWORD"), format: try EndpointFormats.format(named: parties[index].format))
      endpoint.timeout = 30
      return endpoint
    }
    var settings = Settings()
    settings.sendInterval = 3600
    settings.deviceID = "phone"
    #expect(settings.retention == 10 * day)
    let sensor = ScriptedSensor()
    let tracker = try Tracker(
      configuration: Tracker.Configuration(
        journalPath: folder.journal, endpoints: endpoints, settings: settings,
        environment: clock.environment(.live())), sensor: sensor)
    let running = Task { try await tracker.run() }
    tracker.startTracking()
    await tracker.caughtUp()

    var reported: [Int] = []
    func live(until end: Date) async throws {
      while clock.now < end {
        let time = clock.now.addingTimeInterval(fixEvery)
        clock.advance(to: time)
        let second = time.timeIntervalSince(start)
        sensor.notify(.fixes([try fix(second)]))
        reported.append(Int(time.timeIntervalSince1970))
        await tracker.caughtUp()
        // The tracker has finished its housekeeping when it sleeps until the next minute.
        while !clock.hasSleeper(until: time.addingTimeInterval(60)) { await tracker.caughtUp() }
      }
      // Waits for the server without faults, independent of the load of the machine. The slow server needs the clock to advance.
      while arrivals[4].count < reported.count - 12 {
        await tracker.caughtUp()
        // A request that failed on a busy machine is repeated at this time.
        if let retry = await tracker.status.endpoints[4].status.retryAt { clock.advance(to: retry) }
      }
    }
    /// The retention skips an endpoint with a request in flight, and is checked each minute until there is none.
    func settleRetention() async throws {
      for _ in 0..<10 {
        while await tracker.status.endpoints[0...2].contains(where: \.status.isUploading) { await tracker.caughtUp() }
        let time = clock.now.addingTimeInterval(60)
        clock.advance(to: time)
        while !clock.hasSleeper(until: time.addingTimeInterval(60)) { await tracker.caughtUp() }
      }
    }
    var waited: [Int] = []
    var memory: [Int] = []
    // Up to the last hour, after which the faults end.
    for hour in 1..<Int(faulty) * 24 {
      try await live(until: start.addingTimeInterval(Double(hour) * 3600))
      if hour % 24 == 0 {
        waited.append(await tracker.status.waiting)
        memory.append(try residentBytes())
      }
    }
    try await settleRetention()
    // The records of ten days wait, not those of eleven.
    let tenDays = Int(10 * day / fixEvery)
    let waiting = await tracker.status.waiting
    #expect((waiting - tenDays).magnitude <= 4, "\(waiting), and day by day \(waited)")
    // The memory is compared from the third day on, when all code has run once.
    #expect((memory.max() ?? 0) - memory[2] < 8 << 20, "\(memory.map { $0 >> 10 }) KiB")
    for index in [0, 1, 2] { #expect(arrivals[index].count == 0) }

    // All servers work again. After an hour the longest back-off has ended.
    clock.advance(to: healed)
    for minute in 1...60 {
      clock.advance(to: healed.addingTimeInterval(Double(minute) * 60))
      await tracker.caughtUp()
    }
    // Less than a full batch would wait for the send interval.
    tracker.sendNow()
    await tracker.untilSent()
    try await live(until: healed.addingTimeInterval(day))
    tracker.sendNow()
    await tracker.untilSent()
    running.cancel()
    _ = await running.result

    for (index, party) in parties.enumerated() {
      let arrived = arrivals[index].all
      let isOnce = arrived.values.allSatisfy { $0 == 1 }
      #expect(isOnce, "\(party.format) received a record twice")
      switch party.fault {
      case .none, .slow:
        let isAll = Set(arrived.keys) == Set(reported)
        #expect(isAll, "\(party.format): \(arrived.count) of \(reported.count)")
      case .down, .failing, .rubbish:
        let oldest = try #require(arrived.keys.min())
        // The retention is applied while the oldest records are sent: all records younger than it must arrive.
        let young = Int(healed.timeIntervalSince1970 + 3600 - 10 * day)
        let missing = reported.filter { $0 >= young && arrived[$0] == nil }
        #expect(missing.isEmpty, "\(party.format) did not receive \(missing.count) records within the retention")
        // The retention is applied once an hour, and the last hour passes in one step.
        let age = healed.timeIntervalSince1970 - Double(oldest)
        #expect(age <= 10 * day + 2 * 3600 && age >= 10 * day - 2 * 3600, "\(party.format): \(age / day) days")
        #expect(arrived.count >= tenDays - 4)
      }
    }
    let lost = await tracker.status.lost
    let everywhere = reported.filter { time in arrivals.allSatisfy { $0.all[time] != nil } }
    // A record that becomes too old while it is sent may arrive and also count as lost: in two runs of the retention, of one hour each.
    let never = reported.count - everywhere.count
    #expect(lost >= never && lost <= never + Int(2 * 3600 / fixEvery), "\(lost) lost, \(never) did not arrive")
  }

  private static func residentBytes() throws -> Int {
    let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(words[1])) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  private static func fix(_ second: Double) throws -> Fix {
    let place = try #require(Coordinate(latitude: 45 + second / 1e7, longitude: 14))
    return Fix(time: start.addingTimeInterval(second), coordinate: place, horizontalAccuracy: 5, speed: 1)
  }

  private static func server(
    _ party: Party, _ arrivals: Arrivals, _ clock: VirtualClock, healed: Date
  ) throws -> LocalServer {
    try LocalServer(keepsRequests: false) { request, connection in
      let isFaulty = clock.now < healed
      switch party.fault {
      case .down where isFaulty: return connection.hangUp()
      case .failing where isFaulty: return connection.respond("500 Internal Server Error", body: Array("Something broke".utf8))
      case .rubbish where isFaulty:
        return connection.respond(body: Array("<html><body>Welcome to the hotel's wifi</body></html>".utf8))
      case .slow(let seconds) where isFaulty: clock.hold(until: clock.now.addingTimeInterval(seconds))
      case .none, .down, .failing, .rubbish, .slow: break
      }
      arrivals.record(times(in: request, party.format))
      connection.respond(body: Array((party.format == "overland" ? #"{"result":"ok"}"# : "[]").utf8))
    }
  }

  /// Returns the times of the fixes in a request, in seconds since 1970. The parser is independent of the code that writes them.
  private static func times(in request: LocalServer.Request, _ format: String) -> [Int] {
    let body = String(decoding: request.body, as: UTF8.self)
    func numbers(_ pattern: Regex<(Substring, Substring)>, in text: String) -> [Int] {
      text.matches(of: pattern).compactMap { match in
        let word = match.1.removingPercentEncoding ?? ""
        return Int(word) ?? (try? Date(word, strategy: .iso8601)).map { Int($0.timeIntervalSince1970) }
      }
    }
    switch format {
    // The member `current` repeats the newest position.
    case "overland": return numbers(#/"timestamp":"([^"]*)"/#, in: body.components(separatedBy: #"],"current""#)[0])
    case "openlocate": return numbers(#/"utc_timestamp":([0-9]+)/#, in: body)
    case "owntracks": return numbers(#/"tst":([0-9]+)/#, in: body)
    case "query": return numbers(#/timestamp=([^&]*)/#, in: request.target)
    default: return numbers(#/timestamp=([^&]*)/#, in: body)
    }
  }
}
