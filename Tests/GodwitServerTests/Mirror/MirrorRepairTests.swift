import Foundation
import GodwitHTTPClient
import GodwitModel
import TestClient
import TestParts
import Testing

@testable import GodwitSQLite
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite("Repair with a mirror", .enabled(if: TestGroup.quick.isRun), .timeLimit(.minutes(20)))
struct MirrorRepairTests {
  /// Flips a bit in the middle of each page.
  private static func flip(_ pages: [Int64], of path: String) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    defer { try? file.close() }
    for page in pages {
      let offset = UInt64((page - 1) * 4096 + 2048)
      try file.seek(toOffset: offset)
      let byte = try #require(try file.read(upToCount: 1)?.first)
      try file.seek(toOffset: offset)
      try file.write(contentsOf: [byte ^ 8])
    }
  }

  private static func pages(of table: String, every step: Int, in path: String) throws -> [Int64] {
    let database = try Database(path: path, access: .readOnly)
    let rows = try database.statement("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path")
    defer { rows.reset() }
    try rows.bind([table])
    var pages: [Int64] = []
    while try rows.step() { pages.append(rows.integer(0)) }
    return stride(from: min(step, pages.count) - 1, to: pages.count, by: step).map { pages[$0] }
  }

  @Test(
    "a response of a mirror that does not advance is an error, and one that ends beyond the range is complete",
    arguments: [("1000", false), ("999", false), ("2000", true), ("9223372036854775807", true)])
  func noAdvance(_ next: String, _ isComplete: Bool) async throws {
    let options = try #require(MirrorOptions(url: "https://copy.example.org/", token: "gw_token"))
    let network = HTTPClient { _ in
      HTTPClient.Response(status: 200, headers: ["godwit-next": next], body: Array(#"{"locations":[]}"#.utf8))
    }
    let page = try? await MirrorClient(options, network: network).records(of: "phone", 1_000..<2_000)
    #expect(isComplete == (page != nil) && page?.next == nil)
  }

  @Test("points, events and devices of damaged pages are restored; data that is only in the damaged store remains")
  func repair() async throws {
    try await MirrorHarness.with(.sqlite) { harness in
      guard case .folder(let folder) = try harness.place.location() else {
        Issue.record("SQLite has a folder")
        return
      }
      for (number, name) in ["phone", "watch"].enumerated() {
        let device = try harness.store.makeDevice(name)
        var records = try (0..<4_000).map { try MirrorHarness.fix($0, journal: UInt64(number + 1)) }
        for visit in 0..<200 { records.append(try MirrorHarness.visit(visit * 10)) }
        _ = try await harness.store.store(records, of: device, at: harness.clock.now)
      }
      try await harness.settle()
      // Records that are not copied to the mirror yet.
      harness.network.isDown = true
      let phone = try #require(try harness.store.device(named: "phone"))
      let new = try (10_000..<10_020).map { try MirrorHarness.fix($0, journal: 1) }
      _ = try await harness.store.store(new, of: phone, at: harness.clock.now)
      _ = try await harness.sender.step()
      let before = try ["phone", "watch"].map { Set(try MirrorHarness.records(of: $0, in: harness.store)) }
      harness.store.close()
      harness.place.store.close()
      let path = folder + "/godwit.sqlite"
      let damaged = try Self.pages(of: "points", every: 9, in: path)
      #expect(damaged.count > 3)
      let others = try Self.pages(of: "events", every: 5, in: path) + Self.pages(of: "devices", every: 1, in: path)
      try Self.flip(damaged + others, of: path)
      #expect(try !FileVerification.run(path).damage.isEmpty)
      // While the mirror is unreachable, the store is not changed.
      let mirror = MirrorClient(harness.options, network: harness.network.client)
      let bytes = FileManager.default.contents(atPath: path)
      await #expect(throws: (any Error).self) { try await StoreRepair.run(folder, fromMirror: mirror) }
      #expect(FileManager.default.contents(atPath: path) == bytes)
      harness.network.isDown = false
      let requests = harness.network.requests
      let summary = try await StoreRepair.run(folder, fromMirror: mirror)
      #expect(summary.restored ?? 0 > 100 && summary.rows > 5_000, "\(summary)")
      #expect(harness.network.requests - requests < 30)
      #expect(Set(summary.tables.map(\.table)) == ["points", "events", "devices"])
      #expect(summary.losses.contains { $0.hasPrefix("devices: not repaired") })
      #expect(try FileVerification.run(path).damage.isEmpty)
      let repaired = try SQLiteTrackStore(folder: folder)
      defer { repaired.close() }
      #expect(try ["phone", "watch"].map { Set(try MirrorHarness.records(of: $0, in: repaired)) } == before)
      // The counts of points are correct.
      #expect(try repaired.devices().map(\.points) == [4_020, 4_000])
    }
  }

  @Test("a block that fails only its own checksum is restored from the mirror or from a snapshot", arguments: [true, false])
  func block(_ usesMirror: Bool) async throws {
    try await MirrorHarness.with(.sqlite) { harness in
      guard case .folder(let folder) = try harness.place.location() else {
        Issue.record("SQLite has a folder")
        return
      }
      let phone = try harness.store.makeDevice("phone")
      let records = try (0..<3_000).map { try MirrorHarness.fix($0, journal: 1) }
      _ = try await harness.store.store(records, of: phone, at: harness.clock.now)
      _ = try SealingRun(database: harness.store, days: 0, minimum: 1).run(at: harness.clock.now.addingTimeInterval(86_400 * 30))
      try await harness.settle()
      let before = Set(try MirrorHarness.records(of: "phone", in: harness.store))
      let snapshot = folder + "/snapshot.sqlite"
      _ = try Snapshot.create(of: folder, to: snapshot, replaces: false, at: walkStart)
      // The page checksums match the damaged content.
      let changed = try await harness.store.write { db in
        let content = try db.first("SELECT content FROM point_blocks LIMIT 1") { try $0.blob("content") }
        var bytes = content ?? []
        bytes[bytes.count / 2] ^= 4
        return try db.run("UPDATE point_blocks SET content = ? WHERE first = (SELECT min(first) FROM point_blocks)", bytes)
      }
      #expect(changed == 1)
      harness.store.close()
      harness.place.store.close()
      let path = folder + "/godwit.sqlite"
      #expect(try FileVerification.run(path).damage.count == 1)
      let mirror = MirrorClient(harness.options, network: harness.network.client)
      let summary =
        usesMirror
        ? try await StoreRepair.run(folder, fromMirror: mirror) : try StoreRepair.run(folder, from: snapshot)
      #expect(
        summary.tables.map(\.table) == ["point_blocks"] && summary.losses[0].contains("fails its own checksum"), "\(summary)")
      #expect(try FileVerification.run(path).damage.isEmpty)
      let repaired = try SQLiteTrackStore(folder: folder)
      defer { repaired.close() }
      #expect(try Set(MirrorHarness.records(of: "phone", in: repaired)) == before && before.count == 3_000)
      #expect(try repaired.devices().first?.points == 3_000)
    }
  }
}
