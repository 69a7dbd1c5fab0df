import Foundation
import GodwitDeletion
import GodwitServer
import TestClient
import TestCluster
import TestParts
import Testing

/// `godwit store distribute` that is interrupted, and the run that continues it.
@Suite(
  "An interrupted distribution",
  .enabled(if: TestPart.citus.isRun, "\(TestPart.citus.reason)"), .serialized, .timeLimit(.minutes(20)))
struct InterruptedDistributionTests {
  /// What interrupts the command.
  enum Interruption: CaseIterable {
    case killedCommand, endedSession, killedWorker
  }

  @Test("the next run continues, and each row is stored once", arguments: Interruption.allCases)
  func interruption(_ interruption: Interruption) async throws {
    let history = try await DistributedHistory.shared()
    let database = try history.copy()
    let before = try history.state(of: database)
    var random = Dice(state: 20_261_130)
    for table in TableDistribution.byDevice {
      let run = try Background(
        Executable.godwit, ["store", "distribute", "--shards", "8"], in: history.folder, environment: environment(database))
      try await run.wait("the move of \(table)") {
        run.errorOutput.contains("the rows of \(table) ") || !run.process.isRunning ? true : nil
      }
      // The move of a small table takes some 100 ms.
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<250, using: &random)))
      switch interruption {
      case .killedCommand: run.kill()
      case .endedSession:
        _ = try database.sql(
          """
          SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name LIKE 'godwit%'
          """)
      case .killedWorker: try #require(history.cluster.workers.first).kill()
      }
      let status = try await run.waitForEnd()
      if interruption == .killedWorker { try #require(history.cluster.workers.first).start() }
      if interruption != .killedCommand, status != 0 {
        #expect(status == 1 && run.errorOutput.contains("Run the command again"), "\(table): \(run.errorOutput)")
      }
      #expect(try history.state(of: database) == before, "after the interruption at \(table)")
      try await expectServer(database, since: table)
    }
    let last = try Executable.run(["store", "distribute"], environment: environment(database))
    #expect(last.status == 0, "\(last.errorOutput)")
    #expect(try history.state(of: database) == before)
    try history.expectOneCopy(of: database)
    for device in DistributedHistory.devices {
      #expect(try history.exported(device, database.address) == history.exported[device], "\(device)")
    }
    let verified = try Executable.run(["verify"], environment: environment(database))
    #expect(verified.status == 0, "\(verified.errorOutput)")
    try await expectWorkingServer(database)
  }

  /// A server between an interruption and the next run works as long as no table has moved. Then it is rejected.
  private func expectServer(_ database: TestDatabase, since table: String) async throws {
    let isWhole = try database.sql("SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'points'::regclass") == "0"
    let missing = try database.sql(
      """
      SELECT count(*) FROM unnest(ARRAY[\(TableDistribution.byDevice.map { "'\($0)'" }.joined(separator: ", "))]) AS name
      WHERE to_regclass(name) NOT IN (SELECT logicalrelid FROM pg_dist_partition)
      """)
    if isWhole || missing == "0" { return try await expectWorkingServer(database) }
    let folder = try TemporaryFolder()
    let rejected = try Executable.run(
      [
        "serve", "--listen", "127.0.0.1:\(try TestCluster.freePort())", "--data", folder.path("data"),
        "--store", database.address,
      ])
    #expect(
      rejected.status == 1 && rejected.errorOutput.contains("Run `godwit store distribute` again"),
      "\(table): \(rejected.errorOutput)")
  }

  private func expectWorkingServer(_ database: TestDatabase) async throws {
    let number = try database.sql("SELECT count(*) FROM devices")
    let server = try await RunningServer(device: "later \(number)", store: database.address)
    let token = try server.administratorToken
    let origin = "http://127.0.0.1:\(server.port)/api/v1/"
    let upload = try await ask("POST", server.endpoint, DistributedHistory.upload, token: server.token)
    #expect(upload.status == 200, "\(upload.text) \(server.background.errorOutput)")
    for path in [
      "devices", "points?device=phone&limit=10", "points?device=van&limit=10", "tracks?device=phone",
      "visits?device=phone", "statistics?device=van&year=2023", "history/tiles/0/0/0.mvt",
    ] {
      let response = try await ask("GET", origin + path, token: token)
      #expect(response.status == 200, "\(path): \(response.text) \(server.background.errorOutput)")
    }
    try await server.background.wait("days to be computed") {
      try database.sql("SELECT count(*) FROM dirty_days") == "0" ? true : nil
    }
    #expect(try await server.stop() == 0)
  }

  private func environment(_ database: TestDatabase) -> [String: String] { ["GODWIT_STORE": database.address] }
}

/// A small generator of random numbers with a seed.
private struct Dice: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}

/// A database with rows in every table that is distributed, before the distribution. It is on the coordinator of a cluster of its own.
private final class DistributedHistory: Sendable {
  static func shared() async throws -> DistributedHistory { try await making.value }
  private static let making = Task { try await DistributedHistory() }

  static let devices = ["phone", "van", "walker"]
  /// Tables with a column `device`.
  private static let tables = Set(TableDistribution.byDevice).union(DeviceDeletion.tables).sorted()
  static let upload = """
    {"locations":[\((0..<4).map { #"{"type":"Feature","geometry":{"type":"Point","coordinates":[10.00\#($0 * 4),47]},"properties":"#
      + #"{"timestamp":"2026-11-20T08:3\#($0):00Z","horizontal_accuracy":5\#($0 == 3 ? #","action":"will_terminate""# : "")}}"# }
      .joined(separator: ","))]}
    """

  let cluster: TestCitus
  nonisolated(unsafe) let folder: TemporaryFolder  // Constant after init, and its URL does not change.
  /// The database before the distribution.
  private let original: TestDatabase
  /// The export of each device.
  let exported: [String: String]

  private init() async throws {
    folder = try TemporaryFolder()
    cluster = try TestCitus(hasChecksums: false)
    original = try TestDatabase(in: cluster.coordinator)
    let server = try await RunningServer(store: original.address, more: ["--seal-after", "1"])
    try await server.addRegion(Uploads.region, webhook: nil)
    for device in ["phone", "van"] {
      let file = folder.path("\(device).csv")
      try Data(Self.walk(shift: device == "van" ? 0.5 : 0).utf8).write(to: URL(fileURLWithPath: file))
      let result = try Executable.run(["import", file, "--device", device], environment: ["GODWIT_STORE": original.address])
      #expect(result.status == 0, "\(result.errorOutput)")
    }
    let response = try await ask("POST", server.endpoint, Self.upload, token: server.token)
    #expect(response.status == 200, "\(response.text)")
    let original = original
    for table in ["point_blocks", "overview_pieces"] {
      try await server.background.wait("rows of \(table)", seconds: 240) {
        try original.sql("SELECT count(*) FROM \(table)") == "0" ? nil : true
      }
    }
    try await server.background.wait("days to be computed", seconds: 240) {
      try original.sql("SELECT count(*) FROM dirty_days") == "0" ? true : nil
    }
    #expect(try await server.stop() == 0)
    var exported: [String: String] = [:]
    for device in Self.devices { exported[device] = try Self.exported(device, original.address) }
    self.exported = exported
    for table in TableDistribution.byDevice {
      #expect(try original.sql("SELECT count(*) > 0 FROM \(table)") == "t", "\(table) has no row")
    }
  }

  /// A day at two places in each of three months, with one outlier.
  private static func walk(shift: Double) -> String {
    var lines = ["time,lat,lon,accuracy"]
    for start in [1_690_000_000, 1_700_000_000, 1_702_000_000] {
      for minute in 0..<300 {
        let moved = min(max(Double(minute - 120) / 60, 0), 1) * 0.2
        let latitude = 46 + shift + moved + (minute == 200 ? 0.9 : 0) + Double(minute % 7) * 0.000_01
        lines.append("\(start + minute * 60),\(latitude),14.5,10")
      }
    }
    return lines.joined(separator: "\n")
  }

  /// A copy of the database that has not been distributed, as a database of the cluster.
  func copy() throws -> TestDatabase { try cluster.makeDatabase(copyOf: original) }

  func exported(_ device: String, _ store: String) throws -> String { try Self.exported(device, store) }

  private static func exported(_ device: String, _ store: String) throws -> String {
    let result = try Executable.run(["export", "--device", device, "--format", "gpx"], environment: ["GODWIT_STORE": store])
    #expect(result.status == 0, "\(result.errorOutput)")
    return result.text
  }

  /// The number of rows of each device of the original database in each table.
  func state(of database: TestDatabase) throws -> [String] {
    let counts = Self.tables.map { table in
      """
      SELECT '\(table)', device, count(*) FROM \(table) WHERE device <= \(Self.devices.count) GROUP BY device ORDER BY device;
      """
    }
    return try database.sql(counts.joined(separator: "\n")).split(separator: "\n").map(String.init)
  }

  /// No row remains on the coordinator, and workers have no tables other than their shards.
  func expectOneCopy(of database: TestDatabase) throws {
    for table in TableDistribution.byDevice {
      let size =
        "SELECT sum(pg_relation_size(relid)) FROM (SELECT relid FROM pg_partition_tree('\(table)') "
        + "UNION SELECT '\(table)'::regclass) AS parts"
      #expect(try database.sql(size) == "0", "\(table)")
    }
    _ = try database.sql("SELECT recover_prepared_transactions(); CALL citus_cleanup_orphaned_resources()")
    for worker in cluster.workers {
      let placements = try database.sql(
        """
        SELECT count(*) FROM pg_dist_placement JOIN pg_dist_node USING (groupid) WHERE nodeport = \(worker.port)
        """)
      let shards = try worker.sql(
        "SET citus.override_table_visibility TO off; SELECT count(*) FROM pg_class WHERE relname ~ '_1[0-9]{5}$' AND relkind IN ('r', 'p')",
        in: database.name)
      #expect(shards == placements)
      #expect(
        try worker.sql("SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()", in: database.name) == "0")
    }
  }
}
