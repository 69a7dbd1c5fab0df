import Foundation
import GodwitModel
import TestTexts
import Testing

@testable import GodwitSQLite
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite("Verification of database files")
struct VerificationTests {
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.path + "/godwit-verify-\(UUID().uuidString)"
    var database: String { path + "/godwit.sqlite" }
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  /// A store with 3,000 points.
  private static func fill(_ folder: Folder) throws {
    let store = try SQLiteTrackStore(folder: folder.path)
    let device = try store.makeDevice("walk")
    let done = DispatchSemaphore(value: 0)
    store.submit(
      Submission(device: device, records: try (0..<3000).map { try step($0) }, received: walkStart) { _ in done.signal() })
    done.wait()
    store.close()
  }

  /// Flips a bit in the middle of the last leaf page of a table.
  /// - Returns: the number of the page.
  private static func damage(_ folder: Folder, _ table: String) throws -> Int64 {
    let page = try #require(
      try Database(path: folder.database, access: .readOnly)
        .integer("SELECT max(pageno) FROM dbstat WHERE name = ? AND pagetype = 'leaf'", table))
    try flip(folder, page)
    return page
  }

  private static func flip(_ folder: Folder, _ page: Int64) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.database))
    defer { try? file.close() }
    let offset = UInt64((page - 1) * 4096 + 2048)
    try file.seek(toOffset: offset)
    let byte = try #require(try file.read(upToCount: 1)?.first)
    try file.seek(toOffset: offset)
    try file.write(contentsOf: [byte ^ 8])
  }

  @Test("an intact store passes; a flipped bit is reported with its table", arguments: ["points", "devices"])
  func damaged(_ table: String) throws {
    let folder = Folder()
    try Self.fill(folder)
    let intact = try FileVerification.run(folder.database)
    #expect(intact.isProtected && intact.damage.isEmpty && intact.bytes == intact.pages * 4096 && intact.pages > 50)
    let page = try Self.damage(folder, table)
    let found = try FileVerification.run(folder.database)
    #expect(found.damage == ["page \(page) fails its checksum: it belongs to \(table)"])
  }

  @Test("a snapshot of a damaged store does not replace a good one, and a damaged snapshot is detected")
  func snapshot() throws {
    let folder = Folder()
    try Self.fill(folder)
    let copy = folder.path + "/copy.sqlite"
    _ = try Snapshot.create(of: folder.path, to: copy, replaces: false, at: walkStart)
    #expect(try FileVerification.run(copy).damage.isEmpty)
    let good = FileManager.default.contents(atPath: copy)
    let page = try Self.damage(folder, "points")
    let error = #expect(throws: (any Error).self) {
      try Snapshot.create(of: folder.path, to: copy, replaces: true, at: walkStart)
    }
    #expect("\(try #require(error))".contains("page \(page)"))
    #expect(FileManager.default.contents(atPath: copy) == good)
    #expect(!FileManager.default.fileExists(atPath: copy + ".unfinished"))
  }

  @Test("a store is repaired with a snapshot: readable rows remain, and the others come from the snapshot")
  func repair() throws {
    let folder = Folder()
    try Self.fill(folder)
    let copy = folder.path + "/copy.sqlite"
    _ = try Snapshot.create(of: folder.path, to: copy, replaces: false, at: walkStart)
    // Points and a device that are in the damaged store only.
    do {
      let store = try SQLiteTrackStore(folder: folder.path)
      let (device, done) = (try store.makeDevice("newer"), DispatchSemaphore(value: 0))
      store.submit(
        Submission(device: device, records: try (0..<1000).map { try step($0) }, received: walkStart) { _ in done.signal() })
      done.wait()
      store.close()
    }
    func points() throws -> Set<String> {
      let database = try Database(path: folder.database, access: .readOnly)
      let rows = try database.statement("SELECT device, time, latitude, longitude, altitude FROM points")
      defer { rows.reset() }
      var points: Set<String> = []
      while try rows.step() { points.insert((0..<5).map { rows.text(Int32($0)) }.joined(separator: " ")) }
      return points
    }
    let before = try points()
    // The eleventh page, with points that are in the snapshot.
    let page = try #require(
      try Database(path: folder.database, access: .readOnly).integer(
        "SELECT pageno FROM dbstat WHERE name = 'points' AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 10"))
    try Self.flip(folder, page)
    _ = try Self.damage(folder, "devices")
    #expect(throws: (any Error).self) { try points() }
    // A repair fails while another process uses the store.
    do {
      let other = try Database(path: folder.database)
      _ = try other.integer("PRAGMA user_version")
      #expect(throws: StoreRepair.Problem.self) { try StoreRepair.run(folder.path, from: copy) }
    }
    let summary = try StoreRepair.run(folder.path, from: copy)
    #expect(Set(summary.tables.map(\.table)) == ["points", "devices"] && summary.rows > 3900)
    #expect(try points() == before)
    #expect(try FileVerification.run(folder.database).damage.isEmpty)
    #expect(try !FileVerification.run(summary.damaged).damage.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/repair-unfinished"))
    let store = try SQLiteTrackStore(folder: folder.path)
    defer { store.close() }
    // The only page of the devices was damaged: the device that is newer than the snapshot is lost; its points are not.
    #expect(try store.devices().map(\.device.name) == ["walk"])
    #expect(try store.devices().first?.points == 3000)
    #expect(try store.read { try $0.integer("SELECT count(*) FROM dirty_days") } ?? 0 > 0)
  }

  @Test("the repaired database has the owner, the group and the mode of the damaged one")
  func ownership() throws {
    let folder = Folder()
    try Self.fill(folder)
    let copy = folder.path + "/copy.sqlite"
    _ = try Snapshot.create(of: folder.path, to: copy, replaces: false, at: walkStart)
    _ = try Self.damage(folder, "points")
    #expect(chmod(folder.database, 0o640) == 0)
    let isRoot = geteuid() == 0
    if isRoot { #expect(chown(folder.database, 12_345, 12_346) == 0) }
    let before = try #require(FileOwnership(of: folder.database))
    let summary = try StoreRepair.run(folder.path, from: copy)
    #expect(summary.missingOwnership == nil && FileOwnership(of: folder.database) == before)
    let command = before.command(for: "'my file'")
    #expect(command.hasSuffix(" 'my file' && chmod 640 'my file'"), "\(command)")
    #expect(!isRoot || command.hasPrefix("chown 12345:12346 "), "\(command)")
    // Only root may give a file to root.
    let root = try #require(FileOwnership(of: "/"))
    #expect(root.apply(to: copy) == isRoot)
  }

  @Test(
    "points of unreadable blocks come from the snapshot, whether they are in blocks or in rows there",
    arguments: [0, 900, 1_700])
  func repairBlocks(sealedInSnapshot: Int) throws {
    let folder = Folder()
    try Self.fill(folder)
    /// Stores records, then seals the points of the first `seconds` seconds.
    func change(sealing seconds: Int, storing records: [Record] = []) throws {
      let store = try SQLiteTrackStore(folder: folder.path)
      defer { store.close() }
      let device = try #require(try store.device(named: "walk"))
      let done = DispatchSemaphore(value: 0)
      store.submit(Submission(device: device, records: records, received: walkStart) { _ in done.signal() })
      done.wait()
      _ = try SealingRun(database: store, days: 0, minimum: 1).run(at: walkStart.addingTimeInterval(Double(seconds)))
    }
    try change(sealing: sealedInSnapshot)
    let copy = folder.path + "/copy.sqlite"
    _ = try Snapshot.create(of: folder.path, to: copy, replaces: false, at: walkStart)
    // Random values make the blocks larger than a page.
    var generator = SeededNumbers(1)
    try change(sealing: 60_000, storing: (3_000..<16_000).map { try step($0, extras: "{\"r\":\(generator.next())}") })
    func points() throws -> [String] {
      let store = try SQLiteTrackStore(folder: folder.path)
      defer { store.close() }
      return try store.allPoints(PointQuery(limit: 5_000)).map { "\($0.fix) \($0.record)" }
    }
    let before = try points()
    #expect(before.count == 16_000)
    // A page of a block.
    let page = try #require(
      try Database(path: folder.database, access: .readOnly).integer(
        "SELECT pageno FROM dbstat WHERE name = 'point_blocks' AND pagetype = 'overflow' ORDER BY path LIMIT 1"))
    try Self.flip(folder, page)
    #expect(throws: (any Error).self) { try points() }
    let summary = try StoreRepair.run(folder.path, from: copy)
    #expect(summary.tables.map(\.table) == ["point_blocks"])
    let after = try points()
    // All points of the snapshot and of the readable blocks are in the store.
    let kept = Set(after)
    #expect(before[..<3_000].allSatisfy { kept.contains($0) } && kept.isSubset(of: Set(before)) && kept.count == after.count)
    #expect(after.count >= 11_000)
    let store = try SQLiteTrackStore(folder: folder.path)
    defer { store.close() }
    #expect(try store.devices().first?.points == after.count)
    #expect(try FileVerification.run(folder.database).damage.isEmpty)
  }

  @Test("opening a store without checksums adds them, and leaves a copy that the older version can write")
  func conversion() throws {
    let folder = Folder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let older = Array(ServerSchema.migrations.steps.prefix { $0.name != Migrations.Step.pageChecksums.name })
    #expect(older.count < ServerSchema.migrations.steps.count)
    do {
      let database = try Database(path: folder.database, checksPages: false)
      // The migrations before the one that adds checksums.
      for step in older { try database.execute(step.sql) }
      try database.execute(
        "PRAGMA application_id = \(ServerSchema.applicationID); PRAGMA user_version = \(older.count)")
      try database.run("INSERT INTO devices (name, created) VALUES ('walk', 0)")
    }
    #expect(try !FileVerification.run(folder.database).isProtected)
    #expect(StoreCheckup.run(at: .folder(folder.path), now: Date()).first { $0.subject == "Checksums" }?.outcome == .look)
    let store = try StoreLocation.folder(folder.path).open()
    #expect(try store.devices().map(\.device.name) == ["walk"])
    store.close()
    let converted = try FileVerification.run(folder.database)
    #expect(converted.isProtected && converted.damage.isEmpty)
    #expect(StoreCheckup.run(at: .folder(folder.path), now: Date()).first { $0.subject == "Checksums" }?.outcome == .good)
    let copy = try Database(path: Migrations.copyPath(of: folder.database, before: older.count + 1), checksPages: false)
    #expect(try copy.integer("PRAGMA user_version") == Int64(older.count))
    try copy.execute("UPDATE devices SET name = 'other'")
    #expect(!copy.hasChecksums)
  }
}
