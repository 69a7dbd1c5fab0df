import Foundation
import GodwitModel
import GodwitTracks
import Testing

@testable import GodwitColumns

@Suite("Recorded tracks as columns")
struct RecordedTrackTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("GodwitFilesTests/Fixtures")

  /// Time (ms), latitude and longitude (1e-7 degrees), altitude (cm).
  private func table(_ name: String) throws -> ColumnTable {
    let file = try TrackFile(path: Self.fixtures.appendingPathComponent(name).path)
    var rows: [[Int64?]] = Array(repeating: [], count: 4)
    while let points = try file.next() {
      for point in points {
        rows[0].append(point.time.map { Int64(($0.timeIntervalSince1970 * 1_000).rounded()) })
        rows[1].append(Int64((point.coordinate.latitude * 1e7).rounded()))
        rows[2].append(Int64((point.coordinate.longitude * 1e7).rounded()))
        rows[3].append(point.altitude.map { Int64(($0 * 100).rounded()) })
      }
    }
    return ColumnTable(count: rows[0].count, integers: rows.enumerated().map { .init(UInt8($0) + 1, $1) })
  }

  @Test("a walk of 296 points takes less than 7 bytes per point")
  func walk() throws {
    let table = try table("cerknicko-jezero.gpx")
    let block = try ColumnCodec.encode(table)
    #expect(table.count == 296)
    #expect(try ColumnCodec.decode(block) == table)
    #expect(block.count < 296 * 7, "\(block.count) bytes")
  }

  @Test(
    "tracks round-trip, also if points lack a time or an altitude",
    arguments: ["korita-zbevnica.gpx", "Mojstrovka.gpx", "track-with-extremes.gpx"])
  func tracks(name: String) throws {
    let table = try table(name)
    #expect(table.count > 0)
    #expect(try ColumnCodec.decode(ColumnCodec.encode(table)) == table)
  }
}
