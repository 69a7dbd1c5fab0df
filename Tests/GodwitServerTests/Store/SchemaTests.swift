import Foundation
import GodwitModel
import GodwitSQLite
import Testing

@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitStore

@Suite("The embedded database's history")
struct SchemaTests {
  /// Steps that had been published before points were stored in fewer bytes.
  private static let before = 5

  @Test("points of an older server are the same after it was updated, and have overviews")
  func leanPoints() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-schema-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Self.writeOld(folder.path + "/godwit.sqlite")

    let store = try SQLiteTrackStore(folder: folder.path)
    defer { store.close() }
    let device = try #require(try store.device(named: "old"))
    let points = try store.points(PointQuery(device: device.id, limit: 100))
    #expect(points.count == 4)
    let first = try #require(points.first)
    #expect(first.fix.time == Date(timeIntervalSince1970: 1000) && first.fix.altitude == 12.5 && first.fix.speed == 1.5)
    #expect(first.record.id == RecordID(journal: 77, sequence: 5))
    #expect(
      first.record.context
        == DeviceContext(
          batteryLevel: 0.5, batteryState: BatteryState(rawValue: 1), motion: Motion(rawValue: 8), wifi: "home",
          deviceID: "a"))
    #expect(points[1].record.context == DeviceContext() && points[1].record.id == nil)
    #expect(points[1].record.extras == "{\"k\":1}")
    #expect(points[2].record.context == DeviceContext(motion: Motion(rawValue: 8), wifi: "home", deviceID: "a"))
    #expect(points[3].record.context == DeviceContext(motion: Motion(rawValue: 8)))
    let rows = try store.read { try $0.all("SELECT delay FROM points ORDER BY time") { $0.integer(0) } }
    #expect(rows == [2, -2, 0, 0], "a device whose clock was ahead")
    // A record that comes again is still known.
    let again = try await store.store(points.map(\.record), of: device, at: Date())
    #expect(again.saved == 0 && again.duplicates == 4)
    try await RecomputeWorker(database: store).catchUp(at: Date())
    let track = try store.read { try OverviewReader($0).track(device: device.id, 0..<10_000_000_000, tolerance: 2) }
    #expect(track.flatMap { $0 }.count == 4)
  }

  private static func writeOld(_ path: String) throws {
    let database = try Database(path: path)
    try Migrations(Array(ServerSchema.migrations.steps.prefix(before))).apply(to: database)
    try database.execute(
      """
      INSERT INTO devices (id, name, created, points) VALUES (1, 'old', 0, 4);
      INSERT INTO contexts (id, wifi, device_id) VALUES (9, 'home', 'a');
      INSERT INTO journals (id, device, journal) VALUES (3, 1, 77);
      INSERT INTO points (device, time, latitude, longitude, altitude, speed, battery_level, battery_state, motion, context,
          journal, sequence, received, extras) VALUES
        (1, 1000000, 460000000, 145000000, 1250, 150, 5000, 1, 8, 9, 3, 5, 1002900, NULL),
        (1, 2000000, 460100000, 145000000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1998500, '{"k":1}'),
        (1, 3000000, 460200000, 145100000, NULL, NULL, NULL, NULL, 8, 9, NULL, NULL, 3000000, NULL),
        (1, 4000000, 460300000, 145000000, NULL, NULL, NULL, NULL, 8, NULL, NULL, NULL, 4000999, NULL);
      """)
  }
}
