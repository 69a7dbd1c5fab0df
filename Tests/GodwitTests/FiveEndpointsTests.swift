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

/// What arrived at a server: how often each second's fix did.
private final class Arrivals: Sendable {
  private let counts = Mutex<[Int: Int]>([:])

  func record(_ times: [Int]) {
    counts.withLock { counts in for time in times { counts[time, default: 0] += 1 } }
  }
  var all: [Int: Int] { counts.withLock { $0 } }
  var count: Int { counts.withLock { $0.count } }
}

/// One of the five: a format, a server that speaks it, and what is wrong with that server.
private struct Party: Sendable {
  enum Fault: Sendable {
    case none
    /// Closes every connection.
    case down
    /// Answers 500.
    case failing
    /// Answers 200 and says nothing that could be understood.
    case rubbish
    /// Takes so many seconds for each answer.
    case slow(Double)
  }
  var format: String
  var fault: Fault
}

@Suite("Five endpoints of five formats at once")
struct FiveEndpointsTests {
  private static let parties = [
    Party(format: "overland", fault: .rubbish), Party(format: "openlocate", fault: .down),
    Party(format: "owntracks", fault: .failing), Party(format: "query", fault: .slow(40)),
    Party(format: "datadrop", fault: .none),
  ]
  private static let day = 86_400.0
  /// How long the faults last.
  private static let faulty = 11.0
  private static let fixEvery = 1800.0

  @Test(
    "one down for 11 days, one failing, one slow, one with invalid responses: the others get everything once, and these get what the retention keeps",
    .timeLimit(.minutes(20)))
  func elevenDays() async throws {
    // In a process of its own, whose memory is the tracker's and the servers' alone.
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
        // The tracker has kept house, and sleeps until the next minute.
        while !clock.hasSleeper(until: time.addingTimeInterval(60)) { await tracker.caughtUp() }
      }
      // The good server keeps pace, however busy this machine is; the slow one needs the clock to move.
      while arrivals[4].count < reported.count - 12 {
        await tracker.caughtUp()
        // A request that failed on a busy machine is sent again when the clock says so.
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
    // Up to the last hour: in the moment after it all is well.
    for hour in 1..<Int(faulty) * 24 {
      try await live(until: start.addingTimeInterval(Double(hour) * 3600))
      if hour % 24 == 0 {
        waited.append(await tracker.status.waiting)
        memory.append(try residentBytes())
      }
    }
    try await settleRetention()
    // Ten days wait, and not eleven.
    let tenDays = Int(10 * day / fixEvery)
    let waiting = await tracker.status.waiting
    #expect((waiting - tenDays).magnitude <= 4, "\(waiting), and day by day \(waited)")
    // From the third day on, when everything has run once.
    #expect((memory.max() ?? 0) - memory[2] < 8 << 20, "\(memory.map { $0 >> 10 }) KiB")
    for index in [0, 1, 2] { #expect(arrivals[index].count == 0) }

    // All servers work again: after an hour the longest back-off is over. The queues drain, response by response.
    clock.advance(to: healed)
    for minute in 1...60 {
      clock.advance(to: healed.addingTimeInterval(Double(minute) * 60))
      await tracker.caughtUp()
    }
    // What is less than a batch would wait for its interval.
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
      #expect(isOnce, "\(party.format) got something twice")
      switch party.fault {
      case .none, .slow:
        let isAll = Set(arrived.keys) == Set(reported)
        #expect(isAll, "\(party.format): \(arrived.count) of \(reported.count)")
      case .down, .failing, .rubbish:
        let oldest = try #require(arrived.keys.min())
        // While the oldest ones go out at last the retention goes on: what it does not touch is all there.
        let young = Int(healed.timeIntervalSince1970 + 3600 - 10 * day)
        let missing = reported.filter { $0 >= young && arrived[$0] == nil }
        #expect(missing.isEmpty, "\(party.format) never got \(missing.count) of what was young enough")
        // The retention is looked after once an hour, and the last hour passes at once.
        let age = healed.timeIntervalSince1970 - Double(oldest)
        #expect(age <= 10 * day + 2 * 3600 && age >= 10 * day - 2 * 3600, "\(party.format): \(age / day) days")
        #expect(arrived.count >= tenDays - 4)
      }
    }
    let lost = await tracker.status.lost
    let everywhere = reported.filter { time in arrivals.allSatisfy { $0.all[time] != nil } }
    // What goes out just when it becomes too old may arrive and count as lost as well: two looks, of an hour each.
    let never = reported.count - everywhere.count
    #expect(lost >= never && lost <= never + Int(2 * 3600 / fixEvery), "\(lost) lost, \(never) never came")
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

  /// The times of measurement in a request, Unix seconds, found by other means than those that wrote them.
  private static func times(in request: LocalServer.Request, _ format: String) -> [Int] {
    let body = String(decoding: request.body, as: UTF8.self)
    func numbers(_ pattern: Regex<(Substring, Substring)>, in text: String) -> [Int] {
      text.matches(of: pattern).compactMap { match in
        let word = match.1.removingPercentEncoding ?? ""
        return Int(word) ?? (try? Date(word, strategy: .iso8601)).map { Int($0.timeIntervalSince1970) }
      }
    }
    switch format {
    // The newest position stands beside the batch once more.
    case "overland": return numbers(#/"timestamp":"([^"]*)"/#, in: body.components(separatedBy: #"],"current""#)[0])
    case "openlocate": return numbers(#/"utc_timestamp":([0-9]+)/#, in: body)
    case "owntracks": return numbers(#/"tst":([0-9]+)/#, in: body)
    case "query": return numbers(#/timestamp=([^&]*)/#, in: request.target)
    default: return numbers(#/timestamp=([^&]*)/#, in: body)
    }
  }
}
