import Foundation
import GodwitHistory
import GodwitModel
import Testing

@testable import GodwitDeletion
@testable import GodwitServer
@testable import GodwitStore

@Suite("Deletions while a block of points is damaged")
struct DamagedBlockDeletionTests {
  /// Two devices with blocks; one block of the first device is damaged.
  private struct Scene {
    let place: ContractStore
    let device: Device
    let other: Device
    let damaged: BlockTable.Header

    init(_ kind: StoreKind) async throws {
      place = try ContractStore(kind)
      let store = place.store
      (device, other) = (try store.makeDevice(), try store.makeDevice("other"))
      for device in [device, other] { _ = try await store.store((0..<9_000).map { try step($0 * 10, journal: 3) }, of: device) }
      _ = try SealingRun(database: store, days: 0, minimum: 1).run(at: walkStart.addingTimeInterval(100_000))
      let id = device.id
      let headers = try store.read { try BlockTable.headers(ofDevice: id, .min..<Int64.max, $0) }
      let middle = headers[headers.count / 2]
      damaged = middle
      try await store.write { db in
        var content = try #require(
          try db.first("SELECT content FROM point_blocks WHERE device = ? AND first = ?", id, middle.times.lowerBound) {
            try $0.blob("content")
          })
        content[content.count / 2] ^= 4
        try db.run("UPDATE point_blocks SET content = ? WHERE device = ? AND first = ?", content, id, middle.times.lowerBound)
      }
    }

    func delete(_ target: DeletionRequest.Target) throws -> DeletionCounts {
      let audit = DeletionRequest.Audit(account: nil, actor: "a test", action: "delete", subject: "walker", address: "local")
      return try DeletionRun(database: place.store).run(DeletionRequest(target: target, audit: audit), at: walkStart)
    }

    func points(of device: Device) throws -> Int {
      try place.store.read { Int(try $0.integer("SELECT points FROM devices WHERE id = ?", device.id) ?? -1) }
    }
  }

  @Test("a deleted device is deleted with its damaged block", arguments: StoreKind.tested)
  func device(_ kind: StoreKind) async throws {
    let scene = try await Scene(kind)
    defer { scene.place.end() }
    #expect(try scene.delete(.device(scene.device.id)).points == 9_000)
    #expect(try scene.place.store.device(named: "walker") == nil)
    #expect(
      try scene.place.store.read { try $0.integer("SELECT count(*) FROM point_blocks WHERE device = ?", scene.device.id) } == 0)
    #expect(scene.place.store.health.damagedBlocks.isEmpty)
    #expect(try scene.place.store.allPoints(PointQuery(limit: 1_000)).count == 9_000)
  }

  @Test(
    "a time range that contains the damaged block is deleted; a part of the block causes an error that names it",
    arguments: StoreKind.tested)
  func time(_ kind: StoreKind) async throws {
    let scene = try await Scene(kind)
    defer { scene.place.end() }
    let times = scene.damaged.times
    let part = PointSelection(device: scene.device.id, from: times.lowerBound + 1, to: times.upperBound)
    let error = try #require(throws: DamagedBlock.self) { try scene.delete(.points(part)) }
    #expect(error.times == times)
    let whole = PointSelection(device: scene.device.id, from: times.lowerBound - 5_000, to: times.upperBound + 5_000)
    #expect(try scene.delete(.points(whole)).points == scene.damaged.count)
    let left = try scene.place.store.allPoints(PointQuery(device: scene.device.id, limit: 1_000)).count
    #expect(left == 9_000 - scene.damaged.count)
    #expect(try scene.points(of: scene.device) == left)
  }

  @Test("points of other devices are deleted", arguments: StoreKind.tested)
  func other(_ kind: StoreKind) async throws {
    let scene = try await Scene(kind)
    defer { scene.place.end() }
    #expect(try scene.delete(.device(scene.other.id)).points == 9_000)
    #expect(try scene.points(of: scene.device) == 9_000)
  }
}
