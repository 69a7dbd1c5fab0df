import CZlib
import Foundation
import GodwitHistory
import GodwitModel
import TestClient
import Testing

@testable import GodwitDeletion
@testable import GodwitServer
@testable import GodwitStore

/// Files that released versions wrote, under `Tests/Fixtures`.
enum ReleasedFile {
  static func unpacked(_ name: String) throws -> Data {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/\(name).gz").path
    let file = try #require(gzopen(path, "rb"), "there is no \(path)")
    defer { gzclose(file) }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = gzread(file, &buffer, UInt32(buffer.count))
      guard count > 0 else { return data }
      data.append(contentsOf: buffer.prefix(Int(count)))
    }
  }
}

// reliability.md, "Migrations and downgrade": no test opened a server's store of an earlier schema.
@Suite("Stores of released versions", .timeLimit(.minutes(20)))
struct ReleasedStoreTests {
  @Test("a store of e6eb766 is opened with everything that was in it, goes on, and can be deleted from")
  func e6eb766() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-released-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try ReleasedFile.unpacked("e6eb766/godwit.sqlite").write(to: folder.appendingPathComponent("godwit.sqlite"))
    let store = try SQLiteTrackStore(folder: folder.path)
    defer { store.close() }
    let phone = try #require(try store.device(named: "phone"))
    let points = try store.points(PointQuery(device: phone.id, limit: 1_000))
    #expect(points.count == 150 && points.filter { $0.record.context.wifi == "home" }.count == 120)
    #expect(try store.devices().first?.points == 150)
    #expect(try store.journals(device: phone.id).first?.covered == [1...122])
    #expect(try store.events(device: phone.id, from: nil, to: nil).contains { if case .visit = $0.kind { true } else { false } })
    #expect(try store.refusals(device: phone.id, limit: 10).count == 1)
    let tables = [
      "users", "regions", "webhooks", "letters", "region_events", "places", "zones", "links", "access_tokens", "imports",
    ]
    for table in tables {
      #expect(try store.read { try $0.integer("SELECT count(*) FROM \(table)") ?? 0 } > 0, "\(table) is empty")
    }
    #expect(try store.read { try $0.integer("SELECT count(*) FROM imports WHERE traced = 1") } == 0)
    // What it had is known again, and what is new is stored.
    let again = try await store.store(points.map(\.record) + [try step(1)], of: phone)
    #expect(again.saved == 1 && again.duplicates == 150)
    try await store.catchUp()
    #expect(try store.read { try $0.integer("SELECT count(*) FROM visits") ?? 0 } > 0)
    let request = DeletionRequest(
      target: .device(phone.id),
      audit: DeletionRequest.Audit(account: nil, actor: "a test", action: "delete", subject: "phone", address: "local"))
    let counts = try DeletionRun(database: store).run(request, at: Date())
    #expect(counts.points == 151 && counts.links == 1)
    #expect(try store.devices().isEmpty)
  }
}
