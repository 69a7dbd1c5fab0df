import Foundation
import GodwitHTTPClient
import GodwitModel
import GodwitPostgres
import GodwitServices
import Synchronization
import TestParts
import Testing

@testable import GodwitAccess
@testable import GodwitGeofencing
@testable import GodwitHistory
@testable import GodwitRegions
@testable import GodwitServer
@testable import GodwitStore

/// A transport that accepts every delivery immediately, and records it.
private final class AcceptingTransport: WebhookTransport {
  let deliveries: AsyncStream<WebhookRequest>
  private let found: AsyncStream<WebhookRequest>.Continuation
  private let sent = Atomic<Int>(0)
  /// The number of sent deliveries.
  var count: Int { sent.load(ordering: .sequentiallyConsistent) }

  init() { (deliveries, found) = AsyncStream.makeStream() }

  func send(_ request: WebhookRequest, completion: @escaping @Sendable (Result<HTTPClient.Response, HTTPError>) -> Void) {
    sent.add(1, ordering: .sequentiallyConsistent)
    found.yield(request)
    completion(.success(HTTPClient.Response(status: 200)))
  }

  func close() {}
}

/// The parts of a server that evaluate regions and send deliveries.
private final class RegionWorker {
  let store: any StoreDatabase
  let sender: WebhookSender

  init(
    _ store: any StoreDatabase, _ transport: any WebhookTransport, clock: ServerClock = .system, agreed: AgreedTime = .database
  ) {
    self.store = store
    let geofenceEvaluator = GeofenceEvaluator(source: StoredRegions(DatabaseRegionStore(store)), zone: .gmt, agreed: agreed)
    let sender = WebhookSender(store: store, transport: transport, clock: clock, agreed: agreed, metrics: WebhookMetrics())
    self.sender = sender
    store.addParticipant(geofenceEvaluator)
    store.observeCommits { _ in sender.deliver(geofenceEvaluator.takeKeys()) }
    sender.start()
  }

  func close() {
    sender.beginStopping()
    store.close()
  }
}

/// The fixes of a walk for which geofences are evaluated, in this order: without jumps that the next fix refutes.
private func evaluatedFixes(_ walk: [Fix]) -> [Fix] {
  var gate = LiveGate()
  var waiting: Fix?
  var fixes: [Fix] = []
  for fix in walk {
    let time = fix.time.millisecondsSince1970
    let (latitude, longitude) = (
      PointRow.exact(fix.coordinate.latitude, by: 1e7), PointRow.exact(fix.coordinate.longitude, by: 1e7)
    )
    let centimetres = fix.horizontalAccuracy.map { PointRow.exact($0, by: 100) }
    let point = TimelinePoint(
      time: time, latitude: Int32(clamping: latitude), longitude: Int32(clamping: longitude),
      accuracy: Int32(clamping: (centimetres ?? 0) / 100))
    let outcome = gate.add(point, LiveRank(time: time, received: .max))
    var now: [Fix] = []
    if outcome.resolved != nil {
      if outcome.isConfirmed, let waiting { now.append(waiting) }
      waiting = nil
    }
    switch outcome.decision {
    case .live, .late: now.append(fix)
    case .waits:
      // The fix with the precision of the store.
      waiting = Fix(
        time: Date(millisecondsSince1970: time), coordinate: point.coordinate,
        horizontalAccuracy: centimetres.map { Double($0) / 100 })
    case .impossible: break
    }
    fixes += now.sorted { $0.time < $1.time }
  }
  return fixes
}

@Suite(
  "Several servers with one database", .enabled(if: TestPart.postgres.isRun, "\(TestPart.postgres.reason)"),
  .timeLimit(.minutes(20))
)
struct SharedServersTests {
  @Test("positions that arrive on two servers cause each event once")
  func turns() async throws {
    var world = try #require(WalkingWorld("Ljubljana", seed: 78))
    let regions = try world.regions(80)
    let walk = world.walk(80)
    let expected = evaluatedFixes(walk).reduce(into: (PlainEvaluator(regions), [RegionEvent]())) {
      // Ordered by time, as webhooks get the events.
      let events = $0.0.check(at: $1).enumerated()
      $0.1 += events.sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }.1
    #expect(expected.count > 5)
    let place = try ContractStore(.postgres)
    defer { place.end() }
    _ = try DatabaseRegionStore(place.store).save(regions, if: .none, at: Date())
    let workers = try (0..<3).map { _ in RegionWorker(try place.openAgain(), AcceptingTransport()) }
    defer { for worker in workers { worker.close() } }
    let stores = workers.map(\.store)
    let device = try place.store.makeDevice("phone")
    for (index, fix) in walk.enumerated() {
      let record = Record(kind: .fix(fix))
      // Both servers store the record concurrently.
      async let first = stores[index % 3].store([record], of: device, at: Date())
      async let second = stores[(index + 1) % 3].store([record], of: device, at: Date())
      let both = try await [first, second]
      #expect(both.map(\.saved).sorted() == [0, 1])
    }
    let bodies = try place.store.read { try $0.all("SELECT body FROM region_events ORDER BY id") { $0.text(0) } }
    #expect(bodies == expected.map { ServerEvent($0, of: device, source: .server).body })
  }

  @Test("a region or webhook that one server stores applies on the other servers from the next position")
  func changes() async throws {
    let place = try ContractStore(.postgres)
    defer { place.end() }
    let transport = AcceptingTransport()
    let worker = RegionWorker(try place.openAgain(), transport)
    defer { worker.close() }
    let device = try place.store.makeDevice("phone")
    let middle = try coordinate(46, 14.5)
    func arrive(_ second: Double) async throws -> [String] {
      let fix = Fix(time: ManualClock.start.addingTimeInterval(second), coordinate: middle)
      return try await worker.store.store([Record(kind: .fix(fix))], of: device, at: Date()).regionEvents.map(\.region)
    }
    #expect(try await arrive(0).isEmpty)
    let catalogue = DatabaseRegionStore(place.store)
    _ = try catalogue.save([Region(id: "home", shape: .circle(Circle(center: middle, radius: 100)))], if: .none, at: Date())
    #expect(try await arrive(10) == ["home"])
    try await place.store.write {
      _ = try WebhookTables.add(
        WebhookOptions(url: "https://example.org/hook"), secret: "whsec_0123456789abcdef", isEnabled: true, at: Date(), $0)
    }
    _ = try catalogue.save([Region(id: "town", shape: .circle(Circle(center: middle, radius: 900)))], if: .none, at: Date())
    #expect(try await arrive(20) == ["town"])
    let delivery = try #require(await transport.deliveries.first { _ in true })
    #expect(String(decoding: delivery.body, as: UTF8.self).contains(#""region":{"id":"town""#))
  }

  @Test("three servers send each delivery once, in order for each device")
  func deliveries() async throws {
    let place = try ContractStore(.postgres)
    defer { place.end() }
    try await place.store.write {
      _ = try WebhookTables.add(
        WebhookOptions(url: "https://example.org/hook"), secret: "whsec_0123456789abcdef", isEnabled: true, at: Date(), $0)
    }
    let transport = AcceptingTransport()
    let workers = try (0..<3).map { _ in RegionWorker(try place.openAgain(), transport) }
    defer { for worker in workers { worker.close() } }
    let devices = try (0..<4).map { try place.store.makeDevice("device \($0)") }
    for second in 0..<15 {
      for (number, device) in devices.enumerated() {
        let event = regionEvent(second % 2 == 0 ? .entered : .exited, second: Double(second))
        let store = workers[(second + number) % 3].store
        #expect(try await store.store([Record(kind: .region(event))], of: device, at: Date()).regionEvents.count == 1)
      }
    }
    var times: [String: [String]] = [:]
    for await delivery in transport.deliveries {
      let object = try #require(try JSONSerialization.jsonObject(with: Data(delivery.body)) as? [String: Any])
      times[object["device"] as? String ?? "", default: []].append(object["time"] as? String ?? "")
      if times.values.reduce(0, { $0 + $1.count }) == 60 { break }
    }
    for device in devices {
      let found = try #require(times[device.name])
      #expect(found.count == 15 && found == found.sorted() && Set(found).count == 15)
    }
    var waiting = 60
    while waiting > 0 {
      try Task.checkCancellation()
      await Task.yield()
      waiting = try place.store.read { try WebhookTables.counts($0).waiting }
    }
    // No delivery is sent a second time after the sixtieth.
    #expect(transport.count == 60)
  }

  @Test("deliveries of a killed server are sent by another server after their lease expires")
  func death() async throws {
    let place = try ContractStore(.postgres)
    defer { place.end() }
    try await place.store.write {
      _ = try WebhookTables.add(
        WebhookOptions(url: "https://example.org/hook"), secret: "whsec_0123456789abcdef", isEnabled: true,
        at: ManualClock.start, $0)
    }
    let clock = ManualClock()
    let (lostTransport, transport) = (ManualTransport(), ManualTransport())
    let killed = RegionWorker(try place.openAgain(), lostTransport, clock: clock.clock, agreed: .own)
    let device = try place.store.makeDevice("phone")
    _ = try await killed.store.store(
      [Record(kind: .region(regionEvent(.entered))), Record(kind: .region(regionEvent(.exited, second: 60)))], of: device,
      at: clock.now)
    let lost = try await lostTransport.next()
    killed.store.close()
    let successor = RegionWorker(try place.openAgain(), transport, clock: clock.clock, agreed: .own)
    defer { successor.close() }
    // The other server checks repeatedly whether the lease of the delivery has expired. The clock advances only to the times of these
    // checks, because a check that is active while the clock advances would set another alarm.
    while clock.now < ManualClock.start.addingTimeInterval(WebhookSender.lease) { await clock.nextAlarm() }
    let found = try await transport.next()
    #expect(found.event == lost.event && found.summary == "phone geofence.entered home")
    #expect(clock.now >= ManualClock.start.addingTimeInterval(WebhookSender.lease))
    found.respond(200)
    #expect(try await transport.next().summary == "phone geofence.exited home")
  }

  @Test("a delivery that a server has leased is sent by no other server until the lease expires", arguments: StoreKind.tested)
  func leases(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let geofenceEvaluator = GeofenceEvaluator(source: nil, agreed: .own)
    place.store.addParticipant(geofenceEvaluator)
    let start = ManualClock.start
    let webhook = try await place.store.write {
      try WebhookTables.add(
        WebhookOptions(url: "https://example.org/hook"), secret: "whsec_0123456789abcdef", isEnabled: true, at: start, $0)
    }
    let device = try place.store.makeDevice("phone")
    _ = try await place.store.store([Record(kind: .region(regionEvent(.entered)))], of: device, at: start)
    let key = OrderingKey(webhook: webhook.id, device: device.id)
    let group = DeliveryQueue.Group(webhook: webhook.id, keys: [key], limit: 1)
    func claim(_ second: Double) async throws -> WebhookTables.Claim {
      try await place.store.write { try WebhookTables.claim(group, at: start.addingTimeInterval(second), for: 60, $0) }
    }
    /// Claims the delivery, which must be available.
    func claimed(_ second: Double) async throws -> WebhookTables.Delivery {
      try #require(try await claim(second).deliveries.first)
    }
    /// The seconds until the delivery can be claimed; the delivery must be unavailable.
    func unavailable(_ second: Double) async throws -> TimeInterval? {
      let claim = try await claim(second)
      #expect(claim.deliveries.isEmpty)
      return try #require(claim.others.first).wait
    }
    func record(_ decision: RetryPolicy.Decision, _ delivery: WebhookTables.Delivery) async throws -> TimeInterval? {
      let result = WebhookTables.AttemptResult(delivery: delivery, decision: decision)
      return try await place.store.write { try WebhookTables.record([result], of: webhook.id, at: start, $0) }[key] ?? nil
    }
    let first = try await claimed(0)
    #expect(try await unavailable(59) == 1)
    let second = try await claimed(60)
    #expect(second.id == first.id && second.leased != first.leased)
    // The result of the first claim is ignored, because its lease has expired.
    _ = try await record(.again(at: start.addingTimeInterval(5)), first)
    try await place.store.write { try WebhookTables.release([first], $0) }
    #expect(try await unavailable(61) != nil)
    try await place.store.write { try WebhookTables.release([second], $0) }
    let again = try await claimed(61)
    #expect(try await record(.again(at: start.addingTimeInterval(100)), again) == 100)
    #expect(try await unavailable(62) == 38)
    _ = try await claimed(100)
    // A successful delivery is recorded even after the lease has expired.
    #expect(try await record(.delivered, again) == nil)
    #expect(try await unavailable(200) == nil)
  }

  @Test("a subscriber of one server receives the events of another server, and no event is written without subscribers")
  func subscribers() async throws {
    let place = try ContractStore(.postgres)
    defer { place.end() }
    let (feeds, others) = ((0..<2).map { _ in EventBroadcaster() }, try (0..<2).map { _ in try place.openAgain() })
    defer { for other in others { other.close() } }
    let servers = zip(others, feeds).map { ClusterEventRelay(store: $0, feed: $1) }
    func written() throws -> Int64? { try place.store.read { try $0.integer("SELECT count(*) FROM feed_events") } }
    let now = Duration.zero
    for server in servers { server.poll(at: now) }
    servers[0].relay(Array("event: points\ndata: early\n\n".utf8), device: 7)
    #expect(!servers[0].wants(7))
    let subscription = feeds[1].subscribe(device: 7)
    servers[1].poll(at: now)
    servers[0].poll(at: now)
    #expect(servers[0].wants(7) && !servers[0].wants(8) && !servers[1].wants(7))
    servers[0].relay(Array("event: points\ndata: other\n\n".utf8), device: 8)
    servers[0].relay(Array("event: points\ndata: one\n\n".utf8), device: 7)
    servers[0].relay(Array("event: points\ndata: two\n\n".utf8), device: 7)
    var text = ""
    while !text.contains("two") {
      servers[1].poll(at: now)
      if case .bytes(let bytes) = subscription.next() { text += String(decoding: bytes, as: UTF8.self) }
      await Task.yield()
    }
    #expect(text.contains("data: one\n\nevent: points\ndata: two") && !text.contains("early") && !text.contains("other"))
    #expect(try written() == 2 && !text.contains("resync"))
    // After the start of the subscription, one resync event covers the events that were not relayed.
    for second in 4...6 { servers[1].poll(at: now + .seconds(second)) }
    guard case .bytes(let bytes) = subscription.next() else { throw StoreError.closed }
    #expect(bytes == EventBroadcaster.resync)
    subscription.cancel()
    servers[1].poll(at: now + .seconds(7))
    servers[0].poll(at: now + .seconds(7))
    #expect(!servers[0].wants(7))
  }

  /// The unread events of a subscriber.
  private static func text(of subscription: EventBroadcaster.Subscription) -> String {
    var text = ""
    while case .bytes(let bytes) = subscription.next() { text += String(decoding: bytes, as: UTF8.self) }
    return text
  }

  @Test("an event that is committed after one with a larger id is relayed once")
  func lateEvent() throws {
    let place = try ContractStore(.postgres)
    defer { place.end() }
    let own = try place.openAgain()
    defer { own.close() }
    let feed = EventBroadcaster()
    let server = ClusterEventRelay(store: own, feed: feed)
    let subscription = feed.subscribe(device: 7)
    let now = Duration.zero
    // Transactions that store records do not take the writer's lock, so their ids may be committed out of order.
    func insert(_ name: String) -> String {
      """
      INSERT INTO feed_events (server, device, written, event)
      VALUES ('another', 7, CAST(extract(epoch FROM now()) * 1000 AS bigint), convert_to(E'data: \(name)\\n\\n', 'UTF8'))
      """
    }
    guard case .postgres(let address) = try place.location() else {
      Issue.record("PostgreSQL has an address")
      return
    }
    let (slow, fast) = (try PostgresSession(address), try PostgresSession(address))
    try fast.execute(insert("before"))
    for _ in 0..<2 { server.poll(at: now) }
    // The beginning of the stream.
    _ = Self.text(of: subscription)
    // A slow machine must not end the transaction.
    try slow.execute("SET idle_in_transaction_session_timeout = 0")
    try slow.execute("BEGIN; " + insert("first"))
    try fast.execute(insert("second"))
    server.poll(at: now)
    #expect(Self.text(of: subscription) == "data: second\n\n")
    try slow.execute("COMMIT")
    server.poll(at: now)
    #expect(Self.text(of: subscription) == "data: first\n\n")
    server.poll(at: now)
    #expect(Self.text(of: subscription) == "")
  }

  @Test("a server that started a day earlier knows the subscribers of another")
  func uptimeOfRelay() throws {
    let place = try ContractStore(.postgres)
    defer { place.end() }
    let (first, second) = (try place.openAgain(), try place.openAgain())
    defer { for store in [first, second] { store.close() } }
    let feed = EventBroadcaster()
    let (earlier, later) = (
      ClusterEventRelay(store: first, feed: EventBroadcaster()), ClusterEventRelay(store: second, feed: feed)
    )
    let subscription = feed.subscribe(device: 7)
    later.poll(at: .zero)
    for _ in 0..<2 { earlier.poll(at: .seconds(86_400)) }
    #expect(earlier.wants(7))
    subscription.cancel()
  }

  @Test("all servers know the regions that a device received from any of them")
  func syncs() throws {
    let place = try ContractStore(.postgres)
    defer { place.end() }
    let regions = DatabaseRegionStore(place.store)
    let device = try place.store.makeDevice("phone")
    let middle = try coordinate(46, 14.5)
    _ = try regions.save([Region(id: "home", shape: .circle(Circle(center: middle, radius: 100)))], if: .none, at: Date())
    let notifiers = try (0..<2).map { _ in
      try RegionChangeNotifier(store: regions, feed: EventBroadcaster(), clock: .system, isShared: true)
    }
    #expect(notifiers.allSatisfy { $0.hint(device: device.id) == nil && $0.isNew(device.id) })
    let update = try #require(notifiers[0].takeUpdate(device: device.id, knowing: [], maximum: 10))
    #expect(update.regions.map(\.id) == ["home"])
    notifiers[1].refresh()
    #expect(!notifiers[1].isNew(device.id) && notifiers[1].takeUpdate(device: device.id, knowing: [], maximum: 10) == nil)
    _ = try regions.save([Region(id: "town", shape: .circle(Circle(center: middle, radius: 900)))], if: .none, at: Date())
    notifiers[1].refresh()
    #expect(try notifiers[1].hint(device: device.id) == regions.regionDigest(device: device.id, filter: RegionFilter()).digest)
    #expect(notifiers[1].takeUpdate(device: device.id, knowing: [], maximum: 10)?.regions.map(\.id) == ["town"])
    notifiers[0].refresh()
    #expect(notifiers[0].hint(device: device.id) == nil)
  }
}
