import Foundation
import GodwitModel
import Synchronization
import Testing

@testable import GodwitGeofencing
@testable import GodwitServer
@testable import GodwitStore

@Suite("Webhooks: sender", .timeLimit(.minutes(20)))
struct WebhookSenderTests {
  @Test("an event creates one signed delivery; the same event again creates none", arguments: StoreKind.tested)
  func once(_ kind: StoreKind) async throws {
    let harness = try WebhookHarness(kind)
    try await harness.addWebhook()
    #expect(try await harness.submit([regionEvent(.entered)]).regionEvents.count == 1)
    let delivery = try await harness.transport.next()
    #expect(delivery.url == "https://example.org/hook" && delivery.summary == "phone geofence.entered home")
    #expect(delivery.body.contains(delivery.event) && delivery.event.hasPrefix("evt_"))
    #expect(delivery.headers["Content-Type"] == "application/json")
    #expect(
      delivery.headers["Godwit-Signature"]
        == WebhookSignature.value(of: Array(delivery.body.utf8), secret: "whsec_0123456789abcdef", at: harness.clock.now))
    delivery.respond(204)
    #expect(try await harness.submit([regionEvent(.entered)]).regionEvents.isEmpty)
    try await harness.submit([regionEvent(.exited, second: 60)])
    let second = try await harness.transport.next()
    #expect(second.summary == "phone geofence.exited home")
    #expect(harness.metrics.sent.load(ordering: .relaxed) == 1)
    #expect(try harness.counts() == (waiting: 1, dead: 0))
  }

  @Test("a failed delivery is retried after 5 s, 10 s … 6 h, and fails permanently after 24 h", arguments: StoreKind.tested)
  func retrySchedule(_ kind: StoreKind) async throws {
    let harness = try WebhookHarness(kind)
    try await harness.addWebhook()
    try await harness.submit([regionEvent(.entered)])
    var times: [Double] = []
    var names: Set<String> = []
    while true {
      let delivery = try await harness.transport.next()
      times.append(harness.clock.now.timeIntervalSince(ManualClock.start))
      names.insert(delivery.event)
      let isLast = times.last == 86_400
      if isLast { try await harness.submit([regionEvent(.exited, second: 60)]) }
      delivery.respond(503)
      if isLast { break }
      await harness.clock.nextAlarm()
    }
    #expect(
      times == [0, 5, 15, 35, 75, 155, 315, 635, 1275, 2555, 5115, 10_235, 20_475, 40_955, 62_555, 84_155, 86_400])
    #expect(names.count == 1)
    // The failed delivery does not block the next one.
    #expect(try await harness.transport.next().summary == "phone geofence.exited home")
    #expect(try harness.counts() == (waiting: 1, dead: 1))
    #expect(harness.metrics.dead.load(ordering: .relaxed) == 1 && harness.metrics.failed.load(ordering: .relaxed) == 17)
  }

  @Test("an exit is never sent before its entry, and deliveries of other devices continue", arguments: StoreKind.tested)
  func order(_ kind: StoreKind) async throws {
    let harness = try WebhookHarness(kind)
    try await harness.addWebhook { $0.types = ["geofence.entered", "geofence.exited"] }
    try await harness.submit([regionEvent(.entered), regionEvent(.exited, second: 60)])
    let entry = try await harness.transport.next()
    entry.fail("The network is away.")
    await harness.clock.nextAlarm()
    let again = try await harness.transport.next()
    try await harness.submit([regionEvent(.entered)], device: "tablet")
    let other = try await harness.transport.next()
    #expect(other.summary == "tablet geofence.entered home")
    other.respond(200)
    #expect(again.event == entry.event && again.body == entry.body)
    again.respond(200)
    #expect(try await harness.transport.next().summary == "phone geofence.exited home")
  }

  @Test(
    "after a crash before the result is stored, the delivery is repeated with the same id, and no delivery is lost",
    arguments: StoreKind.tested)
  func kill(_ kind: StoreKind) async throws {
    let harness = try WebhookHarness(kind)
    try await harness.addWebhook()
    try await harness.submit([regionEvent(.entered), regionEvent(.exited, second: 60)])
    let before = try await harness.transport.next()
    try harness.crash()
    before.respond(200)
    let after = try await harness.transport.next()
    #expect(after.event == before.event && after.body == before.body)
    after.respond(200)
    let exit = try await harness.transport.next()
    #expect(exit.summary == "phone geofence.exited home")
    try harness.crash()
    #expect(try await harness.transport.next().event == exit.event)
    #expect(try harness.counts() == (waiting: 1, dead: 0))
  }

  @Test("pending deliveries keep their times after a crash", arguments: StoreKind.tested)
  func waiting(_ kind: StoreKind) async throws {
    let harness = try WebhookHarness(kind)
    try await harness.addWebhook()
    try await harness.submit([regionEvent(.entered)])
    try await harness.transport.next().respond(500)
    await harness.clock.nextAlarm()
    try await harness.transport.next().respond(500, body: "out of order")
    // The alarm is set after the result is stored.
    await harness.clock.nextAlarm()
    _ = try await harness.transport.next()
    try harness.crash()
    let delivery = try await harness.transport.next()
    #expect(harness.clock.now.timeIntervalSince(ManualClock.start) == (kind.isPostgres ? 15 + WebhookSender.lease : 15))
    let problem = try harness.store.read { try $0.text("SELECT last_error FROM webhook_deliveries") }
    #expect(problem == "The address answered 500: out of order")
    delivery.respond(200)
  }

  @Test(
    "deliveries that were stored with a future clock are sent when the clock is set back",
    arguments: StoreKind.tested.filter { !$0.isPostgres })
  func clockSetBack(_ kind: StoreKind) async throws {
    let harness = try WebhookHarness(kind)
    try await harness.addWebhook()
    let month = 30 * 86_400.0
    harness.clock.sleep(month)
    try await harness.submit([regionEvent(.entered), regionEvent(.exited, second: 60)], device: "phone")
    try await harness.submit([regionEvent(.entered)], device: "watch")
    // With this clock, the first attempt for one device fails, and that for the other gets no response.
    var unanswered: ManualTransport.Sent?
    for _ in 0..<2 {
      let sent = try await harness.transport.next()
      if sent.summary.hasPrefix("phone") { sent.respond(500) } else { unanswered = sent }
    }
    await harness.clock.nextAlarm()
    try await harness.transport.next().respond(500)
    await harness.clock.nextAlarm()
    _ = try await harness.transport.next()
    try harness.crash()
    harness.clock.changeDate(by: -month - 3_600)
    harness.sender.refresh()
    var sent: Set<String> = []
    for _ in 0..<3 {
      let delivery = try await harness.transport.next()
      sent.insert(delivery.summary)
      delivery.respond(200)
    }
    #expect(sent == ["phone geofence.entered home", "phone geofence.exited home", "watch geofence.entered home"])
    #expect(unanswered != nil)
  }

  @Test("a clock that is set back or forward does not delay a retry", arguments: StoreKind.tested, [-20 * 86_400.0, 3_600])
  func clockSetWhileRunning(_ kind: StoreKind, _ shift: Double) async throws {
    let harness = try WebhookHarness(kind)
    try await harness.addWebhook()
    try await harness.submit([regionEvent(.entered)])
    try await harness.transport.next().respond(500)
    while try harness.store.read({ try $0.integer("SELECT attempts FROM webhook_deliveries") }) == 0 { await Task.yield() }
    harness.clock.changeDate(by: shift)
    await harness.clock.nextAlarm()
    try await harness.transport.next().respond(200)
    #expect(harness.clock.now == ManualClock.start.addingTimeInterval(shift + 5))
    while try harness.counts().waiting > 0 { await Task.yield() }
  }

  @Test("a server that starts after days attempts a delivery for an hour before it fails", arguments: StoreKind.tested)
  func startAfterOutage(_ kind: StoreKind) async throws {
    let harness = try WebhookHarness(kind)
    try await harness.addWebhook()
    try await harness.submit([regionEvent(.entered)])
    _ = try await harness.transport.next()
    harness.clock.sleep(3 * 86_400)
    try harness.crash()
    let start = harness.clock.now
    var times: [Double] = []
    while times.last != RetryPolicy.grace {
      if !times.isEmpty { await harness.clock.nextAlarm() }
      let delivery = try await harness.transport.next()
      times.append(harness.clock.now.timeIntervalSince(start))
      delivery.fail("away")
    }
    #expect(times == [0, 5, 15, 35, 75, 155, 315, 635, 1275, 2555, 3600])
    while try harness.counts().waiting > 0 { await Task.yield() }
    #expect(try harness.counts() == (waiting: 0, dead: 1))
  }

  @Test(
    "a wrong clock of one of several servers delays no delivery, because the database's time is used", .timeLimit(.minutes(5)),
    arguments: StoreKind.tested.filter(\.isPostgres))
  func wrongClock(_ kind: StoreKind) async throws {
    // The clock of the database.
    let clock = ManualClock()
    let harness = try WebhookHarness(kind, agreed: AgreedTime { _, _ in clock.now })
    try await harness.addWebhook()
    let month = 30 * 86_400.0
    harness.clock.sleep(month)
    try await harness.submit([regionEvent(.entered), regionEvent(.exited, second: 60)])
    try await harness.transport.next().respond(500)
    while try harness.store.read({ try $0.integer("SELECT sum(attempts) FROM webhook_deliveries") }) == 0 { await Task.yield() }
    clock.sleep(5)
    await harness.clock.nextAlarm()
    #expect(harness.clock.now == ManualClock.start.addingTimeInterval(month + 5))
    try await harness.transport.next().respond(200)
    let unanswered = try await harness.transport.next()
    #expect(unanswered.summary == "phone geofence.exited home")
    // The next server, whose clock is a month behind, sends the delivery after the lease has expired.
    harness.clock.changeDate(by: -2 * month)
    clock.sleep(WebhookSender.lease)
    try harness.crash()
    let delivery = try await harness.transport.next()
    #expect(delivery.event == unanswered.event)
    delivery.respond(200)
    while try harness.counts().waiting > 0 { await Task.yield() }
  }

  @Test("410 disables the webhook, with the reason, and enabling it sends the remaining deliveries", arguments: StoreKind.tested)
  func gone(_ kind: StoreKind) async throws {
    let harness = try WebhookHarness(kind)
    var webhook = try await harness.addWebhook()
    try await harness.submit([regionEvent(.entered), regionEvent(.exited, second: 60)])
    try await harness.transport.next().respond(410)
    var now = webhook
    while now.isEnabled {
      await Task.yield()
      now = try #require(try harness.store.read { try WebhookTables.webhook(webhook.id, $0) })
    }
    #expect(now.note?.contains("410") == true)
    #expect(try harness.counts() == (waiting: 1, dead: 1))
    webhook.isEnabled = true
    let changed = webhook
    try await harness.store.write { try WebhookTables.change(changed, $0) }
    harness.sender.refresh()
    #expect(try await harness.transport.next().summary == "phone geofence.exited home")
  }

  @Test("a failed delivery that is retried manually precedes pending ones", arguments: StoreKind.tested)
  func manual(_ kind: StoreKind) async throws {
    let harness = try WebhookHarness(kind)
    try await harness.addWebhook()
    harness.clock.sleep(1)
    try await harness.submit([regionEvent(.entered)])
    for attempt in 1...RetryPolicy.maximumRejections {
      try await harness.transport.next().respond(404, body: "no such hook")
      if attempt < RetryPolicy.maximumRejections { await harness.clock.nextAlarm() }
    }
    try await harness.submit([regionEvent(.exited, second: 60), regionEvent(.entered, second: 120)])
    let exit = try await harness.transport.next()
    #expect(exit.summary == "phone geofence.exited home")
    let now = harness.clock.now
    let dead = try #require(
      try harness.store.read { try $0.integer("SELECT id FROM webhook_deliveries WHERE failed IS NOT NULL") })
    #expect(try await harness.store.write { try WebhookTables.retry(dead, at: now, $0) })
    harness.sender.refresh()
    exit.respond(200)
    let again = try await harness.transport.next()
    #expect(again.body.contains(#""time":"2023-11-14T22:13:20Z""#))
    again.respond(200)
    #expect(try await harness.transport.next().body.contains(#""time":"2023-11-14T22:15:20Z""#))
    #expect(try await harness.store.write { try WebhookTables.retry(999, at: now, $0) } == false)
  }

  @Test("after an outage of days each delivery is attempted once before it fails", arguments: StoreKind.tested)
  func longOutage(_ kind: StoreKind) async throws {
    let harness = try WebhookHarness(kind)
    try await harness.addWebhook()
    try await harness.submit((0..<5).map { regionEvent(.entered, "r\($0)") })
    let first = try await harness.transport.next()
    harness.clock.sleep(3 * 86_400)
    first.fail("away")
    for number in 1..<5 {
      let delivery = try await harness.transport.next()
      #expect(delivery.summary == "phone geofence.entered r\(number)")
      if number < 4 { delivery.fail("away") } else { delivery.respond(200) }
    }
    var counts = try harness.counts()
    while counts.waiting > 0 {
      await Task.yield()
      counts = try harness.counts()
    }
    #expect(counts == (waiting: 0, dead: 4))
  }

  @Test("stopping the sender waits for current requests", arguments: StoreKind.tested)
  func stop(_ kind: StoreKind) async throws {
    let harness = try WebhookHarness(kind)
    try await harness.addWebhook()
    try await harness.submit([regionEvent(.entered), regionEvent(.exited, second: 60)])
    let delivery = try await harness.transport.next()
    harness.sender.beginStopping()
    delivery.respond(200)
    await harness.sender.stop(within: 600)
    #expect(try harness.counts() == (waiting: 1, dead: 0))
  }
}
