import Foundation
import GodwitModel
import Testing

@testable import GodwitGeofencing
@testable import GodwitServer
@testable import GodwitStore

@Suite("Webhooks: batches of events", .timeLimit(.minutes(20)))
struct WebhookBatchTests {
  /// The device, the kind and the region of each event of a request.
  private func events(_ request: ManualTransport.Sent) throws -> [String] {
    let list = try #require(try JSONSerialization.jsonObject(with: Data(request.body.utf8)) as? [[String: Any]])
    #expect(request.headers["Godwit-Event-Count"] == String(list.count) && request.headers["Godwit-Event-ID"] == nil)
    #expect(request.headers["Godwit-Signature"] != nil)
    return list.map { event in
      let region = event["region"] as? [String: Any]
      return "\(event["device"] ?? "") \(event["type"] ?? "") \(region?["id"] ?? "")"
    }
  }

  private func harness(_ kind: StoreKind, batch: Int) async throws -> WebhookHarness {
    let harness = try WebhookHarness(kind)
    try await harness.addWebhook { $0.batch = batch }
    harness.sender.refresh()
    return harness
  }

  @Test("pending events are sent in one array, in order for each device", arguments: StoreKind.tested)
  func arrays(_ kind: StoreKind) async throws {
    let harness = try await harness(kind, batch: 3)
    try await harness.submit([regionEvent(.entered), regionEvent(.exited, second: 60)])
    let first = try await harness.transport.next()
    #expect(try events(first) == ["phone geofence.entered home", "phone geofence.exited home"])
    try await harness.submit([
      regionEvent(.entered, "work", second: 70), regionEvent(.exited, "work", second: 80),
      regionEvent(.entered, second: 90), regionEvent(.exited, second: 100),
    ])
    // Further events of the device wait for the response.
    first.respond(200)
    let second = try await harness.transport.next()
    #expect(
      try events(second) == ["phone geofence.entered work", "phone geofence.exited work", "phone geofence.entered home"])
    second.fail("The network is away.")
    await harness.clock.nextAlarm()
    let again = try await harness.transport.next()
    #expect(again.body == second.body)
    again.respond(204)
    let last = try await harness.transport.next()
    #expect(try events(last) == ["phone geofence.exited home"])
    #expect(try harness.counts() == (waiting: 1, dead: 0))
  }

  @Test("a rejected array is halved until it has one event, which is retried alone", arguments: StoreKind.tested)
  func halves(_ kind: StoreKind) async throws {
    let harness = try await harness(kind, batch: 4)
    try await harness.submit([
      regionEvent(.entered), regionEvent(.exited, second: 60), regionEvent(.entered, "work", second: 70),
      regionEvent(.exited, "work", second: 80),
    ])
    let all = try await harness.transport.next()
    #expect(try events(all).count == 4)
    all.respond(413)
    let half = try await harness.transport.next()
    #expect(try events(half) == ["phone geofence.entered home", "phone geofence.exited home"])
    half.respond(200)
    let rest = try await harness.transport.next()
    #expect(try events(rest) == ["phone geofence.entered work", "phone geofence.exited work"])
    rest.respond(400)
    let one = try await harness.transport.next()
    #expect(try events(one) == ["phone geofence.entered work"])
    one.respond(400)
    await harness.clock.nextAlarm()
    let again = try await harness.transport.next()
    #expect(again.body == one.body)
    again.respond(200)
    #expect(try events(try await harness.transport.next()) == ["phone geofence.exited work"])
  }

  @Test("a status that does not depend on the content does not divide an array", arguments: [401, 404, 429, 503])
  func undivided(_ status: Int) async throws {
    let harness = try await harness(.sqlite, batch: 4)
    try await harness.submit([regionEvent(.entered), regionEvent(.exited, second: 60)])
    let first = try await harness.transport.next()
    first.respond(status)
    await harness.clock.nextAlarm()
    #expect(try await harness.transport.next().body == first.body)
  }

  @Test("410 fails all events of the array and disables the webhook")
  func gone() async throws {
    let harness = try await harness(.sqlite, batch: 4)
    try await harness.submit([regionEvent(.entered), regionEvent(.exited, second: 60)])
    try await harness.transport.next().respond(410)
    while try harness.counts() != (waiting: 0, dead: 2) { await Task.yield() }
  }

  /// Changes the maximum of the only webhook in the store, without notifying the sender.
  private func setBatch(_ batch: Int?, _ harness: WebhookHarness) async throws -> Webhook {
    var webhook = try #require(try harness.store.read { try WebhookTables.all($0) }.first)
    webhook.options.batch = batch
    let changed = webhook
    try await harness.store.write { try WebhookTables.change(changed, $0) }
    return changed
  }

  @Test("lowering the maximum to one event loses no pending event", arguments: StoreKind.tested)
  func loweredMaximum(_ kind: StoreKind) async throws {
    let harness = try await harness(kind, batch: 5)
    try await harness.submit([regionEvent(.entered), regionEvent(.exited, second: 60)])
    let first = try await harness.transport.next()
    #expect(try events(first).count == 2)
    try await harness.submit([regionEvent(.entered, "work", second: 70), regionEvent(.exited, "work", second: 80)])
    _ = try await setBatch(nil, harness)
    first.respond(200)
    let second = try await harness.transport.next()
    #expect(second.summary == "phone geofence.entered work")
    #expect(try harness.counts() == (waiting: 2, dead: 0))
    second.respond(200)
    #expect(try await harness.transport.next().summary == "phone geofence.exited work")
    #expect(try harness.counts() == (waiting: 1, dead: 0))
  }

  @Test("devices whose events exceed a lowered maximum remain scheduled", arguments: StoreKind.tested)
  func loweredMaximumOfDevices(_ kind: StoreKind) async throws {
    let harness = try await harness(kind, batch: 5)
    harness.sender.beginStopping()
    try await harness.submit([regionEvent(.entered), regionEvent(.exited, second: 60)])
    try await harness.submit([regionEvent(.entered)], device: "tablet")
    let (webhook, now) = (try await setBatch(nil, harness), harness.clock.now)
    let keys = try ["phone", "tablet"].map { OrderingKey(webhook: webhook.id, device: try harness.device($0).id) }
    let group = DeliveryQueue.Group(webhook: webhook.id, keys: keys, limit: 5)
    let claim = try await harness.store.write { try WebhookTables.claim(group, at: now, for: nil, $0) }
    #expect(claim.deliveries.map { $0.key } == [keys[0]])
    #expect(claim.others.map { $0.key } == [keys[1]] && claim.others.map { $0.wait } == [0])
  }

  @Test("the maximum number of events is validated", arguments: [(0, false), (1, true), (1_000, true), (1_001, false)])
  func bounds(_ batch: Int, _ isValid: Bool) {
    var options = WebhookOptions(url: "https://example.org/", batch: batch)
    #expect(((try? options.check()) != nil) == isValid)
    options.format = .homeAssistant
    #expect(((try? options.check()) != nil) == (batch == 1))
  }
}
