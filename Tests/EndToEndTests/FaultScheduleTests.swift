import Foundation
import TestCluster
import TestHistory
import TestParts
import Testing

/// Runs schedules of faults against real servers under load. A checker then compares the acknowledged with the stored records.
///
/// `GODWIT_FAULT_SCHEDULES` sets the number of schedules of both tests together, `GODWIT_FAULT_SEED` the first seed.
@Suite("Schedules of faults", .timeLimit(.minutes(120)))
struct FaultScheduleTests {
  /// The number of schedules that run on one set of servers.
  private static let group = 5

  private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

  /// The seeds of each set of servers.
  private static var groups: [[UInt64]] {
    let first = UInt64(number("GODWIT_FAULT_SEED") ?? 1)
    let count = max(1, (number("GODWIT_FAULT_SCHEDULES") ?? 10) / 2)
    return stride(from: 0, to: count, by: group).map { start in
      (start..<min(count, start + group)).map { first + UInt64($0) }
    }
  }

  @Test(
    "on SQLite: acknowledged records are stored once and in order",
    .enabled(if: TestPart.faketime.isRun, "\(TestPart.faketime.reason)"))
  func embedded() async throws {
    for seeds in Self.groups {
      let load = try await FaultLoad(devices: 4)
      try await load.run(seeds)
    }
  }

  @Test(
    "on PostgreSQL with three servers: acknowledged records are stored once and in order",
    .enabled(if: TestPart.faketime.isRun, "\(TestPart.faketime.reason)"),
    .enabled(if: TestPart.postgres.isRun, "\(TestPart.postgres.reason)"))
  func severalServers() async throws {
    let cluster = try TestCluster()
    for seeds in Self.groups {
      let load = try await FaultLoad(devices: 6, servers: 3, in: cluster)
      try await load.run(seeds)
    }
  }
}

/// Servers that receive uploads of phones, with a geofence, a webhook and proxies.
private final class FaultLoad {
  private let cluster: TestCluster?
  private let store: String
  private let servers: [RunningServer]
  private let clocks: [SteppedClock]
  /// One proxy in front of each server, then one between each server and the database.
  private let links: [CutProxy]
  private let webhook: WebhookSink
  private let uploads: Uploads
  private let phones: Int

  /// - Parameters:
  ///   - devices: the number of phones.
  ///   - count: the number of servers.
  ///   - cluster: the cluster of the database; `nil`: one server with SQLite.
  init(devices: Int, servers count: Int = 1, in cluster: TestCluster? = nil) async throws {
    self.cluster = cluster
    phones = devices
    let database = try cluster.map { try TestDatabase(in: $0) }
    let clocks = try (0..<count).map { _ in try SteppedClock() }
    var (servers, fronts, backs): ([RunningServer], [CutProxy], [CutProxy]) = ([], [], [])
    for number in 0..<count {
      var address: String?
      if let database {
        let proxy = try CutProxy(to: database.cluster.port)
        backs.append(proxy)
        address = database.address.replacing(":\(database.cluster.port)/", with: ":\(proxy.port)/")
      }
      let server = try await RunningServer(device: "phone-\(number)", store: address, clock: clocks[number])
      servers.append(server)
      fronts.append(try CutProxy(to: server.port))
    }
    store = database?.address ?? servers[0].data
    webhook = try WebhookSink { _ in 200 }
    try await servers[0].addRegion(Uploads.region, webhook: webhook)
    let senders = try (0..<devices).map { phone in
      let token = phone < count ? servers[phone].token : try servers[0].addDevice("phone-\(phone)")
      return Uploads.Sender(endpoint: "http://127.0.0.1:\(fronts[phone % count].port)/api/overland", token: token)
    }
    uploads = Uploads(senders, hasRegion: true)
    self.servers = servers
    self.clocks = clocks
    links = fronts + backs
  }

  /// Runs schedules, and compares the stored with the sent records.
  func run(_ seeds: [UInt64]) async throws {
    let schedules = seeds.map {
      FaultSchedule(seed: $0, servers: servers.count, links: links.count, hasDatabase: cluster != nil)
    }
    let (uploads, phones) = (uploads, phones)
    async let done: Void = uploads.run(phones: phones)
    try await uploads.waitForBatches(phones)
    for schedule in schedules {
      print("\(cluster == nil ? "SQLite" : "PostgreSQL"), \(schedule)")
      for step in schedule.steps {
        try await carryOut(step)
        try await uploads.waitForBatches(step.batches)
      }
    }
    uploads.end()
    await done
    for clock in clocks { try clock.set(seconds: 0) }
    let events = Set(try StoredHistory(of: store).events.map(\.name))
    // The lease of an interrupted delivery ends after 60 s.
    _ = try? await servers[0].background.wait("the deliveries", seconds: 90) { [webhook] in
      events.isSubset(of: webhook.accepted.map(\.event)) ? true : nil
    }
    for server in servers { #expect(try await server.stop() == 0) }
    for link in links { link.stop() }
    await webhook.stop()
    let stored = try StoredHistory(of: store, deliveries: webhook.accepted.map(\.event))
    let openDeliveries = try StoredHistory.openDeliveries(of: store)
    #expect(uploads.problems(of: stored) == [], "\(schedules), \(openDeliveries)")
    #expect(!webhook.accepted.isEmpty)
  }

  private func carryOut(_ step: FaultSchedule.Step) async throws {
    let wait = Duration.milliseconds(step.milliseconds)
    switch step.fault {
    case .kill(let server):
      try await servers[server].kill()
      try await Task.sleep(for: wait)
      try await servers[server].restart()
    case .freeze(let server):
      servers[server].freeze()
      try await Task.sleep(for: wait)
      servers[server].thaw()
    case .cut(let link): links[link].cut()
    case .hold(let link):
      links[link].hold()
      try await Task.sleep(for: wait)
      links[link].release()
    case .holdAndCut(let link):
      links[link].hold()
      try await Task.sleep(for: wait)
      links[link].cut()
      links[link].release()
    case .setClock(let server, let seconds):
      try clocks[server].set(seconds: seconds)
      let offset = try await SteppedClock.offset(of: "http://127.0.0.1:\(servers[server].port)")
      #expect(abs(offset - seconds) < 60, "the server's clock was not set: \(offset)")
      try await Task.sleep(for: wait)
    case .killDatabase:
      try cluster?.kill()
      try await Task.sleep(for: wait)
      try cluster?.start()
    }
  }
}
