import Foundation
import GodwitModel
import GodwitPostgres
import TestCluster
import TestParts
import Testing

@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite(
  "Hashes of the rows of points on PostgreSQL", .enabled(if: TestPart.postgres.isRun, "\(TestPart.postgres.reason)"),
  .timeLimit(.minutes(20)))
struct PointHashTests {
  /// A store on a cluster without page checksums.
  private final class Scene {
    let database: TestDatabase
    let address: PostgresAddress
    let store: PostgresTrackStore

    init(in cluster: TestCluster? = nil) throws {
      database = try TestDatabase(in: cluster)
      address = try PostgresAddress(database.address)
      store = try PostgresTrackStore(address)
    }

    deinit { store.close() }

    func damaged() throws -> [DamagedDay] { try store.read { try PointHashes.damaged($0) } }

    /// The number of entries, their sum of points and the XOR of their hashes.
    func entries() throws -> String {
      try database.sql("SELECT count(*), coalesce(sum(points), 0), coalesce(bit_xor(hash), 0) FROM point_hashes")
    }

    /// The values of ``entries()``, computed from the rows.
    func expectedEntries() throws -> String {
      let names = PostgresCopy.columns
      return try database.sql(
        """
        SELECT count(DISTINCT (device, floor(time / 86400000.0))), count(*),
          coalesce(bit_xor(hash_record_extended(ROW(\(names)), 0)), 0) FROM points
        """)
    }
  }

  /// The day of the first steps of a walk.
  private static let day = DayLength.number(of: walkStart.millisecondsSince1970)

  @Test("every statement that changes rows updates the hashes of their days, and an empty day has none")
  func statements() async throws {
    let scene = try Scene()
    let (walk, other) = (try scene.store.makeDevice("walk"), try scene.store.makeDevice("other"))
    #expect(try scene.entries() == "0|0|0")
    func check(_ what: String) throws {
      #expect(try scene.damaged().isEmpty && scene.entries() == scene.expectedEntries(), "\(what)")
    }
    _ = try await scene.store.store(try (0..<300).map { try step($0 * 600, extras: #"{"a":\#($0)}"#) }, of: walk)
    _ = try await scene.store.store(try (0..<20).map { try step($0) }, of: other)
    try check("new points")
    #expect(try scene.entries().hasPrefix("4|320|"))
    // A submission with duplicates uses another statement than a submission of new points only.
    _ = try await scene.store.store(try (0..<30).map { try step($0 * 300) }, of: walk)
    try check("duplicates and late points")
    // Times before 1970 and in the far future are in the default partition.
    _ = try scene.database.sql(
      """
      INSERT INTO points (time, received, device, latitude, longitude) VALUES (-1, 0, \(walk.id), 1, 1), (0, 0, \(walk.id), 1, 1),
        (9223372036854775807, 0, \(walk.id), 1, 1), (-9223372036854775808, 0, \(walk.id), 1, 1)
      """)
    try check("unusual times")
    #expect(
      try scene.database.sql("SELECT day, points FROM point_hashes WHERE day < 1000 ORDER BY day") == "-106751991168|1\n-1|1\n0|1"
    )
    _ = try scene.database.sql("UPDATE points SET speed = 5, extras = NULL WHERE device = \(walk.id) AND latitude % 2 = 0")
    try check("changed rows")
    _ = try scene.database.sql("UPDATE points SET time = time + 86400000 WHERE device = \(walk.id) AND time > 0 AND time < 9e15")
    try check("rows that move to another day")
    _ = try scene.database.sql(
      "DELETE FROM points WHERE device = \(walk.id) AND time < \(walkStart.millisecondsSince1970 + 90_000_000)")
    try check("deleted rows")
    _ = try scene.database.sql(
      "BEGIN; DELETE FROM points; INSERT INTO points (time, received, device, latitude, longitude) VALUES (1, 1, 1, 1, 1); ROLLBACK"
    )
    try check("a transaction that was rolled back")
    _ = try scene.database.sql("DELETE FROM points WHERE device = \(walk.id)")
    try check("a device")
    #expect(try scene.entries().hasPrefix("1|20|"))
    _ = try scene.database.sql("TRUNCATE points")
    #expect(try scene.entries() == "0|0|0" && scene.damaged().isEmpty)
  }

  @Test("sealing, opening blocks and new partitions update rows and hashes alike")
  func sealing() async throws {
    let scene = try Scene()
    let device = try scene.store.makeDevice("walk")
    _ = try await scene.store.store(try (0..<2_000).map { try step($0 * 120) }, of: device)
    #expect(try scene.database.sql("SELECT count(*) FROM points_default") == "0")
    let now = walkStart.addingTimeInterval(86_400 * 30)
    let sealed = try SealingRun(database: scene.store, days: 28, minimum: 1).run(at: now)
    #expect(sealed.sealed > 1_000 && sealed.problems.isEmpty)
    #expect(try scene.damaged().isEmpty && scene.entries() == scene.expectedEntries())
    try await scene.store.write { [id = device.id] in try PointSealer(ofDevice: id, $0).open(.min..<Int64.max) }
    #expect(try scene.damaged().isEmpty && scene.entries().contains("|2000|"))
    // Rows of a month without a partition move when the partition is created.
    let early = RFC3339.daysSince1970(year: 2010, month: 5, day: 3)
    _ = try scene.database.sql(
      """
      INSERT INTO points (time, received, device, latitude, longitude)
      SELECT \(early) * 86400000::bigint + n, 0, \(device.id), n, n FROM generate_series(1, 10) AS n
      """)
    #expect(try scene.database.sql("SELECT count(*) FROM points_default") == "10")
    let session = try PostgresSession(scene.address)
    try session.transaction { try PostgresPartitions.attach(PostgresPartitions.Month(year: 2010, month: 5), session) }
    #expect(try scene.database.sql("SELECT count(*) FROM points_default") == "0")
    #expect(try scene.damaged().isEmpty && scene.entries() == scene.expectedEntries())
  }

  /// Changes of rows that bypass the triggers, and the resulting number of rows.
  static let changes: [(sql: String, rows: Int64)] = [
    ("UPDATE points SET latitude = latitude # 64 WHERE time = \(walkStart.millisecondsSince1970 + 5_000)", 40),
    ("UPDATE points SET received = received # 1 WHERE time = \(walkStart.millisecondsSince1970 + 5_000)", 40),
    ("UPDATE points SET extras = 'b' WHERE time = \(walkStart.millisecondsSince1970 + 5_000)", 40),
    ("UPDATE points SET speed = CASE WHEN speed IS NULL THEN 0 END WHERE time = \(walkStart.millisecondsSince1970 + 5_000)", 40),
    ("DELETE FROM points WHERE time = \(walkStart.millisecondsSince1970 + 5_000)", 39),
    ("DELETE FROM points", 0),
    (
      "INSERT INTO points (time, received, device, latitude, longitude) SELECT time, received, device, 1, 1 FROM points LIMIT 1",
      41
    ),
  ]

  @Test("a row that is altered, lost or added without the triggers is detected, and its day is reported", arguments: changes)
  func damage(_ change: (sql: String, rows: Int64)) async throws {
    let scene = try Scene()
    let device = try scene.store.makeDevice("walk")
    _ = try await scene.store.store(try (0..<40).map { try step($0, extras: #"{"n":1}"#) }, of: device)
    _ = try scene.database.sql("SET session_replication_role = replica; \(change.sql)")
    let day = DamagedDay(device: device.id, name: "walk", number: Self.day, rows: change.rows, storedRows: 40)
    #expect(try scene.damaged() == [day])
    #expect("\(day)".contains(#"device "walk", \#(day.day) (UTC)"#))
    // The damage is reported by the health, the metrics, the verification and the checkup.
    #expect(try PointHashes.run(scene.store) == [day] && scene.store.health.damagedDaysByDevice == [device.id: [day.day]])
    #expect(scene.store.health.metrics.contains("\ngodwit_store_damaged_days 1\n"))
    #expect(try PostgresVerification.run(scene.address).damage == ["\(day)"])
    let checks = StoreCheckup.run(at: .postgres(scene.address), now: Date())
    #expect(checks.contains { $0.subject == "Points" && $0.outcome == .bad && $0.text == "\(day)" })
    // Later statements do not hide the damage, and the day is not sealed.
    _ = try await scene.store.store([try step(100)], of: device)
    #expect(try scene.damaged().map(\.storedRows) == [41])
    let now = walkStart.addingTimeInterval(86_400 * 30)
    let sealed = try SealingRun(database: scene.store, days: 1, minimum: 1).run(at: now)
    #expect(sealed.sealed == 0 && sealed.problems[device.id] is DamagedDay)
    // `acceptRows` recomputes the hashes from the rows.
    #expect(try PointRepair(scene.address).acceptRows().map(\.number) == [Self.day])
    #expect(try scene.damaged().isEmpty && PointHashes.run(scene.store).isEmpty && scene.store.health.damagedDays.isEmpty)
    #expect(try SealingRun(database: scene.store, days: 1, minimum: 1).run(at: now).problems.isEmpty)
    #expect(try scene.entries() == "0|0|0")
  }

  @Test("days around a damaged one are sealed, and the damaged one remains in rows")
  func sealingAround() async throws {
    let scene = try Scene()
    let device = try scene.store.makeDevice("walk")
    _ = try await scene.store.store(try (0..<500).map { try step($0 * 1_000) }, of: device)
    let second = DayLength.milliseconds * (Self.day + 2)
    _ = try scene.database.sql(
      "SET session_replication_role = replica; UPDATE points SET speed = 7 WHERE time IN (SELECT min(time) FROM points WHERE time >= \(second))"
    )
    let result = try SealingRun(database: scene.store, days: 1, minimum: 1).run(at: walkStart.addingTimeInterval(86_400 * 30))
    #expect((result.problems[device.id] as? DamagedDay)?.number == Self.day + 2)
    #expect(
      try scene.database.sql("SELECT count(DISTINCT time / 86400000), min(time / 86400000) FROM points") == "1|\(Self.day + 2)")
    #expect(try result.sealed + scene.damaged().reduce(0) { $0 + Int($1.rows) } == 500)
  }

  /// The flipped bits of a row in the file: a column and a bit mask.
  static let bits: [(column: String, bit: Int64)] = [
    ("latitude", 1 << 2), ("received", 1 << 40), ("time", 1 << 28), ("time", 1 << 40), ("device", 1 << 5),
  ]

  @Test("a flipped bit in the file is detected, even if it moves the row to another day or device", arguments: bits)
  func flippedBit(_ flip: (column: String, bit: Int64)) async throws {
    let cluster = try TestCluster(hasChecksums: false)
    let scene = try Scene(in: cluster)
    let device = try scene.store.makeDevice("walk")
    _ = try await scene.store.store(try (0..<50).map { try step($0) }, of: device)
    scene.store.close()
    let first = try scene.database.sql("SELECT time, received, device, latitude, longitude FROM points ORDER BY time LIMIT 1")
    let numbers = first.split(separator: "|").compactMap { Int64($0) }
    let (time, received, owner, latitude) = (numbers[0], numbers[1], numbers[2], numbers[3])
    let path = try scene.database.sql("CHECKPOINT; SELECT pg_relation_filepath(tableoid) FROM points LIMIT 1")
    try cluster.kill()
    let file = cluster.folder.appendingPathComponent("data/\(path)")
    var bytes = [UInt8](try Data(contentsOf: file))
    // A row begins with time, received, device and latitude if it has no sequence.
    func little(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) } }
    let wanted = little(time) + little(received) + little(Int32(owner)) + little(Int32(latitude))
    let row = try #require((0...8192 - wanted.count).last { Array(bytes[$0..<$0 + wanted.count]) == wanted })
    let offset = ["time": 0, "received": 8, "device": 16, "latitude": 20][flip.column] ?? 0
    bytes[row + offset + flip.bit.trailingZeroBitCount / 8] ^= UInt8(1 << (flip.bit.trailingZeroBitCount % 8))
    try Data(bytes).write(to: file)
    try cluster.start()
    let found = try PostgresVerification.run(scene.address)
    let isMoved = ["time", "device"].contains(flip.column)
    #expect(found.coverage == .hashes && found.damage.count == (isMoved ? 2 : 1), "\(found.damage)")
    let reason = isMoved ? "there are 49 rows, and 50 were stored" : "the content of its 50 rows was changed"
    #expect(found.damage.contains { $0.contains("\"walk\", 2026-11-20 (UTC), are damaged: \(reason)") }, "\(found.damage)")
    // Accepted rows are in the index, with their current keys.
    _ = try PointRepair(scene.address).acceptRows()
    #expect(try PostgresVerification.run(scene.address).damage.isEmpty)
    let keys = "SELECT count(*), bit_xor(time), bit_xor(device) FROM points WHERE device >= 0 AND time > 0"
    let indexed = try scene.database.sql("SET enable_seqscan = off; \(keys)")
    #expect(
      try indexed
        == scene.database.sql("SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off; \(keys)"))
  }

  @Test("a backup restores altered, lost and moved rows, and keeps later points and deletions")
  func repair() async throws {
    let scene = try Scene()
    let (walk, other) = (try scene.store.makeDevice("walk"), try scene.store.makeDevice("other"))
    let context = DeviceContext(batteryLevel: 0.5, wifi: "home")
    _ = try await scene.store.store(
      try (0..<300).map { try step($0 * 600, journal: 7, context: context, extras: #"{"n":1}"#) }, of: walk)
    _ = try await scene.store.store(try (0..<20).map { try step($0) }, of: other)
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-\(UUID().uuidString).tar.zst").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = try Backup(of: scene.store, folder: nil).write(to: path, at: walkStart)
    _ = try await scene.store.store(try (0..<30).map { try step($0 * 600 + 1) }, of: walk)
    _ = try scene.database.sql(
      "DELETE FROM points WHERE device = \(walk.id) AND time < \(walkStart.millisecondsSince1970 + 3_000_000)")
    let content = "SELECT count(*), bit_xor(hash_record_extended(ROW(\(PostgresCopy.columns)), 0)) FROM points"
    let before = try scene.database.sql(content)
    func time(_ second: Int) -> Int64 { walkStart.millisecondsSince1970 + Int64(second) * 1_000 }
    _ = try scene.database.sql(
      """
      SET session_replication_role = replica;
      UPDATE points SET latitude = latitude # 4096 WHERE device = \(walk.id) AND time = \(time(9_000));
      UPDATE points SET time = time + 86400000 WHERE device = \(walk.id) AND time = \(time(60_000));
      DELETE FROM points WHERE device = \(other.id) AND time > \(time(5));
      UPDATE points SET extras = 'x' WHERE device = \(walk.id) AND time = \(time(179_400))
      """)
    let days = try scene.damaged()
    #expect(days.count == 4)
    let summary = try PointRepair(scene.address).run(from: path)
    #expect(Set(summary.repaired) == Set(days) && summary.unrepaired.isEmpty)
    #expect(try scene.damaged().isEmpty && scene.database.sql(content) == before)
    // A row that is not in the backup cannot be restored, and its day is not changed.
    let late = "device = \(walk.id) AND time = \(time(12_001))"
    _ = try scene.database.sql("SET session_replication_role = replica; UPDATE points SET speed = 77 WHERE \(late)")
    let changed = try scene.database.sql(content)
    let second = try PointRepair(scene.address).run(from: path)
    #expect(second.repaired.isEmpty && second.unrepaired.map(\.number) == [Self.day])
    #expect(try scene.database.sql(content) == changed && scene.damaged() == second.unrepaired)
    #expect(throws: (any Error).self) { try PointRepair(scene.address).run(from: path + "-missing") }
  }

  @Test("the first start of this version computes the hashes of existing rows, and a new column causes another computation")
  func filling() async throws {
    let scene = try Scene()
    let device = try scene.store.makeDevice("walk")
    _ = try await scene.store.store(try (0..<40).map { try step($0 * 6_000) }, of: device)
    let expected = try scene.expectedEntries()
    func reopen() throws { try PostgresTrackStore(scene.address).close() }
    // The state of a version without hashes.
    _ = try scene.database.sql("DROP FUNCTION update_point_hashes CASCADE; DELETE FROM point_hashes")
    let session = try PostgresSession(scene.address)
    #expect(try PointHashes.coverage(session) == .none(reason: "the server adds hashes of the points when it starts"))
    #expect(try scene.damaged().isEmpty)
    try reopen()
    #expect(try scene.entries() == expected && PointHashes.coverage(session) == .hashes)
    // A later migration changes the table.
    _ = try scene.database.sql("ALTER TABLE points ADD COLUMN heading SMALLINT")
    #expect(try PointHashes.coverage(session) != .hashes && scene.damaged().isEmpty)
    try reopen()
    #expect(try scene.entries() != expected && scene.damaged().isEmpty && PointHashes.coverage(session) == .hashes)
    _ = try scene.database.sql("UPDATE points SET heading = 4")
    #expect(try scene.damaged().isEmpty)
    _ = try scene.database.sql("ALTER TABLE points DROP COLUMN heading")
    try reopen()
    #expect(try scene.entries() == expected && scene.damaged().isEmpty)
    // Disabled triggers have missed changes.
    _ = try scene.database.sql("ALTER TABLE points DISABLE TRIGGER point_hashes_update; UPDATE points SET speed = 9")
    #expect(try scene.damaged().isEmpty)
    try reopen()
    #expect(try scene.entries() == scene.expectedEntries() && scene.damaged().isEmpty)
  }

  @Test("a cluster with checksums has no hashes, even if the checksums are added later")
  func checksums() async throws {
    let cluster = try TestCluster(hasChecksums: false)
    let scene = try Scene(in: cluster)
    let device = try scene.store.makeDevice("walk")
    _ = try await scene.store.store([try step(1)], of: device)
    scene.store.close()
    let checks = StoreCheckup.run(at: .postgres(scene.address), now: Date())
    let found = try #require(checks.first { $0.subject == "Checksums" })
    #expect(
      found.outcome == .look && found.text.contains("Points are covered by hashes") && found.text.contains("other tables are not")
    )
    #expect(try scene.database.sql("SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'point_hashes%'") == "4")
    try cluster.addChecksums()
    let session = try PostgresSession(scene.address)
    #expect(try PointHashes.coverage(session) == .pages)
    // The triggers are removed when the server starts.
    let another = try PostgresTrackStore(scene.address)
    defer { another.close() }
    #expect(try scene.database.sql("SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'point_hashes%'") == "0")
    #expect(try scene.database.sql("SELECT count(*) FROM point_hashes") == "0")
    _ = try await another.store([try step(2)], of: device)
    #expect(try scene.database.sql("SELECT count(*) FROM point_hashes") == "0")
  }

  @Test("concurrent servers lose no change of a hash")
  func concurrent() async throws {
    let scene = try Scene()
    let devices = try (0..<4).map { try scene.store.makeDevice("walk \($0)") }
    let other = try PostgresTrackStore(scene.address)
    defer { other.close() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, store) in [scene.store, other].enumerated() {
        for device in devices {
          group.addTask {
            for round in 0..<10 {
              _ = try await store.store(try (0..<10).map { try step(round * 20 + $0 * 2 + index) }, of: device)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try scene.damaged().isEmpty && scene.entries() == scene.expectedEntries() && scene.entries().hasPrefix("4|800|"))
  }
}
