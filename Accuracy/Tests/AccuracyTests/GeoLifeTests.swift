import Foundation
import GodwitModes
import GodwitTracks
import Testing

@testable import AccuracyData

/// A synthetic data set in the format of GeoLife: one person, two tracks that overlap, three labels.
private final class MadeSet {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("accuracy-\(UUID().uuidString)")

  init() throws {
    let tracks = folder.appendingPathComponent("007/Trajectory")
    try FileManager.default.createDirectory(at: tracks, withIntermediateDirectories: true)
    try write(
      "007/labels.txt",
      [
        "Start Time\tEnd Time\tTransportation Mode", "2008/10/23 02:55:00\t2008/10/23 02:56:00\tbus",
        "2008/10/23 02:53:00\t2008/10/23 02:54:00\twalk", "2008/10/24 02:53:00\t2008/10/24 02:54:00\tboat",
      ])
    try write("007/Trajectory/1.plt", Self.track(seconds: stride(from: 0, to: 200, by: 5)))
    try write("007/Trajectory/2.plt", Self.track(seconds: stride(from: 2, to: 100, by: 10)))
    try FileManager.default.createDirectory(at: folder.appendingPathComponent("008"), withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func write(_ path: String, _ lines: [String]) throws {
    try Data(lines.joined(separator: "\r\n").utf8).write(to: folder.appendingPathComponent(path))
  }

  private static func track(seconds: StrideTo<Int>) -> [String] {
    let head = ["Geolife trajectory", "WGS 84", "Altitude is in Feet", "Reserved 3", "0,2,255,My Track,0,0,2,8421376", "0"]
    return head
      + seconds.map { second in
        let time = String(format: "02:%02d:%02d", 53 + second / 60, second % 60)
        return "\(39.98 + Double(second) / 1e5),116.31,0,492,39744.12,2008-10-23,\(time)"
      }
  }
}

@Suite("The loader of GeoLife")
struct GeoLifeTests {
  @Test("people with labels are found, and each label has its positions from all files, in order of time")
  func segments() throws {
    let set = try MadeSet()
    let data = try GeoLife(folder: set.folder)
    #expect(data.people == ["007"])
    let segments = try data.segments(of: "007")
    #expect(segments.map(\.label) == ["walk", "bus"])
    // A minute has thirteen positions of the first track, including both ends, and six of the second, which ends before the second label.
    #expect(segments.map(\.positions.count) == [19, 13])
    let times = segments.flatMap(\.positions).compactMap(\.time)
    #expect(times == times.sorted())
  }

  @Test("the measured labels have a kind, and the others have none")
  func kinds() {
    #expect(["walk", "bike", "bus", "car", "taxi", "train", "subway"].compactMap(GeoLife.kind).count == 7)
    #expect(GeoLife.kind(of: "taxi") == .car && GeoLife.kind(of: "boat") == nil && GeoLife.kind(of: "run") == nil)
  }

  @Test("a folder without labels and an invalid line are reported")
  func wrong() throws {
    let set = try MadeSet()
    let none = #expect(throws: DatasetError.self) { try GeoLife(folder: set.folder.appendingPathComponent("008")) }
    #expect(none?.description.contains("labels.txt") == true)
    try set.write("007/labels.txt", ["Start Time\tEnd Time\tTransportation Mode", "yesterday\ttoday\twalk"])
    let line = #expect(throws: DatasetError.self) { try GeoLife(folder: set.folder).segments(of: "007") }
    #expect(line?.description.contains("line 2") == true)
  }
}

@Suite("Scores of classes")
struct ConfusionMatrixTests {
  @Test("accuracy, balanced accuracy and macro F1 are those of a table that was computed by hand")
  func scores() {
    var matrix = ConfusionMatrix(classes: ["a", "b", "c"])
    for (truth, given, times) in [(0, 0, 8), (0, 1, 2), (1, 1, 3), (1, 0, 1)] {
      for _ in 0..<times { matrix.add(truth: truth, given: given) }
    }
    #expect(matrix.total == 14 && abs(matrix.accuracy - 11.0 / 14) < 1e-12)
    #expect(abs(matrix.balancedAccuracy - (0.8 + 0.75) / 2) < 1e-12)
    #expect(matrix.recall(2) == nil)
    let (a, b) = (16.0 / 19, 6.0 / 9)
    #expect(abs(matrix.macroF1 - (a + b + 0) / 3) < 1e-12)
  }
}
