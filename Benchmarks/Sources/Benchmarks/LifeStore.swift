import Foundation
import GodwitModel
import GodwitServer
import GodwitStore

/// A data folder with the points of one device, `phone`, one every five seconds from the beginning of 2023, with the timeline and the
/// overviews. Every evening has a ride through the town, so that the map of the town has many lines.
enum LifeStore {
  private static let interval = 5.0
  private static let start = Date(timeIntervalSince1970: 1_672_531_200)
  private static let batchSize = 10_000

  /// Calls `body` with such a data folder, and then removes it. With `GODWIT_BENCHMARK_DATA=FOLDER` it is kept in that folder for the
  /// next run, because 20 million points take minutes.
  /// - Parameters:
  ///   - points: the number of points, rounded down to whole batches.
  ///   - parent: the folder in which the data folder is created if it is not kept.
  static func withData<Value>(
    points: Int, in parent: URL, _ body: (_ folder: URL) async throws -> Value
  ) async throws -> Value {
    let kept = ProcessInfo.processInfo.environment["GODWIT_BENCHMARK_DATA"].map { URL(fileURLWithPath: $0) }
    let folder = (kept ?? parent).appendingPathComponent("life-\(points)")
    defer { if kept == nil { try? FileManager.default.removeItem(at: folder) } }
    if !FileManager.default.fileExists(atPath: folder.path) { try await make(points: points, in: folder) }
    return try await body(folder)
  }

  /// Stores the points and computes their timeline and overviews.
  private static func make(points: Int, in folder: URL) async throws {
    let store = try SQLiteTrackStore(folder: folder.path)
    let device = try store.makeDevice(named: "phone", at: start)
    var life = Life(hasErrands: true)
    for batch in 0..<points / batchSize {
      let first = batch * batchSize
      let records = (first..<first + batchSize).map { index in
        Record(
          id: RecordID(journal: 0x7115, sequence: RecordNumber(clamping: Int64(index + 1))),
          kind: .fix(life.next(at: start + Double(index) * interval)),
          context: DeviceContext(motion: life.motion, deviceID: "phone"))
      }
      _ = try await store.store(records, of: device, at: start + Double(first + batchSize) * interval)
    }
    store.close()
    guard let address = ListenAddress("127.0.0.1:0") else { return }
    let server = try GodwitServer.Server(configuration: .init(listen: address, dataFolder: folder.path))
    try await server.processBacklog()
    LocalServer(server).close()
  }
}
