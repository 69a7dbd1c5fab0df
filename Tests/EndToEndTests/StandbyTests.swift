import Foundation
import TestClient
import TestCluster
import TestHistory
import TestParts
import Testing

/// Runs two servers under load on a PostgreSQL primary with a standby, and stops the primary or the standby.
@Suite(
  "Servers on PostgreSQL with a standby", .enabled(if: TestPart.postgres.isRun, "\(TestPart.postgres.reason)"),
  .timeLimit(.minutes(20)))
struct StandbyTests {
  @Test("after a failover and a second one back, acknowledged records are stored, and servers continue without a restart")
  func failover() async throws {
    let (first, second) = try Self.pair()
    let load = try await StandbyLoad(first, second)
    try first.waitForCommits(on: second)
    let uploads = load.uploads
    async let done: Void = uploads.run(phones: 4)
    try await uploads.waitForBatches(50)
    let killed = try await uploads.maximumPause {
      try first.kill()
      try second.promote()
      try await uploads.waitForBatches(20)
    }
    // The former primary becomes the standby, and the next commits wait for it.
    try first.rejoin(second)
    try second.waitForCommits(on: first)
    try await uploads.waitForBatches(50)
    // The primary is suspended, and resumed after the failover: it then accepts statements, but it has no standby, so that none of its
    // commits ends.
    let frozen = try await uploads.maximumPause {
      try second.freeze()
      try first.promote()
      try await uploads.waitForBatches(20)
    }
    try second.thaw()
    try await uploads.waitForBatches(50)
    uploads.end()
    await done
    print("Without an acknowledgement: \(killed) after the kill of the primary, \(frozen) after its suspension")
    try await load.expectEverything(of: first)
  }

  @Test("without its standby a primary acknowledges nothing: clients get 503, and no record is lost when the primary fails too")
  func missingStandby() async throws {
    let (first, second) = try Self.pair()
    let load = try await StandbyLoad(first, second, hasWebhook: false)
    try first.waitForCommits(on: second)
    let uploads = load.uploads
    async let done: Void = uploads.run(phones: 4)
    try await uploads.waitForBatches(20)
    let start = ContinuousClock.now
    try second.kill()
    try await uploads.waitForResponses(1, withStatus: 503)
    let timeToRejection = ContinuousClock.now - start
    // Read requests are still answered.
    let server = load.servers[0]
    let response = try await ask("GET", "http://127.0.0.1:\(server.port)/api/v1/devices", token: server.administratorToken)
    #expect(response.status == 200)
    try second.start()
    try await uploads.waitForBatches(20)
    // An administrator cancels the waiting commits: PostgreSQL reports them as successful.
    try second.kill()
    let count = uploads.acknowledged
    try await server.background.wait("commits that wait") { try first.cancelWaitingCommits() > 0 ? true : nil }
    try await uploads.waitForResponses(1, withStatus: 503)
    // Only batches that were in progress during the kill of the standby were acknowledged.
    #expect(uploads.acknowledged <= count + 4 * 20)
    try first.kill()
    try second.start()
    try second.promote()
    try await uploads.waitForBatches(20)
    uploads.end()
    await done
    print("Without the standby: the first 503 after \(timeToRejection)")
    try await load.expectEverything(of: second)
  }

  @Test("with asynchronous replication and a standby that lags, the checker finds the records that a failover loses")
  func asynchronous() async throws {
    let (first, second) = try Self.pair()
    let load = try await StandbyLoad(first, second, hasWebhook: false)
    let uploads = load.uploads
    async let done: Void = uploads.run(phones: 4)
    try await uploads.waitForBatches(20)
    try second.endFollowing()
    try await uploads.waitForBatches(20)
    try first.kill()
    try second.promote()
    try await uploads.waitForBatches(20)
    uploads.end()
    await done
    let problems = try await load.problems(of: second)
    #expect(problems.contains { $0.kind == .lost && $0.count >= 15 * 20 }, "\(problems)")
    #expect(!problems.contains { [.duplicate, .unsent, .altered, .mixed].contains($0.kind) }, "\(problems)")
  }

  /// Returns a primary and its standby.
  private static func pair() throws -> (TestCluster, TestCluster) {
    let first = try TestCluster()
    return (first, try TestCluster(standbyOf: first))
  }
}

/// Two servers with four phones, a geofence and a webhook, on a database of two PostgreSQL servers.
private final class StandbyLoad {
  let servers: [RunningServer]
  let uploads: Uploads
  private let name: String
  /// `nil` if the test has no webhook, because a delivery that a stopped primary interrupts is repeated only after a minute.
  private let webhook: WebhookSink?

  init(_ first: TestCluster, _ second: TestCluster, hasWebhook: Bool = true) async throws {
    let database = try TestDatabase(in: first)
    name = database.name
    let store = TestCluster.address(of: name, on: [first, second])
    servers = [
      try await RunningServer(device: "phone-0", store: store), try await RunningServer(device: "phone-1", store: store),
    ]
    webhook = hasWebhook ? try WebhookSink { _ in 200 } : nil
    try await servers[0].addRegion(Uploads.region, webhook: webhook)
    let tokens = [servers[0].token, servers[1].token, try servers[0].addDevice("phone-2"), try servers[0].addDevice("phone-3")]
    uploads = Uploads(
      zip(tokens, [0, 1, 0, 1]).map { [servers] in Uploads.Sender(endpoint: servers[$1].endpoint, token: $0) }, hasRegion: true)
  }

  /// Stops the servers after the delivery of all events, and compares the stored with the sent records.
  func problems(of primary: TestCluster) async throws -> [HistoryChecker.Problem] {
    let store = primary.address(of: name)
    if let webhook {
      let events = Set(try StoredHistory(of: store).events.map(\.name))
      // The lease of an interrupted delivery ends after 60 s.
      _ = try? await servers[0].background.wait("the deliveries", seconds: 80) {
        events.isSubset(of: webhook.accepted.map(\.event)) ? true : nil
      }
    }
    for server in servers {
      #expect(!server.background.errorOutput.contains(TestCluster.password))
      #expect(try await server.stop() == 0)
    }
    await webhook?.stop()
    return uploads.problems(of: try StoredHistory(of: store, deliveries: webhook?.accepted.map(\.event)))
  }

  func expectEverything(of primary: TestCluster) async throws {
    let problems = try await problems(of: primary)
    #expect(problems.isEmpty, "\(problems)")
    #expect(uploads.acknowledged > 0 && webhook?.accepted.isEmpty != true)
  }
}
