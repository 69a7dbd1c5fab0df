import Foundation
import GodwitHTTPClient
import GodwitModel
import GodwitSecrets
import GodwitServer
import GodwitSimulator
import GodwitStore
import Synchronization
import TestDisk
import Testing

@testable import GodwitGeofencing

/// Servers that send the deliveries of one device to one webhook. A seed determines the faults. The events become a trace of the
/// model `webhooks.pml`. A tick of the model is 15 s.
actor LeaseScenario {
  /// The events of the model.
  enum Event {
    static let tick = 1, queue = 2, claim = 3, send = 4, arrive = 5, result = 6, record = 7, kill = 8, end = 9
  }
  /// The phases of the model for a server that has the result of an attempt.
  enum Outcome {
    static let unanswered = 4, rejected = 5
  }

  static let deliveries = 4
  static func settings(servers: Int) -> [String] { ["-DSERVERS=\(servers)", "-DDELIVERIES=\(deliveries)", "-DTIME=200"] }

  /// The phase of a server in the trace.
  private enum Phase: Equatable {
    case idle
    case claimed(Int)
    case sending(Int, hasArrived: Bool)
    case finished(Int)
    var isIdle: Bool { self == .idle }
  }

  private struct Row: Equatable {
    var lease: Int
    var hasFailed: Bool
  }

  private final class DatabaseClock: Sendable {
    private let time: Mutex<Date>
    init(_ now: Date) { time = Mutex(now) }
    var now: Date { time.withLock { $0 } }
    func set(_ now: Date) { time.withLock { $0 = now } }
  }

  private let folder = MemoryFolder()
  private let store: SQLiteTrackStore
  private let device: Device
  private let key: OrderingKey
  private var servers: [LeaseServer] = []
  private var phases: [Phase]
  /// The deliveries whose requests may still arrive although the server no longer waits for them, by server.
  private var late: [Int?]
  private var random: RandomSource
  private var trace = ModelTrace(end: Event.end)
  private var time = 0
  /// The number of ticks that the clock of each server is ahead of the clock of the database.
  private var ahead: [Int]
  private let databaseClock = DatabaseClock(start)
  private var queued = 0
  private let count: Int

  private static let start = Date(timeIntervalSince1970: 1_800_000_000)
  private static let tick = 15.0

  init(seed: UInt64, servers count: Int) async throws {
    self.count = count
    random = RandomSource(seed: seed, stream: "leases")
    store = try SQLiteTrackStore(folder: folder.path)
    let device = try store.addDevice(named: "phone", tokenHash: AccessToken().hash, at: Self.start)
    self.device = device
    let webhook = try await store.write {
      try WebhookTables.add(
        WebhookOptions(url: "https://example.org/hook"), secret: "whsec_0123456789abcdef", isEnabled: true, at: Self.start, $0)
    }
    key = OrderingKey(webhook: webhook.id, device: device.id)
    phases = Array(repeating: .idle, count: count)
    late = Array(repeating: nil, count: count)
    ahead = Array(repeating: 0, count: count)
  }

  /// Runs with faults, and then without faults.
  /// - Returns: the trace, at whose end each delivery has arrived or has failed permanently.
  func run() async throws -> ModelTrace {
    for server in 0..<count { servers.append(try await started(server)) }
    for _ in 0..<120 { try await step() }
    while queued < Self.deliveries { try await queue() }
    for _ in 0..<400 where try rows().contains(where: { !$0.value.hasFailed }) { try await stepWithoutFaults() }
    #expect(try rows().allSatisfy(\.value.hasFailed))
    store.close()
    return trace
  }

  private func clock(_ server: Int) -> Date {
    Self.start.addingTimeInterval(Double(time + ahead[server]) * Self.tick)
  }

  private var uptime: Duration { .seconds(Double(time) * Self.tick) }

  private func started(_ number: Int) async throws -> LeaseServer {
    let agreed = AgreedTime { [databaseClock] _, _ in databaseClock.now }
    let server = LeaseServer(store, isShared: count > 1, now: clock(number), uptime: uptime, agreed: agreed)
    await server.start()
    return server
  }

  // MARK: Steps

  private func step() async throws {
    let server = Int(random.next() % UInt64(count))
    switch random.next() % 24 {
    case 0, 1: try await queue()
    case 2...4: await move()
    case 5: await servers[server].refresh()
    case 6: try await kill(server)
    case 7: await random.happens(0.5) ? arriveLate(server) : setClock(server)
    case 8...12: try await commit(server)
    case 13...16: await report(server)
    case 17...20: arrive(server)
    default: try await end(server, Int(random.next() % 4))
    }
  }

  /// Performs a step without a fault: each server continues, and the time advances.
  private func stepWithoutFaults() async throws {
    for server in 0..<count {
      try await commit(server)
      await report(server)
      arrive(server)
      try await end(server, 3)
    }
    await move()
    for server in servers { await server.refresh() }
  }

  /// Writes an event with its delivery in one transaction.
  private func queue() async throws {
    guard queued < Self.deliveries else { return }
    let (device, number, now) = (device, queued, databaseClock.now)
    // Some deliveries fail permanently at the next rejection, which is the eighth.
    let attempts = random.happens(0.3) ? 7 : 0
    try await store.write { db in
      let event = ServerEvent(
        name: "evt_\(number)", device: device, type: "geofence.entered", region: "home", body: #"{"number":\#(number)}"#)
      _ = try StoredOutbox().add(event, at: now, db)
      try db.run("UPDATE webhook_deliveries SET attempts = ? WHERE id = (SELECT max(id) FROM webhook_deliveries)", attempts)
    }
    trace.add(Event.queue, queued)
    queued += 1
    for server in servers where random.happens(0.7) { await server.deliver([key]) }
  }

  private func move() async {
    time += 1
    databaseClock.set(Self.start.addingTimeInterval(Double(time) * Self.tick))
    trace.add(Event.tick, time)
    for server in 0..<count { await servers[server].move(to: clock(server), uptime: uptime) }
  }

  /// Sets the clock of a server wrong, by up to some minutes or by up to years.
  private func setClock(_ server: Int) async {
    let ticks = Int.random(in: -20...20, using: &random)
    ahead[server] = random.happens(0.5) ? ticks : ticks * 200_000
    await servers[server].move(to: clock(server), uptime: uptime)
  }

  private func kill(_ server: Int) async throws {
    guard !phases[server].isIdle else { return }
    if case .sending(let delivery, false) = phases[server] { late[server] = delivery }
    trace.add(Event.kill, server)
    phases[server] = .idle
    servers[server] = try await started(server)
  }

  /// Commits the next write of a server: a claim, or the result of an attempt.
  private func commit(_ server: Int) async throws {
    guard servers[server].store.hasWork else { return }
    let before = try rows()
    await servers[server].store.commit()
    let after = try rows()
    if case .finished(let delivery) = phases[server] {
      let row = after[delivery]
      trace.add(Event.record, server, row.map { $0.hasFailed ? 2 : 0 } ?? 1, row?.lease ?? 0)
      phases[server] = .idle
      return
    }
    for (delivery, row) in after where row.lease != before[delivery]?.lease && row.lease != 0 {
      trace.add(Event.claim, server, delivery, row.lease)
      phases[server] = .claimed(delivery)
    }
  }

  /// Reports the result of a write to a server, which sends after a claim.
  private func report(_ server: Int) async {
    guard servers[server].store.hasResult else { return }
    await servers[server].report()
    guard case .claimed(let delivery) = phases[server], servers[server].sentEvent == "evt_\(delivery)" else { return }
    trace.add(Event.send, server, delivery)
    // The network of the model has at most one request for each server and delivery.
    if late[server] == delivery { late[server] = nil }
    phases[server] = .sending(delivery, hasArrived: false)
  }

  private func arrive(_ server: Int) {
    guard case .sending(let delivery, false) = phases[server] else { return }
    trace.add(Event.arrive, server, delivery)
    phases[server] = .sending(delivery, hasArrived: true)
  }

  private func arriveLate(_ server: Int) {
    guard let delivery = late[server] else { return }
    late[server] = nil
    trace.add(Event.arrive, server, delivery)
  }

  /// Ends the request of a server.
  /// - Parameter kind: 0: a failure; 1: no response; 2: a rejection; otherwise: success.
  private func end(_ server: Int, _ kind: Int) async throws {
    guard case .sending(let delivery, let hasArrived) = phases[server] else { return }
    switch kind {
    case 0, 1:
      if !hasArrived { late[server] = delivery }
      trace.add(Event.result, server, delivery, Outcome.unanswered)
      phases[server] = .finished(delivery)
      await servers[server].respond(
        kind == 0 ? .success(HTTPClient.Response(status: 503)) : .failure(HTTPError("There was no response.")))
    case 2:
      guard hasArrived else { return }
      let isLast = try attempts(of: delivery) >= 7
      trace.add(Event.result, server, delivery, isLast ? Outcome.rejected : Outcome.unanswered)
      phases[server] = .finished(delivery)
      await servers[server].respond(.success(HTTPClient.Response(status: 400)))
    default:
      guard hasArrived else { return }
      phases[server] = .finished(delivery)
      await servers[server].respond(.success(HTTPClient.Response(status: 204)))
    }
  }

  // MARK: The store

  /// Returns the stored deliveries, by number.
  private func rows() throws -> [Int: Row] {
    let rows = try store.read { db in
      try db.all("SELECT id, leased_until, failed FROM webhook_deliveries") { row in
        (try row.integer("id"), Row(lease: Self.ticks(try row.integer("leased_until")), hasFailed: try !row.isNull("failed")))
      }
    }
    return Dictionary(uniqueKeysWithValues: rows.map { (Int($0.0) - 1, $0.1) })
  }

  private func attempts(of delivery: Int) throws -> Int {
    Int(try store.read { try $0.integer("SELECT attempts FROM webhook_deliveries WHERE id = ?", Int64(delivery + 1)) } ?? 0)
  }

  private static func ticks(_ milliseconds: Int64) -> Int {
    milliseconds == 0 ? 0 : Int((Double(milliseconds) / 1000 - start.timeIntervalSince1970) / tick)
  }
}
