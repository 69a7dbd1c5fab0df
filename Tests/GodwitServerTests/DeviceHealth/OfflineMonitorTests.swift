import Foundation
import GodwitModel
import GodwitServices
import Testing

@testable import GodwitAPI
@testable import GodwitGeofencing
@testable import GodwitIntake
@testable import GodwitSecrets
@testable import GodwitServer
@testable import GodwitStore

/// A store with an offline monitor and a clock that the test advances.
private final class Harness {
  let place: ContractStore
  let clock = ManualClock()
  private(set) var watch: OfflineMonitor
  var store: any StoreDatabase { place.store }
  private(set) var webhook: Webhook

  init(_ kind: StoreKind) async throws {
    place = try ContractStore(kind)
    watch = OfflineMonitor(store: place.store, outbox: StoredOutbox())
    webhook = Webhook(
      id: 0, options: WebhookOptions(url: "https://example.org/hook"), secret: "", isEnabled: true, created: clock.now)
    let now = clock.now
    webhook = try await store.write {
      try WebhookTables.add(WebhookOptions(url: "https://example.org/hook"), secret: "whsec_1", isEnabled: true, at: now, $0)
    }
    _ = try await watch.check(at: now)
  }

  deinit { place.end() }

  func device(_ name: String = "phone") throws -> Device {
    try store.device(named: name) ?? store.addDevice(named: name, tokenHash: AccessToken().hash, at: clock.now)
  }

  func process(_ name: String = "phone", _ records: [Record] = []) async throws {
    _ = try await store.store(records, of: try device(name), at: clock.now)
  }

  @discardableResult
  func check() async throws -> OfflineMonitor.Result { try await watch.check(at: clock.now) }

  /// Advances the clock, with a check every two minutes like a running server.
  @discardableResult
  func advance(_ seconds: Double) async throws -> OfflineMonitor.Result {
    var all = OfflineMonitor.Result()
    let end = clock.now.addingTimeInterval(seconds)
    while clock.now < end {
      clock.sleep(min(120, end.timeIntervalSince(clock.now)))
      let result = try await check()
      all.offline += result.offline
      all.online += result.online
      all.keys += result.keys
    }
    return all
  }

  /// Replaces the monitor, as a restart of the server does.
  func restart() { watch = OfflineMonitor(store: store, outbox: StoredOutbox()) }

  /// The bodies of the queued webhook deliveries, in order.
  func deliveries() throws -> [[String: Any]] {
    try store.read { db in
      try db.all(
        "SELECT body FROM webhook_deliveries JOIN region_events ON region_events.id = webhook_deliveries.event ORDER BY webhook_deliveries.id"
      ) { (try JSONSerialization.jsonObject(with: Data($0.text(0).utf8))) as? [String: Any] ?? [:] }
    }
  }

  /// Adds a history of days with a contact every ten minutes, and a contact now.
  func learn(days: Int = 4) async throws {
    let (device, now) = (try device(), clock.now)
    try await store.write { db in
      for hour in 1...(days * 24) {
        let contact = now.addingTimeInterval(-3600 * Double(hour))
        let received = HeartbeatTables.EndedPause(device: device.id, contact: contact, before: contact.addingTimeInterval(-600))
        try HeartbeatTables.record(received, db)
      }
    }
    try await process()
    try await check()
  }

  func rule(_ threshold: TimeInterval, notices: Bool = true, _ names: String...) async throws {
    for name in names {
      let device = try device(name)
      try await store.write {
        try HeartbeatTables.set(HeartbeatTables.Rule(threshold: threshold, notices: notices), of: device.id, $0)
      }
    }
  }
}

@Suite("Offline devices", .timeLimit(.minutes(20)))
struct OfflineMonitorTests {
  @Test("a device without contact for longer than usual is reported once, and its return once", arguments: StoreKind.tested)
  func notices(_ kind: StoreKind) async throws {
    let harness = try await Harness(kind)
    #expect(try harness.store.read { try HeartbeatTables.outages($0) }.isEmpty, "the first start of a server is not an outage")
    try await harness.learn()
    #expect(try await harness.advance(890).offline.isEmpty)
    let begun = try await harness.advance(3600)
    #expect(begun.offline == ["phone"] && begun.keys.count == 1)
    let gauges = try harness.store.read { db in
      var metrics = MetricsText()
      try StoreGauges.write(db, to: &metrics)
      return metrics.text
    }
    #expect(gauges.contains("\ngodwit_devices 1\n") && gauges.contains("\ngodwit_devices_offline 1\n"))
    let delivery = try #require(try harness.deliveries().first)
    #expect(delivery["type"] as? String == "device.silent" && delivery["device"] as? String == "phone")
    #expect(delivery["origin"] as? String == "rhythm" && delivery["threshold_seconds"] as? Int == 900)
    #expect((delivery["text"] as? String)?.contains("usually reports within 10 min at this hour") == true, "\(delivery)")
    #expect((delivery["id"] as? String)?.hasPrefix("evt_") == true)
    // Another server with the database, or a restarted one, does not report the outage again.
    harness.restart()
    #expect(try await harness.advance(3600) == OfflineMonitor.Result())
    try await harness.process()
    let ended = try await harness.advance(120)
    #expect(ended.online == ["phone"] && ended.offline.isEmpty)
    let deliveries = try harness.deliveries()
    #expect(deliveries.map { $0["type"] as? String } == ["device.silent", "device.heard"])
    #expect(deliveries.last?["offline_seconds"] as? Int ?? 0 > 8000)
  }

  @Test("the usual time without contact is learned from the device's gaps", arguments: StoreKind.tested)
  func learning(_ kind: StoreKind) async throws {
    let harness = try await Harness(kind)
    try await harness.process()
    try await harness.check()
    // A pause from 22:13 to 22:25, one of 90 s, one of 2000 s, then contacts every ten seconds past the hour.
    for seconds in [720.0, 90] {
      try await harness.advance(seconds)
      try await harness.process()
      try await harness.check()
    }
    try await harness.advance(2000)
    try await harness.process()
    try await harness.check()
    for _ in 0..<12 {
      harness.clock.sleep(10)
      try await harness.process()
      try await harness.check()
    }
    let device = try harness.device()
    let hours = try harness.store.read { try HeartbeatTables.hours(of: device.id, $0) }
    #expect(hours.map(\.hour.hour) == [22, 23])
    #expect(hours.map(\.hour.maximum) == [2000, 0])
    #expect(hours.first?.began == ManualClock.start.addingTimeInterval(810))
    try await harness.store.write { try HeartbeatTables.discardHours(before: 30_000, $0) }
    #expect(try harness.store.read { try HeartbeatTables.hours(of: device.id, $0) }.isEmpty)
  }

  @Test("only one of two servers reports an offline device", arguments: StoreKind.tested)
  func twoServers(_ kind: StoreKind) async throws {
    let harness = try await Harness(kind)
    try await harness.process()
    try await harness.rule(300, "phone")
    let others = [
      OfflineMonitor(store: harness.store, outbox: StoredOutbox()), OfflineMonitor(store: harness.store, outbox: StoredOutbox()),
    ]
    var offline: [String] = []
    for _ in 0..<10 {
      harness.clock.sleep(120)
      for other in others { offline += try await other.check(at: harness.clock.now).offline }
    }
    #expect(offline == ["phone"])
    #expect(try harness.deliveries().count == 1)
    try await harness.process()
    var received: [String] = []
    for other in others { received += try await other.check(at: harness.clock.now).online }
    #expect(received == ["phone"])
    #expect(try harness.deliveries().count == 2)
  }

  @Test("an outage of the server does not make devices offline", arguments: StoreKind.tested)
  func outage(_ kind: StoreKind) async throws {
    let harness = try await Harness(kind)
    try await harness.learn()
    // The server is off for a day, then restarts.
    harness.clock.sleep(86400)
    harness.restart()
    #expect(try await harness.check().offline.isEmpty)
    // After such an outage devices have an hour, and then their usual threshold.
    #expect(try await harness.advance(3500).offline.isEmpty)
    #expect(try await harness.advance(1000).offline == ["phone"])
    // An offline device stays offline during an outage of the server.
    harness.clock.sleep(86400)
    harness.restart()
    #expect(try await harness.advance(7200) == OfflineMonitor.Result())
    #expect(try harness.deliveries().count == 1)
    // The outage is not learned as a usual pause of the device.
    try await harness.process()
    try await harness.check()
    let device = try harness.device()
    let maximum = try harness.store.read { try HeartbeatTables.hours(of: device.id, $0) }.map(\.hour.maximum).max()
    #expect(maximum == 600)
  }

  @Test(
    "a clock that was set ahead by ten days and back does not delay the event of an offline device", arguments: StoreKind.tested)
  func clockAheadAndBack(_ kind: StoreKind) async throws {
    let harness = try await Harness(kind)
    try await harness.process()
    try await harness.rule(300, "phone")
    try await harness.advance(60)
    harness.clock.changeDate(by: 10 * 86_400)
    #expect(try await harness.advance(120).offline.isEmpty)
    harness.clock.changeDate(by: -10 * 86_400)
    try await harness.process()
    #expect(try await harness.advance(240).offline.isEmpty)
    #expect(try await harness.advance(600).offline == ["phone"])
    let outages = try harness.store.read { try HeartbeatTables.outages($0) }
    #expect(outages.count == 1 && outages.allSatisfy { $0.ended <= harness.clock.now }, "\(outages)")
  }

  @Test(
    "a clock that is set back by weeks delays neither the event of an offline device nor that of its return",
    arguments: StoreKind.tested)
  func clockSetBack(_ kind: StoreKind) async throws {
    let harness = try await Harness(kind)
    try await harness.process()
    try await harness.rule(300, "phone")
    try await harness.advance(120)
    harness.clock.changeDate(by: -20 * 86_400)
    #expect(try await harness.advance(240).offline.isEmpty)
    #expect(try await harness.advance(600).offline == ["phone"])
    try await harness.process()
    #expect(try await harness.advance(120).online == ["phone"])
    #expect(try harness.deliveries().map { $0["type"] as? String } == ["device.silent", "device.heard"])
  }

  @Test(
    "a clock that was set back is reported, also after the server has corrected the last contact of a device",
    arguments: StoreKind.tested)
  func report(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice()
    _ = try await place.store.store([try step(0)], of: device, at: walkStart)
    let monitor = OfflineMonitor(store: place.store, outbox: StoredOutbox())
    let now = walkStart.addingTimeInterval(-10 * 86_400)
    for time in [walkStart, now] { _ = try await monitor.check(at: time) }
    #expect(try place.store.devices().first?.lastContact == now)
    let results = StoreCheckup.run(at: try place.location(), now: now)
    #expect(results.first { $0.subject == "Clock" }?.outcome == .bad, "\(results)")
  }

  @Test("the first check of a server sends no event for devices that are already offline", arguments: StoreKind.tested)
  func first(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let clock = ManualClock()
    for (name, days) in [("old", 400.0), ("new", 0.1)] {
      let device = try place.store.makeDevice(name)
      _ = try await place.store.store([], of: device, at: clock.now.addingTimeInterval(-days * 86400))
    }
    let result = try await OfflineMonitor(store: place.store, outbox: StoredOutbox()).check(at: clock.now)
    #expect(result.offline == ["old"] && result.keys.isEmpty)
    #expect(try place.store.read { try HeartbeatTables.outages($0) }.count == 1, "the outage began at the newest contact")
    #expect(try place.store.read { try $0.integer("SELECT count(*) FROM region_events") } == 0)
  }

  @Test("the administrator sets the threshold of a device, or disables its events", arguments: StoreKind.tested)
  func rules(_ kind: StoreKind) async throws {
    let harness = try await Harness(kind)
    for name in ["quick", "quiet", "gone"] { try await harness.process(name) }
    try await harness.rule(120, "quick", "gone")
    try await harness.rule(120, notices: false, "quiet")
    _ = try harness.store.revokeTokens(ofDeviceNamed: "gone", at: harness.clock.now)
    #expect(try await harness.advance(400).offline.sorted() == ["quick", "quiet"])
    #expect(try harness.deliveries().map { $0["device"] as? String } == ["quick"])
    try await harness.process("quick")
    try await harness.process("quiet")
    #expect(try await harness.advance(100).online.sorted() == ["quick", "quiet"])
    #expect(try harness.deliveries().count == 2)
    // A device without a token has no event. A larger threshold ends the offline state without an event.
    try await harness.advance(400)
    try await harness.rule(1e7, "quick")
    let count = try harness.deliveries().count
    #expect(try await harness.advance(120).online == ["quick"])
    #expect(try harness.deliveries().count == count)
  }

  @Test("the habits include the mode, the stay and the interval that the app last reported", arguments: StoreKind.tested)
  func habits(_ kind: StoreKind) async throws {
    let harness = try await Harness(kind)
    let (device, now) = (try harness.device(), harness.clock.now)
    func habits() throws -> Habits {
      try harness.store.read { db in
        try HabitsReader.habits(of: device.id, newest: try harness.store.newest(device: device.id), db)
      }
    }
    #expect(try habits() == Habits())
    let place = try #require(Coordinate(latitude: 46, longitude: 14))
    func fix(_ second: Double, latitude: Double = 46, extras: String? = nil) throws -> Record {
      let place = try #require(Coordinate(latitude: latitude, longitude: 14))
      return Record(
        kind: .fix(Fix(time: now.addingTimeInterval(second), coordinate: place, horizontalAccuracy: 5)), extras: extras)
    }
    try await harness.process("phone", [try fix(0, extras: #"{"m":1}"#)])
    #expect(try habits().mode == .significant)
    try await harness.process("phone", [try fix(1, extras: #"{"m":-1}"#)])
    #expect(try habits().mode == .off)
    try await harness.process("phone", [try fix(2, extras: #"{"tracking_mode":1}"#)])
    #expect(try habits().mode == .moving && habits().isStaying == false)
    // A visit without an end, then fixes near it and elsewhere.
    let visit = Visit(time: now, coordinate: place, horizontalAccuracy: 10, arrival: now.addingTimeInterval(10))
    try await harness.process("phone", [Record(kind: .visit(visit))])
    #expect(try habits().isStaying)
    try await harness.process("phone", [try fix(100, latitude: 46.001)])
    #expect(try habits().isStaying)
    try await harness.process("phone", [try fix(200, latitude: 46.1)])
    #expect(try !habits().isStaying)
    // Only applied settings are used, and later ones have precedence.
    for (settings, state) in [
      (#"{"send_interval":"10m","main.tracking_mode":"off"}"#, "applied"), (#"{"main.tracking_mode":"standard"}"#, "applied"),
      (#"{"send_interval":"1m"}"#, "sent"),
    ] {
      try await harness.store.write { db in
        _ = try db.run(
          "INSERT INTO desired_settings (device, created, settings, state, closed) VALUES (?, 1, ?, ?, ?)", device.id, settings,
          state, state == "applied" ? Int64(1) : nil)
      }
    }
    #expect(try habits().interval == 600 && habits().mode == .moving)
    try await harness.store.write { db in
      try AppTables.store("configuration", #"{"monitoring":2,"ping":30}"#, of: device.id, at: now, db)
    }
    #expect(try habits().interval == 1800)
  }

  @Test("a gap in the record numbers has the times before and after it", arguments: StoreKind.tested)
  func gaps(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice()
    let start = ManualClock.start
    func upload(_ text: String, _ minute: Double) async throws {
      let range = try #require(SequenceRange(text))
      _ = try await place.store.store([], of: device, range: range, at: start.addingTimeInterval(minute * 60))
    }
    func gaps() throws -> [String] {
      try place.store.read { try GapTable.gaps(of: device.id, $0) }.map { gap in
        func minute(_ date: Date?) -> String { date.map { String(Int($0.timeIntervalSince(start) / 60)) } ?? "-" }
        return "\(gap.numbers.lowerBound)-\(gap.numbers.upperBound) \(minute(gap.before)) \(minute(gap.after))"
      }
    }
    let journal = "9f86d081884c7d65"
    try await upload("\(journal) 1-10", 0)
    try await upload("\(journal) 11-20", 1)
    #expect(try gaps() == [])
    try await upload("\(journal) 31-40", 5)
    try await upload("\(journal) 41-45", 6)
    #expect(try gaps() == ["21-30 1 5"])
    try await upload("\(journal) 61-70", 8)
    // Repeated uploads change nothing.
    try await upload("\(journal) 33-35", 9)
    try await upload("\(journal) 61-70", 9)
    #expect(try gaps() == ["21-30 1 5", "46-60 6 8"])
    // A part of the gap is uploaded later.
    try await upload("\(journal) 21-24", 10)
    #expect(try gaps() == ["25-30 10 5", "46-60 6 8"])
    try await upload("\(journal) 25-60", 11)
    #expect(try gaps() == [])
  }
}
