import Foundation
import GodwitModel
import GodwitServer
import GodwitStore

/// Compares the same points as rows and in blocks.
enum Sealing {
  /// The output of `PointReads`: the seconds that reading all points of a store took.
  struct Reading: Decodable {
    var points: Int
    var records: Double
    var columns: Double
  }

  /// Reads all points of a data folder. No server may use the folder.
  static func read(_ data: String, _ count: Int) throws -> Reading {
    let program = URL(fileURLWithPath: ProcessInfo.processInfo.environment["POINT_READS"] ?? "../.build/release/PointReads")
    let reading = try JSONDecoder().decode(Reading.self, from: Data(try Programs.run(program, [data]).utf8))
    precondition(reading.points == count, "\(reading.points) points were read")
    return reading
  }

  /// Compresses all points of a data folder, and compares.
  /// - Parameters:
  ///   - data: the folder. No server may use it.
  ///   - count: the number of its points.
  ///   - rows: the times for reading the rows, measured before.
  ///   - bytes: the size of the file before the compression.
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
        name: "all points read from blocks by column, \(Int(Double(count) / blocks.columns)) points/s",
        value: rows.columns / blocks.columns, unit: "× rows", goal: 5,
        comparedTo: "\(Int(Double(count) / rows.columns)) points/s"),
      Measurement(
        name: "all points read from blocks as records, \(Int(Double(count) / blocks.records)) points/s",
        value: rows.records / blocks.records, unit: "× rows", goal: 5,
        comparedTo: "\(Int(Double(count) / rows.records)) points/s"),
    ]
  }
}
