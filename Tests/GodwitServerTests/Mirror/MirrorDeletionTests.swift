import Foundation
import GodwitModel
import TestClient
import TestParts
import Testing

@testable import GodwitAccounts
@testable import GodwitDeletion
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite("Deletions on a server with a mirror", .timeLimit(.minutes(20)))
struct MirrorDeletionTests {
  /// Adds two devices with points and events, and copies them to the mirror.
  private static func fill(_ harness: MirrorHarness) async throws -> [Device] {
    var devices: [Device] = []
    for (number, name) in ["phone", "watch"].enumerated() {
      let device = try harness.store.makeDevice(name)
      var records = try (0..<3_000).map { try MirrorHarness.fix($0, journal: UInt64(number + 1)) }
      records += [try MirrorHarness.visit(100), try MirrorHarness.visit(2_000), try MirrorHarness.trip(1_500)]
      records.append(try MirrorHarness.action(1_200, "started"))
      _ = try await harness.store.store(records, of: device, at: harness.clock.now)
      devices.append(device)
    }
    try await harness.settle()
    try harness.expectSame()
    return devices
  }

  private static func milliseconds(_ second: Int) -> Int64 { walkStart.millisecondsSince1970 + Int64(second) * 1_000 }

  @Test("a deleted range is deleted on the mirror, and an undo restores it there", arguments: StoreKind.tested)
  func range(_ kind: StoreKind) async throws {
    try await MirrorHarness.with(kind) { harness in
      let devices = try await Self.fill(harness)
      let selection = PointSelection(
        device: devices[0].id, from: Self.milliseconds(1_000), to: Self.milliseconds(2_500))
      let run = DeletionRun(database: harness.store)
      let (counts, entry) = try run.runUndoably(.test(.points(selection)), at: harness.clock.now)
      #expect(counts.points == 1_500 && counts.events == 3)
      // One response is lost, and one request is delivered twice.
      harness.network.add([.losesResponse, .repeats])
      try await harness.settle()
      try harness.expectSame()
      #expect(try harness.copy.read { try $0.integer("SELECT count(*) FROM trash") } == 0, "the mirror has no trash")
      _ = try run.run(.test(.undo(try #require(entry).id)), at: harness.clock.now)
      try await harness.settle()
      try harness.expectSame()
      #expect(try MirrorHarness.records(of: "phone", in: harness.copy).count == 3_004)
    }
  }

  @Test("a deleted device is permanently deleted on the mirror, and its name can be used again", arguments: StoreKind.tested)
  func device(_ kind: StoreKind) async throws {
    try await MirrorHarness.with(kind) { harness in
      let devices = try await Self.fill(harness)
      _ = try DeletionRun(database: harness.store).run(.test(.device(devices[0].id)), at: harness.clock.now)
      harness.network.add([.losesResponse])
      try await harness.settle()
      try harness.expectSame()
      #expect(try harness.copy.device(named: "phone") == nil)
      let again = try harness.store.makeDevice("phone")
      _ = try await harness.store.store([MirrorHarness.fix(1, journal: 8)], of: again)
      try await harness.settle()
      try harness.expectSame()
    }
  }

  @Test(
    "points that a zone blurs or drops are blurred or dropped on the mirror", .enabled(if: TestGroup.quick.isRun),
    arguments: [PrivacyZone.ZoneAction.coarsen, .drop])
  func zone(_ action: PrivacyZone.ZoneAction) async throws {
    try await MirrorHarness.with(.sqlite) { harness in
      _ = try await Self.fill(harness)
      let center = try coordinate(47.015, 10.015)
      try await harness.store.write { db in
        let options = PrivacyZone.Options(
          name: "home", shape: .circle(Circle(center: center, radius: 300)), action: action)
        _ = try ZoneTable.add(options, of: nil, at: walkStart, db)
      }
      let zone = try #require(try harness.store.read { try ZoneTable.all($0) }.first)
      let counts = try DeletionRun(database: harness.store).run(.test(.zone(zone.id)), at: harness.clock.now)
      #expect(counts.points + counts.blurredPoints > 100)
      try await harness.settle()
      try harness.expectSame()
    }
  }

  @Test("points that retention deletes are deleted on the mirror", arguments: StoreKind.tested)
  func retention(_ kind: StoreKind) async throws {
    try await MirrorHarness.with(kind) { harness in
      let devices = try await Self.fill(harness)
      // All points are old enough for thinning, and those of the first 20 minutes are expired.
      let now = walkStart.addingTimeInterval(10 * 86_400 + 1_200)
      let entry = RetentionTable.Entry(
        device: devices[0], retention: Retention(keepDays: 10, thinDays: 1, thinMinutes: 1), thinned: nil)
      let result = try RetentionRun(database: harness.store).run(entry, at: now)
      #expect(result.expired == 1_200 && result.thinned > 1_000 && result.expiredEvents > 0)
      try await harness.settle()
      try harness.expectSame()
    }
  }

  @Test("renames, swapped names and merges of devices are applied on the mirror", arguments: StoreKind.tested)
  func names(_ kind: StoreKind) async throws {
    try await MirrorHarness.with(kind) { harness in
      let devices = try await Self.fill(harness)
      let now = harness.clock.now
      func rename(_ device: Device, _ name: String) async throws {
        try await harness.store.write { db in
          let current = try #require(try TrackTables.device(id: device.id, db))
          try DeviceRename.rename(current, to: name, at: now, db)
        }
      }
      try await rename(devices[0], "other")
      try await rename(devices[1], "phone")
      try await rename(devices[0], "watch")
      try await harness.settle()
      try harness.expectSame()
      let merge = DeletionRequest.Target.merge(devices[0].id, into: devices[1].id)
      _ = try DeletionRun(database: harness.store).run(.test(merge), at: now)
      try await harness.settle()
      try harness.expectSame()
      #expect(try harness.copy.devices().map(\.device.name) == ["phone"])
    }
  }

  @Test("data that was deleted while the mirror was unreachable is not sent", arguments: StoreKind.tested)
  func before(_ kind: StoreKind) async throws {
    try await MirrorHarness.with(kind) { harness in
      let devices = try await Self.fill(harness)
      harness.network.isDown = true
      _ = try await harness.store.store(
        try (5_000..<5_100).map { try MirrorHarness.fix($0, journal: 1) }, of: devices[0], at: harness.clock.now)
      let selection = PointSelection(device: devices[0].id, from: Self.milliseconds(5_000), to: Self.milliseconds(5_050))
      _ = try DeletionRun(database: harness.store).run(.test(.points(selection)), at: harness.clock.now)
      _ = try DeletionRun(database: harness.store).run(.test(.device(devices[1].id)), at: harness.clock.now)
      _ = try await harness.sender.step()
      harness.network.isDown = false
      try await harness.settle()
      try harness.expectSame()
      #expect(try MirrorHarness.records(of: "phone", in: harness.copy).count == 3_054)
    }
  }
}
