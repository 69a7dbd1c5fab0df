import Foundation
import GodwitModel
import GodwitServer
import GodwitStore

/// The same points as rows and in blocks.
enum Sealing {
  /// What reading all points of a store took.
  struct Reading {
    /// Seconds of `TrackStore.points`, in pages of 10,000: all values of each point.
    var pages: Double
  }

  /// Reads all points of a data folder.
  static func read(_ data: String, _ count: Int) throws -> Reading {
    let store = try SQLiteTrackStore(folder: data)
    defer { store.close() }
    let began = ContinuousClock.now
    var (query, read) = (PointQuery(limit: 10_000), 0)
    while true {
      let page = try store.points(query)
      read += page.count
      guard page.count == query.limit, let last = page.last else { break }
      query.after = last.cursor
    }
    precondition(read == count, "\(read) points were read")
    return Reading(pages: Double((ContinuousClock.now - began) / .milliseconds(1)) / 1000)
  }

  /// Compresses all points of a data folder, and compares.
  /// - Parameters:
  ///   - data: the folder; no server uses it.
  ///   - count: its points.
  ///   - rows: the reading before.
  ///   - bytes: the size of the file before.
  static func measure(_ data: String, _ count: Int, rows: Reading, bytes: Int) throws -> [Measurement] {
    guard let address = ListenAddress("127.0.0.1:0") else { return [] }
    let server = try GodwitServer.Server(configuration: .init(listen: address, dataFolder: data))
    let began = ContinuousClock.now
    let sealed = try server.compressPoints(olderThan: 0)
    let seconds = Double((ContinuousClock.now - began) / .milliseconds(1)) / 1000
    LocalServer(server).close()
    let blocks = try read(data, count)
    let size = try FileManager.default.attributesOfItem(atPath: data + "/godwit.sqlite")[.size] as? Int ?? 0
    return [
      Measurement(
        name: "disk, with overviews, \(sealed) points in blocks", value: Double(size) / 1_000_000, unit: "MB", goal: 120,
        lowerIsBetter: true),
      Measurement(name: "points moved into blocks", value: Double(sealed) / seconds, unit: "points/s", goal: 1_000_000),
      Measurement(
        name: "all points read from blocks, \(Int(Double(count) / blocks.pages)) points/s", value: rows.pages / blocks.pages,
        unit: "× rows", goal: 5),
    ]
  }
}
