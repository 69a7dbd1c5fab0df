import Foundation
import GodwitModel
import TestParts
import Testing

@testable import GodwitSQLite
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite("Upgrade of the embedded store", .enabled(if: TestGroup.quick.isRun))
struct UpgradeTests {
  /// A data folder with a store of an older version.
  private final class OldStore {
    let folder = FileManager.default.temporaryDirectory.path + "/godwit-upgrade-\(UUID().uuidString)"
    var database: String { folder + "/godwit.sqlite" }

    /// - Parameter version: the number of steps, from 1.
    init(_ version: Int) throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let steps = ServerSchema.migrations.steps.prefix(version)
      let store = try Database(path: database, checksPages: steps.contains { $0.name == Migrations.Step.pageChecksums.name })
      for step in steps { try store.execute(step.sql) }
      try store.execute(
        """
        PRAGMA application_id = \(ServerSchema.applicationID);
        PRAGMA user_version = \(version);
        INSERT INTO devices (id, name, created) VALUES (1, 'walk', 0), (2, 'ride', 0);
        INSERT INTO users (name, folded, role, password, created, changed) VALUES ('Ann', 'ann', 'admin', 'x', 0, 0);
        INSERT INTO regions (revision, id, created_revision, changed, tags, former_tags, json) VALUES
          (1, 'home', 1, 0, '', '', x'7B7D'), (2, 'deleted', 2, 0, '', '', NULL);
        """)
      try store.transaction {
        for time in 0..<2000 {
          try store.run(
            "INSERT INTO points (device, time, latitude, longitude, delay) VALUES (1, ?, 470000000, 100000000, 0)", time)
        }
      }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The contents of the files of the folder, without the `-shm` file and an empty write-ahead log.
    var files: [String: Data] {
      get throws {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where !name.hasSuffix("-shm") {
          files[name] = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
        }
        return files.filter { $0.key != "godwit.sqlite-wal" || !$0.value.isEmpty }
      }
    }
  }

  private static let newest = ServerSchema.migrations.steps.count

  @Test("an upgrade from each older schema is rehearsed without changing files, then performed", arguments: 1..<newest)
  func each(_ version: Int) throws {
    let old = try OldStore(version)
    let before = try old.files
    let plan = try UpgradePlan(folder: old.folder)
    #expect(plan.version == version && plan.newest == Self.newest && plan.size > 100_000)
    var phases: [UpgradeRehearsal.Phase] = []
    let found = try UpgradeRehearsal(of: plan).run { phases.append($0) }
    #expect(found.counts.description == "2 devices, 2,000 points, 1 user, 1 region")
    #expect(found.steps.map(\.name) == plan.steps)
    #expect(phases == [.checking, .copying] + plan.steps.map { .step($0) } + [.verifying])
    #expect(try old.files == before)
    let done = try StoreUpgrade(of: plan, requiresCopy: true).run(at: walkStart)
    #expect(done.steps == plan.steps && done.hasChecksums)
    let copy = try #require(done.copy)
    #expect(copy == Migrations.copyPath(of: old.database, before: version + 1))
    #expect(try Database(path: copy, access: .readOnly).integer("PRAGMA user_version") == Int64(version))
    #expect(try FileVerification.run(old.database).damage.isEmpty)
    let now = try UpgradePlan(folder: old.folder)
    #expect(now.steps.isEmpty && now.version == Self.newest)
    let store = try SQLiteTrackStore(folder: old.folder)
    defer { store.close() }
    #expect(try store.devices().map(\.device.name).sorted() == ["ride", "walk"])
  }

  @Test("the last step of an upgrade from a schema without checksums adds the checksums")
  func plan() throws {
    let checksums = try #require(ServerSchema.migrations.steps.firstIndex { $0.name == Migrations.Step.pageChecksums.name })
    let old = try OldStore(checksums)
    let plan = try UpgradePlan(folder: old.folder)
    #expect(plan.steps.last == Migrations.Step.pageChecksums.name && plan.steps.count == Self.newest - checksums)
    #expect(!plan.hasChecksums && plan.neededSpace == plan.size * 3)
  }

  @Test(
    "an upgrade is rehearsed while a server writes to the store, and performed only after the server stopped")
  func running() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/godwit-upgrade-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // The store is open with the schema of the previous version.
    let steps = Array(ServerSchema.migrations.steps.dropLast())
    var parts = StoreParts.server()
    parts.migrations = Migrations(steps, applicationID: ServerSchema.applicationID, conversion: { $0 })
    let store = try SQLiteTrackStore(folder: folder, parts: parts)
    let device = try store.makeDevice()
    _ = try await store.store(try (0..<900).map { try step($0) }, of: device)
    _ = try SealingRun(database: store, days: 0, minimum: 1).run(at: walkStart.addingTimeInterval(600))
    #expect(try store.read { try $0.integer("SELECT sum(count) FROM point_blocks") } ?? 0 > 100)
    let plan = try UpgradePlan(folder: folder)
    #expect(try UpgradeRehearsal(of: plan).run().counts.points == 900)
    _ = try await store.store([step(1000)], of: device)
    let error = #expect(throws: UpgradeProblem.self) { try StoreUpgrade(of: plan, requiresCopy: true).run(at: walkStart) }
    #expect(error?.description.contains("is in use. Stop the server") == true)
    _ = try await store.store([step(1001)], of: device)
    store.close()
    #expect(try StoreUpgrade(of: plan, requiresCopy: true).run(at: walkStart).copy != nil)
    let upgraded = try SQLiteTrackStore(folder: folder)
    defer { upgraded.close() }
    #expect(try upgraded.devices().first?.points == 902)
  }

  @Test("an interrupted upgrade continues, and keeps the copy that the older version opens")
  func interrupted() throws {
    let old = try OldStore(5)
    let steps = ServerSchema.migrations.steps
    let failing = Migrations(
      steps.prefix(8) + [Migrations.Step(steps[8].name, steps[8].sql + "; SELECT * FROM nowhere")] + steps.dropFirst(9),
      applicationID: ServerSchema.applicationID, conversion: { $0 })
    let plan = try UpgradePlan(folder: old.folder)
    #expect(throws: SQLiteError.self) {
      try StoreUpgrade(of: plan, requiresCopy: true, migrations: failing).run(at: walkStart)
    }
    #expect(try UpgradePlan(folder: old.folder).version == 8)
    // The next start fails as well; then the command completes the upgrade.
    var parts = StoreParts.server()
    parts.migrations = failing
    #expect(throws: SQLiteError.self) { try SQLiteTrackStore(folder: old.folder, parts: parts) }
    let done = try StoreUpgrade(of: UpgradePlan(folder: old.folder), requiresCopy: true).run(at: walkStart)
    let copy = Migrations.copyPath(of: old.database, before: 6)
    #expect(
      done.copy == copy
        && done.steps == Array(steps.dropFirst(8).map(\.name).filter { $0 != "checksums of pages" }) + ["checksums of pages"])
    #expect(try old.files.keys.filter { $0.hasPrefix("before-schema-") } == ["before-schema-6.sqlite"])
    #expect(try Database(path: copy, access: .readOnly).integer("PRAGMA user_version") == 5)
    #expect(try old.files["migration-unfinished"] == nil)
    // The older version rejects the database, and its error names the copy.
    let olderParts = Migrations(Array(steps.prefix(5)), applicationID: ServerSchema.applicationID, conversion: { $0 })
    let error = #expect(throws: MigrationError.self) { try UpgradePlan(folder: old.folder, migrations: olderParts) }
    #expect(error?.copy == copy)
  }

  @Test("after an interrupted upgrade a restored store is copied again, because it can contain new records")
  func restored() throws {
    let old = try OldStore(5)
    try Data("5\n".utf8).write(to: URL(fileURLWithPath: old.folder + "/migration-unfinished"))
    try Data().write(to: URL(fileURLWithPath: old.folder + "/before-schema-6.sqlite"))
    let done = try StoreUpgrade(of: UpgradePlan(folder: old.folder), requiresCopy: true).run(at: walkStart)
    #expect(try Database(path: #require(done.copy), access: .readOnly).integer("SELECT count(*) FROM points") == 2000)
  }

  @Test("the rehearsal reports damage with its table, and leaves no file")
  func damaged() throws {
    let old = try OldStore(Self.newest - 1)
    let page = try #require(
      try Database(path: old.database, access: .readOnly).integer(
        "SELECT max(pageno) FROM dbstat WHERE name = 'points' AND pagetype = 'leaf'"))
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: old.database))
    try file.seek(toOffset: UInt64((page - 1) * 4096 + 3000))
    try file.write(contentsOf: [0x5A, 0xA5])
    try file.close()
    let before = try old.files
    let error = #expect(throws: UpgradeProblem.self) { try UpgradeRehearsal(of: UpgradePlan(folder: old.folder)).run() }
    #expect(error?.description.contains("page \(page) fails its checksum: it belongs to points") == true)
    #expect(try old.files == before)
  }

  @Test(
    "a migration that fails or changes row counts is reported by the rehearsal",
    arguments: ["SELECT * FROM nowhere", "DELETE FROM points WHERE time = 5"])
  func failing(_ sql: String) throws {
    let old = try OldStore(Self.newest)
    let migrations = Migrations(
      ServerSchema.migrations.steps + [Migrations.Step("a fault", sql)], applicationID: ServerSchema.applicationID,
      conversion: { $0 })
    let before = try old.files
    let plan = try UpgradePlan(folder: old.folder, migrations: migrations)
    let error = #expect(throws: UpgradeProblem.self) { try UpgradeRehearsal(of: plan, migrations: migrations).run() }
    let expected =
      sql.hasPrefix("DELETE") ? "and the upgraded copy has 2 devices, 1,999 points" : "would fail at the step \"a fault\""
    #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
    #expect(try old.files == before)
  }

  @Test("without enough disk space no file is copied, and the upgrade is rejected unless no copy is required")
  func space() throws {
    let old = try OldStore(Self.newest - 1)
    let plan = try UpgradePlan(folder: old.folder)
    #expect(plan.neededSpace == plan.size * 2)
    let before = try old.files
    var phases = 0
    let tooLittle = #expect(throws: UpgradeProblem.self) {
      try UpgradeRehearsal(of: plan, migrations: ServerSchema.migrations, free: { _ in plan.neededSpace - 1 }).run { _ in
        phases += 1
      }
    }
    #expect(tooLittle?.description.contains("needs \(plan.neededSpace.megabytes) in \(old.folder)") == true && phases == 0)
    let none = #expect(throws: UpgradeProblem.self) { try UpgradeRehearsal(of: plan, scratch: old.folder + "/nowhere").run() }
    #expect(none?.description.contains("--scratch") == true)
    let scratch = old.folder + "-scratch"
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    #expect(try UpgradeRehearsal(of: plan, scratch: scratch).run().counts.points == 2000)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch).isEmpty)
    #expect(try old.files == before)
    func upgrade(_ requiresCopy: Bool) throws -> StoreUpgrade.Summary {
      try StoreUpgrade(of: plan, requiresCopy: requiresCopy, migrations: ServerSchema.migrations, free: { _ in 0 }).run(
        at: walkStart)
    }
    #expect(throws: UpgradeProblem.self) { try upgrade(true) }
    #expect(try UpgradePlan(folder: old.folder).version == Self.newest - 1)
    #expect(try upgrade(false).copy == nil)
    #expect(try UpgradePlan(folder: old.folder).steps.isEmpty)
  }

  @Test("the copy of a killed rehearsal is removed, and the copy of a running one is not")
  func twice() throws {
    let old = try OldStore(Self.newest - 1)
    let rehearsal = UpgradeRehearsal(of: try UpgradePlan(folder: old.folder))
    try FileManager.default.createDirectory(atPath: rehearsal.work, withIntermediateDirectories: false)
    try Data("x".utf8).write(to: URL(fileURLWithPath: rehearsal.work + "/godwit.sqlite"))
    let other = open(rehearsal.work, O_RDONLY)
    try #require(other >= 0 && flock(other, LOCK_EX | LOCK_NB) == 0)
    let error = #expect(throws: UpgradeProblem.self) { try rehearsal.run() }
    #expect(error?.description.contains("Another rehearsal runs") == true)
    #expect(FileManager.default.fileExists(atPath: rehearsal.work + "/godwit.sqlite"))
    close(other)
    #expect(try rehearsal.run().counts.points == 2000)
    #expect(!FileManager.default.fileExists(atPath: rehearsal.work))
  }

  @Test("a folder without a database is not a store")
  func missing() throws {
    let error = #expect(throws: UpgradeProblem.self) { try UpgradePlan(folder: "/nowhere") }
    #expect(error?.description.contains("--data") == true)
  }
}
