import Foundation
import TestClient
import TestCluster
import TestHistory
import TestParts
import Testing

/// Tests `godwit store distribute`, and servers on a coordinator with two workers.
@Suite(
  "A distributed store",
  .enabled(if: TestPart.citus.isRun, "\(TestPart.citus.reason)"), .serialized, .timeLimit(.minutes(20)))
struct DistributedStoreTests {
  @Test("an existing database is distributed, and servers and commands keep working")
  func wholeLife() async throws {
    let database = try TestCitus.shared().makeDatabase()
    let folder = try TemporaryFolder()
    try importWalk(from: 1_700_000_000, count: 300, devices: ["phone", "van"], folder, database.address)
    try importWalk(from: 1_702_000_000, count: 300, devices: ["phone"], folder, database.address)
    let server = try await RunningServer(store: database.address)
    let rejected = try run(["store", "distribute"], database.address)
    #expect(rejected.status == 1 && rejected.errorOutput.contains("Stop all of them first"), "\(rejected.errorOutput)")
    #expect(try await server.stop() == 0)
    let before = try exported("phone", database.address)
    // A second run reports that the store is distributed.
    let distributed = try run(["store", "distribute", "--shards", "8"], database.address)
    #expect(distributed.status == 0, "\(distributed.errorOutput)")
    #expect(try run(["store", "distribute"], database.address).errorOutput.contains("distributed already"))
    let local = "SELECT sum(pg_relation_size(relid)) FROM pg_partition_tree('points')"
    #expect(try database.sql(local) == "0")
    #expect(try exported("phone", database.address) == before)

    // The same file again, and a month without a partition.
    try importWalk(from: 1_702_000_000, count: 300, devices: ["phone"], folder, database.address)
    #expect(try exported("phone", database.address) == before)
    try importWalk(from: 1_690_000_000, count: 300, devices: ["phone"], folder, database.address)
    let month = "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = to_regclass('points_2023_07')"
    #expect(try database.sql(month) == "1")
    #expect(try exported("phone", database.address).count > before.count)
    try await server.restart()
    let point =
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[14.5,46]},"properties":{"timestamp":"2026-11-20T08:30:00Z"}}"#
    let response = try await ask("POST", server.endpoint, "{\"locations\":[\(point)]}", token: server.token)
    #expect(response.status == 200, "\(response.text)")
    try await server.background.wait("blocks", seconds: 240) {
      try database.sql("SELECT count(*) FROM point_blocks") == "0" ? nil : true
    }
    try await server.background.wait("days to be computed") {
      try database.sql("SELECT count(*) FROM dirty_days") == "0" ? true : nil
    }
    #expect(try database.sql("SELECT count(*) > 0 FROM overview_pieces") == "t")
    #expect(try await server.stop() == 0)

    let archive = folder.path("godwit.backup")
    let backup = try run(["backup", archive], database.address)
    #expect(backup.status == 0, "\(backup.errorOutput)")
    #expect(try run(["verify"], database.address).status == 0)
    let deleted = try run(["delete", "device", "phone", "--yes"], database.address)
    #expect(deleted.status == 0, "\(deleted.errorOutput)")
    #expect(try database.sql("SELECT count(*) FROM points WHERE device = 1") == "0")
    #expect(try database.sql("SELECT count(*) FROM point_blocks WHERE device = 1") == "0")

    let other = try TestCitus.shared().makeDatabase()
    #expect(try run(["device", "list"], other.address).status == 0)
    #expect(try run(["store", "distribute", "--shards", "8"], other.address).status == 0)
    let restored = try run(["restore", archive], other.address)
    #expect(restored.status == 0, "\(restored.errorOutput)")
    #expect(try exported("van", other.address) == exported("van", database.address))
    #expect(try exported("phone", other.address).count > before.count)
    #expect(try run(["verify"], other.address).status == 0)
  }

  @Test("a store that cannot be distributed is rejected with instructions")
  func rejections() throws {
    let folder = try TemporaryFolder()
    let inFolder = try Executable.run(["store", "distribute", "--data", folder.path("data")])
    #expect(
      inFolder.status == 1 && inFolder.errorOutput.contains("only a PostgreSQL database can be distributed"),
      "\(inFolder.errorOutput)")
    let plain = try TestDatabase()
    let withoutCitus = try run(["store", "distribute"], plain.address)
    #expect(
      withoutCitus.status == 1 && withoutCitus.errorOutput.contains("CREATE EXTENSION citus"), "\(withoutCitus.errorOutput)")
    let cluster = try TestCitus.shared()
    let alone = try TestDatabase(in: cluster.coordinator)
    _ = try alone.sql("CREATE EXTENSION citus")
    let withoutWorkers = try run(["store", "distribute"], alone.address)
    #expect(withoutWorkers.status == 1 && withoutWorkers.errorOutput.contains("citus_add_node"), "\(withoutWorkers.errorOutput)")
    let empty = try cluster.makeDatabase()
    let withoutTables = try run(["store", "distribute"], empty.address)
    #expect(
      withoutTables.status == 1 && withoutTables.errorOutput.contains("Start a server with it once"),
      "\(withoutTables.errorOutput)")
    #expect(try run(["store", "distribute", "--shards", "0"], empty.address).status == 2)
  }

  @Test("devices of the other worker continue while one is down, and acknowledged records are stored once")
  func killedWorker() async throws {
    let cluster = try TestCitus()
    let database = try cluster.makeDatabase()
    #expect(try run(["device", "list"], database.address).status == 0)
    #expect(try run(["store", "distribute", "--shards", "8"], database.address).status == 0)
    let server = try await RunningServer(store: database.address)
    var senders: [Int: Uploads.Sender] = [:]
    for number in 0..<16 where senders.count < 2 {
      let token = try server.addDevice("phone-\(number)")
      let port = try database.sql(
        """
        SELECT nodeport FROM devices, pg_dist_placement JOIN pg_dist_node USING (groupid)
        WHERE name = 'phone-\(number)' AND shardid = get_shard_id_for_distribution_column('points', id)
        """)
      senders[try #require(Int(port))] = Uploads.Sender(endpoint: server.endpoint, token: token)
    }
    let worker = try #require(cluster.workers.first)
    let uploads = Uploads(senders.values.map { $0 })
    // Phones with odd and even numbers are on different workers.
    async let done: Void = uploads.run(phones: 4)
    for _ in 1...3 {
      try await uploads.waitForBatches(20)
      try worker.kill()
      try await uploads.waitForResponses(2, withStatus: 503)
      // All of these batches are from devices of the other worker.
      try await uploads.waitForBatches(40)
      try worker.start()
    }
    try await uploads.waitForBatches(40)
    uploads.end()
    await done
    #expect(try await server.stop() == 0)
    // The coordinator commits the transactions that the worker had prepared.
    _ = try database.sql("SELECT recover_prepared_transactions()")
    let stored = try StoredHistory(of: database.address)
    #expect(uploads.problems(of: stored) == [])
    let counted = try database.sql("SELECT sum(points) FROM devices")
    #expect(stored.points.count == Int(counted))
  }

  private func run(_ arguments: [String], _ store: String) throws -> Executable.Result {
    try Executable.run(arguments, environment: ["GODWIT_STORE": store])
  }

  /// Imports one point per minute for each device.
  private func importWalk(from start: Int, count: Int, devices: [String], _ folder: TemporaryFolder, _ store: String) throws {
    for device in devices {
      let file = folder.path("\(device)-\(start).csv")
      let lines = (0..<count).map { "\(start + $0 * 60),46.\(1000 + $0),14.5" }
      try Data(("time,lat,lon\n" + lines.joined(separator: "\n")).utf8).write(to: URL(fileURLWithPath: file))
      let result = try run(["import", file, "--device", device], store)
      #expect(result.status == 0, "\(result.errorOutput)")
    }
  }

  private func exported(_ device: String, _ store: String) throws -> String {
    let result = try run(["export", "--device", device, "--format", "gpx"], store)
    #expect(result.status == 0, "\(result.errorOutput)")
    return result.text
  }
}
