import Foundation
import GodwitModes
import GodwitTracks
import Testing

@testable import AccuracyData

@Suite("The loader of GeoLife")
struct GeoLifeTests {
  private static let head = "Start Time\tEnd Time\tTransportation Mode\r\n"

  /// A synthetic data set in the format of GeoLife: one person with two tracks that overlap and three labels, and one without labels.
  private static func folder() throws -> TemporaryFolder {
    let labels = [
      "2008/10/23 02:55:00\t2008/10/23 02:56:00\tbus", "2008/10/23 02:53:00\t2008/10/23 02:54:00\twalk",
      "2008/10/24 02:53:00\t2008/10/24 02:54:00\tboat",
    ]
    return try TemporaryFolder([
      "007/labels.txt": head + labels.joined(separator: "\r\n"),
      "007/Trajectory/1.plt": track(seconds: stride(from: 0, to: 200, by: 5)),
      "007/Trajectory/2.plt": track(seconds: stride(from: 2, to: 100, by: 10)),
      "008/notes.txt": "",
    ])
  }

  private static func track(seconds: StrideTo<Int>) -> String {
    let head = ["Geolife trajectory", "WGS 84", "Altitude is in Feet", "Reserved 3", "0,2,255,My Track,0,0,2,8421376", "0"]
    let rows = seconds.map { second in
      let time = String(format: "02:%02d:%02d", 53 + second / 60, second % 60)
      return "\(39.98 + Double(second) / 1e5),116.31,0,492,39744.12,2008-10-23,\(time)"
    }
    return (head + rows).joined(separator: "\r\n")
  }

  @Test("people with labels are found, and each label has its positions from all files, in order of time")
  func segments() throws {
    let folder = try Self.folder()
    defer { withExtendedLifetime(folder) {} }
    let data = try GeoLife(folder: folder.url)
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
    let folder = try Self.folder()
    defer { withExtendedLifetime(folder) {} }
    let none = #expect(throws: DatasetError.self) { try GeoLife(folder: folder.url.appendingPathComponent("008")) }
    #expect(none?.description.contains("labels.txt") == true)
    try folder.write("007/labels.txt", Self.head + "yesterday\ttoday\twalk")
    let line = #expect(throws: DatasetError.self) { try GeoLife(folder: folder.url).segments(of: "007") }
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
