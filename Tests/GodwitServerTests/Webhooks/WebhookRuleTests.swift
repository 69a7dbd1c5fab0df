import Foundation
import GodwitModel
import GodwitText
import Testing

@testable import GodwitGeofencing
@testable import GodwitServer
@testable import GodwitStore

@Suite("Webhooks: signatures, retries, delivery queues")
struct WebhookRuleTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    var secret: String
    var time: Double
    var body: String
    var hex: String
    var testDescription: String { String(hex.prefix(8)) }
  }

  // Created with: printf '%s.%s' "$time" "$body" | openssl dgst -sha256 -hmac "$secret"
  static let vectors = [
    Vector(
      secret: "whsec_0123456789abcdef", time: 1_700_000_000.999, body: #"{"id":"evt_1"}"#,
      hex: "dea1657bd5053cb0f8a75ebf0bd3d22e0cdeb79563b44db6b88864e522fb8bc4"),
    Vector(
      secret: "schlüssel mit umlauten ÄÖÜ", time: 1, body: "",
      hex: "763650f2b74aed5677cbdf9bdd9f81b3d518ae589975f232d0ebdfb12ad866f7"),
    Vector(
      secret: String(repeating: "k", count: 100), time: 4_102_444_800, body: String(repeating: "b", count: 200),
      hex: "444476f80f751c62646d37f2059a9765bff3307d42423e36f632e457a47422f0"),
    Vector(
      secret: "Jefe", time: 0, body: "what do ya want for nothing?",
      hex: "37f471929915ccd2cbbe79feb84ffcff4f2bb25e15fc41c2506687331ae179cc"),
  ]

  @Test("a signature equals that of openssl", arguments: vectors)
  func signature(_ vector: Vector) {
    let time = Date(timeIntervalSince1970: vector.time)
    #expect(
      WebhookSignature.value(of: Array(vector.body.utf8), secret: vector.secret, at: time)
        == "t=\(Int(vector.time.rounded(.down))),v1=\(vector.hex)")
  }

  @Test("the authentication code matches RFC 4231, test case 2")
  func code() {
    #expect(
      Hexadecimal.text(WebhookSignature.authenticate(Array("what do ya want for nothing?".utf8), secret: "Jefe"))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var outcome: WebhookOutcome
    var attempts = 1
    /// Seconds since the delivery was created.
    var age = 0.0
    /// Seconds since the start of the server.
    var running = 100_000.0
    var random = 0.5
    var decision: RetryPolicy.Decision
  }
  private static func later(_ seconds: Double) -> RetryPolicy.Decision {
    .again(at: ManualClock.start.addingTimeInterval(seconds))
  }
  private static func status(_ status: Int, retryAfter: Double? = nil) -> WebhookOutcome {
    .answered(status: status, retryAfter: retryAfter)
  }

  static let cases = [
    Case(testDescription: "200", outcome: status(200), decision: .delivered),
    Case(testDescription: "299 after 24 h", outcome: status(299), attempts: 20, age: 90_000, decision: .delivered),
    Case(testDescription: "410", outcome: status(410), decision: .gone),
    Case(testDescription: "no response", outcome: .failed("away"), decision: later(5)),
    Case(testDescription: "no response, second attempt", outcome: .failed("away"), attempts: 2, decision: later(10)),
    Case(testDescription: "no response, tenth attempt", outcome: .failed("away"), attempts: 10, decision: later(2560)),
    Case(testDescription: "500, shortest random delay", outcome: status(500), random: 0, decision: later(4)),
    Case(testDescription: "500, longest random delay", outcome: status(500), random: 1, decision: later(6)),
    Case(testDescription: "503, maximum delay", outcome: status(503), attempts: 40, decision: later(21_600)),
    Case(testDescription: "503, maximum random delay", outcome: status(503), attempts: 40, random: 1, decision: later(21_600)),
    Case(testDescription: "429 with Retry-After", outcome: status(429, retryAfter: 120), decision: later(120)),
    Case(testDescription: "429 with a small Retry-After", outcome: status(429, retryAfter: 1), decision: later(5)),
    Case(testDescription: "503 with a huge Retry-After", outcome: status(503, retryAfter: 1e9), decision: later(21_600)),
    Case(testDescription: "429, 20th attempt", outcome: status(429), attempts: 20, decision: later(21_600)),
    Case(testDescription: "425, 20th attempt", outcome: status(425), attempts: 20, decision: later(21_600)),
    Case(testDescription: "408, 20th attempt", outcome: status(408), attempts: 20, decision: later(21_600)),
    Case(testDescription: "404, 7th attempt", outcome: status(404), attempts: 7, decision: later(320)),
    Case(testDescription: "404, 8th attempt", outcome: status(404), attempts: 8, decision: .dead),
    Case(testDescription: "301, 8th attempt", outcome: status(301), attempts: 8, decision: .dead),
    Case(testDescription: "500, 8th attempt", outcome: status(500), attempts: 8, decision: later(640)),
    Case(testDescription: "the last attempt is at 24 h", outcome: status(500), attempts: 14, age: 80_000, decision: later(6400)),
    Case(testDescription: "after 24 h", outcome: status(500), attempts: 15, age: 86_400, decision: .dead),
    Case(testDescription: "first attempt after 24 h", outcome: .failed("away"), age: 100_000, decision: .dead),
    Case(
      testDescription: "first attempt after an outage of the server", outcome: .failed("away"), age: 1e7, running: 60,
      decision: later(5)),
    Case(
      testDescription: "the last attempt is one hour after the start", outcome: status(500), attempts: 9, age: 100_000,
      running: 3000, decision: later(600)),
    Case(
      testDescription: "one hour after the start", outcome: status(500), attempts: 10, age: 100_000, running: 3600,
      decision: .dead),
    Case(
      testDescription: "the first hour does not shorten the time", outcome: status(500), attempts: 13, age: 0, running: 0,
      decision: later(20_480)),
  ]

  @Test("decisions after an attempt", arguments: cases)
  func decision(_ one: Case) {
    let decision = RetryPolicy.decision(
      on: one.outcome, attempts: one.attempts, written: ManualClock.start.addingTimeInterval(-one.age), now: ManualClock.start,
      running: one.running, random: one.random)
    #expect(decision == one.decision)
  }

  @Test("concurrent deliveries are limited to one per key, four per webhook, and eight in total")
  func queue() {
    var queue = DeliveryQueue()
    let now = Duration.zero
    for device in 0..<10 as Range<Int64> {
      for webhook in 0..<3 as Range<Int64> { queue.add(OrderingKey(webhook: webhook, device: device), due: now) }
    }
    let taken = queue.take(at: now)
    #expect(taken.count == 8 && Set(taken.flatMap(\.keys)).count == 8)
    #expect(Dictionary(grouping: taken, by: \.webhook).values.allSatisfy { $0.count <= 4 })
    #expect(queue.take(at: now).isEmpty)
    queue.finished(taken[0].keys[0], next: nil)
    queue.finished(taken[0])
    let next = queue.take(at: now)
    #expect(next.count == 1 && !taken.contains(next[0]))
  }

  @Test("a delivery that is stored during a search for its key is found by another search")
  func notedMeanwhile() {
    var queue = DeliveryQueue()
    let key = OrderingKey(webhook: 1, device: 1)
    let group = DeliveryQueue.Group(webhook: 1, keys: [key], limit: 1)
    let now = Duration.zero
    func finish(next: Duration?) {
      queue.finished(key, next: next)
      queue.finished(group)
    }
    queue.add(key, due: now)
    #expect(queue.take(at: now) == [group])
    queue.add(key, due: now)
    #expect(queue.take(at: now).isEmpty)
    finish(next: nil)
    #expect(queue.take(at: now) == [group])
    // The time in the store has precedence.
    queue.add(key, due: now)
    finish(next: now + .seconds(5))
    #expect(queue.take(at: now).isEmpty)
    queue.reset(key, due: now)
    #expect(queue.take(at: now) == [group])
    finish(next: nil)
    #expect(queue.isEmpty && queue.busy == 0)
  }

  @Test("a new delivery does not shorten the delay of its key, and a manual retry does")
  func waitingKey() {
    var queue = DeliveryQueue()
    let key = OrderingKey(webhook: 1, device: 1)
    let later = Duration.seconds(60)
    queue.add(key, due: later)
    queue.add(key, due: .zero)
    #expect(queue.take(at: .zero).isEmpty)
    #expect(queue.nextDue(after: .zero) == later)
    queue.reset(key, due: .zero)
    #expect(queue.take(at: .zero).map(\.keys) == [[key]])
  }

  @Test("a webhook with batches gets many devices in one request, and each device in one request at a time")
  func batches() {
    var queue = DeliveryQueue()
    let now = Duration.zero
    queue.set(batches: [1: 10])
    for device in 0..<25 as Range<Int64> {
      queue.add(OrderingKey(webhook: 1, device: device), due: now + .seconds(device))
    }
    queue.add(OrderingKey(webhook: 2, device: 1), due: now)
    let groups = queue.take(at: now + .seconds(60))
    #expect(groups.map(\.keys.count).sorted() == [1, 5, 10, 10])
    #expect(groups.filter { $0.webhook == 1 }.flatMap { $0.keys.map(\.device) } == Array(0..<25))
    #expect(queue.nextDue(after: now) == nil && queue.busy == 4)
  }

  @Test("after a rejection the requests of a key are smaller, until one succeeds")
  func divided() {
    var queue = DeliveryQueue()
    let now = Duration.zero
    queue.set(batches: [1: 10])
    let keys = (0..<4 as Range<Int64>).map { OrderingKey(webhook: 1, device: $0) }
    for key in keys { queue.add(key, due: now) }
    for key in keys.prefix(2) { queue.limit(key, to: 1) }
    #expect(queue.take(at: now).map(\.keys) == [[keys[0]], [keys[1]], [keys[2], keys[3]]])
    for key in keys {
      queue.limit(key, to: nil)
      queue.finished(key, next: now)
    }
    for _ in 0..<3 { queue.finished(DeliveryQueue.Group(webhook: 1, keys: [], limit: 1)) }
    #expect(queue.take(at: now).map(\.keys) == [keys])
  }

  @Test(
    "webhooks select events by type, tag, region and device",
    arguments: [
      ("", true), ("types geofence.entered", true), ("types geofence.exited beacon.entered", false), ("tags a", true),
      ("tags c b", true), ("tags c", false), ("regions home", true), ("regions work", false), ("devices phone", true),
      ("devices tablet", false),
    ])
  func choice(_ words: String, _ isWanted: Bool) {
    var options = WebhookOptions(url: "https://example.org/")
    let list = words.split(separator: " ").dropFirst().map(String.init)
    switch words.split(separator: " ").first {
    case "types": options.types = list
    case "tags": options.tags = list
    case "regions": options.regions = list
    case "devices": options.devices = list
    default: break
    }
    let event = ServerEvent(
      regionEvent(.entered, tags: ["a", "b"]), of: Device(id: 1, name: "phone"), source: .device)
    #expect(options.wants(event) == isWanted)
  }

  @Test("the same event has the same id from every observer, and another event has another id")
  func names() {
    let device = Device(id: 1, name: "phone")
    func name(_ event: RegionEvent, _ device: Device, _ source: ServerEvent.Source = .device) -> String {
      ServerEvent(event, of: device, source: source).name
    }
    let first = name(regionEvent(.entered), device)
    #expect(first == name(regionEvent(.entered, tags: ["x"]), Device(id: 7, name: "phone"), .server))
    #expect(first.hasPrefix("evt_") && first.count == 36)
    let others = [
      name(regionEvent(.exited), device), name(regionEvent(.entered, second: 0.001), device),
      name(regionEvent(.entered, "work"), device), name(regionEvent(.entered), Device(id: 1, name: "tablet")),
    ]
    #expect(Set(others + [first]).count == 5)
  }

  /// New events are then adjacent in an index of the ids, and a transaction changes few pages of it.
  @Test("the ids of events are ordered by time, including times before 1970")
  func sortedNames() {
    let device = Device(id: 1, name: "phone")
    let names = [-1e9, 0, 0.001, 1, 60, 1e6, 1e9].map { second in
      ServerEvent(regionEvent(.entered, second: second), of: device, source: .server).name
    }
    #expect(names == names.sorted() && Set(names).count == names.count)
    #expect(
      ServerEvent.name(of: "a", at: Date(timeIntervalSince1970: -1)).hasPrefix("evt_000000000000")
        && ServerEvent.name(of: "a", at: Date(timeIntervalSince1970: 1)).hasPrefix("evt_0000000003e8")
        && ServerEvent.name(of: "a", at: .distantFuture).count == 36)
    #expect(ServerEvent.name(of: "a", at: Date(timeIntervalSince1970: 1e15)).hasPrefix("evt_ffffffffffff"))
  }

  @Test("the body of a delivery is valid JSON for any names")
  func body() throws {
    let place = try #require(Coordinate(latitude: 46.05, longitude: -14.5))
    let beacon = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 3)
    var event = regionEvent(.exited, "a\"\\\u{1}\n", tags: ["ž", "\""], beacon: beacon)
    event.coordinate = place
    event.horizontalAccuracy = 8
    event.entered = ManualClock.start.addingTimeInterval(-60)
    let text = ServerEvent(event, of: Device(id: 1, name: "p"), source: .server).body
    let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let region = try #require(object["region"] as? [String: Any])
    #expect(object["type"] as? String == "beacon.exited" && object["source"] as? String == "server")
    #expect(object["time"] as? String == "2023-11-14T22:13:20Z" && object["entered_at"] as? String == "2023-11-14T22:12:20Z")
    #expect(region["id"] as? String == "a\"\\\u{1}\n" && region["tags"] as? [String] == ["ž", "\""])
    #expect((region["beacon"] as? [String: Any])?["major"] as? Int == 3)
    #expect((object["location"] as? [String: Double]) == ["latitude": 46.05, "longitude": -14.5, "accuracy": 8])
  }
}
