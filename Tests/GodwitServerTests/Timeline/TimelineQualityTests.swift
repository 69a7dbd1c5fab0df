import Foundation
import GodwitModel
import Testing

@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitTracks

/// Real tracks that must not be copied into the project. They are optional, in a folder beside the checkout.
private enum RealTracks {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/data")
  static let areAvailable = FileManager.default.fileExists(atPath: folder.path)
  static let reason: Comment = "the shared tracks are not beside this checkout"

  static func points(_ name: String, _ suffix: String) throws -> [TimelinePoint] {
    let place = folder.appendingPathComponent(name)
    let names = FileManager.default.enumerator(atPath: place.path)?.allObjects as? [String] ?? []
    let paths = suffix.isEmpty ? [place.path] : names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(place.path)/\($0)" }
    var points: [TimelinePoint] = []
    for path in paths {
      let file = try TrackFile(path: path)
      while let some = try file.next() {
        points += some.compactMap(\.fix).map { fix in
          TimelinePoint(
            time: fix.time.millisecondsSince1970, latitude: Int32((fix.coordinate.latitude * 1e7).rounded()),
            longitude: Int32((fix.coordinate.longitude * 1e7).rounded()), accuracy: Int32(fix.horizontalAccuracy ?? 0))
        }
      }
    }
    try #require(!points.isEmpty)
    return points.sorted { ($0.time, $0.latitude, $0.longitude) < ($1.time, $1.latitude, $1.longitude) }
  }

  static func rows(_ name: String, _ separator: Character) throws -> [[String]] {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8).split(whereSeparator: \.isNewline).dropFirst()
      .map { $0.split(separator: separator, omittingEmptySubsequences: false).map(String.init) }
  }
}

@Suite("Quality of timelines of real tracks", .enabled(if: RealTracks.areAvailable, RealTracks.reason), .timeLimit(.minutes(20)))
struct TimelineQualityTests {
  private static let classes: [String: String] = [
    "walk": "walk", "run": "walk", "bike": "cycle", "bus": "motor", "car": "motor", "taxi": "motor", "train": "motor",
    "subway": "motor",
  ]

  private static func kind(_ mode: TravelMode) -> String {
    switch mode {
    case .walk, .run: "walk"
    case .cycle: "cycle"
    case .car, .train, .plane, .boat: "motor"
    case .unknown: "unknown"
    }
  }

  /// The labels include waiting and walking to the bus, so the correct share of time is lower than that of distance.
  @Test("at least 96 % of the labelled distance of four people and 75 % of the time get the right mode")
  func modes() throws {
    var seconds: [String: [String: Double]] = [:]
    var metres: [String: [String: Double]] = [:]
    for person in ["010", "062", "085", "125"] {
      let trips = TimelineBuilder.Results(of: try RealTracks.points("geolife_labelled/\(person)", ".plt")).tracks.flatMap(
        TripMaker.trips)
      for row in try RealTracks.rows("geolife_labelled/\(person)/labels.txt", "\t") {
        guard let label = Self.classes[row[2]],
          let start = RFC3339.date(row[0].replacing("/", with: "-") + "Z")?.millisecondsSince1970,
          let end = RFC3339.date(row[1].replacing("/", with: "-") + "Z")?.millisecondsSince1970
        else { continue }
        for segment in trips.flatMap(\.segments) {
          let common = Double(min(segment.end, end) - max(segment.start, start)) / 1000
          guard common > 0 else { continue }
          let kind = Self.kind(segment.mode)
          seconds[label, default: [:]][kind, default: 0] += common
          metres[label, default: [:]][kind, default: 0] += segment.distance * common * 1000 / Double(segment.end - segment.start)
        }
      }
    }
    let (time, track) = (Self.right(seconds), Self.right(metres))
    // Without the model's detection of bicycles, both values are below these limits.
    #expect(track.share > 0.9624, "\(metres)")
    #expect(time.share > 0.7567 && time.all > 100_000, "\(seconds)")
  }

  /// The correct share of the labelled values with a known mode, and their sum.
  private static func right(_ reported: [String: [String: Double]]) -> (share: Double, all: Double) {
    let known = reported.mapValues { $0.filter { $0.key != "unknown" } }
    let all = known.values.reduce(0) { $0 + $1.values.reduce(0, +) }
    return (known.reduce(0) { $0 + ($1.value[$1.key] ?? 0) } / all, all)
  }

  @Test("the visits of two days of a phone are detected, and no others", arguments: ["20250617.gpx", "20250618.gpx"])
  func visits(_ file: String) throws {
    let found = TimelineBuilder.Results(of: try RealTracks.points("reitti/\(file)", "")).visits
    let expected = try RealTracks.rows("reitti/expected_visits.csv", ",").filter { $0[0] == file }
    try #require(expected.count >= 5)
    for visit in expected {
      let arrival = try #require(RFC3339.date(visit[2])).millisecondsSince1970
      let departure = try #require(RFC3339.date(visit[3])).millisecondsSince1970
      #expect(
        found.contains { abs($0.arrival - arrival) <= 180_000 && abs(($0.departure ?? $0.seen) - departure) <= 180_000 },
        "visit \(visit[1])")
    }
    #expect(found.count <= expected.count)
  }

  // Without the rules for stays this walk has 24 visits and 25 trips, some of one second.
  @Test("a walk of a day has no trip shorter than a minute, and few visits")
  func walk() throws {
    let points = try RealTracks.points("geolife/001/Trajectory", "20081025231428.plt")
    let results = TimelineBuilder.Results(of: try RealTracks.points("geolife/001/Trajectory", "20081024234405.plt") + points)
    let trips = results.tracks.flatMap(TripMaker.trips)
    #expect(trips.allSatisfy { $0.end - $0.start >= 60_000 })
    #expect(
      trips.flatMap(\.segments).allSatisfy { $0.distance <= $0.mode.fastest * Double($0.end - $0.start) / 1000 + 0.01 })
    let day = RFC3339.date("2008-10-25T00:00:00Z")?.millisecondsSince1970 ?? 0
    let visits = results.visits.filter { $0.arrival >= day && $0.arrival < day + 43_200_000 }
    #expect(visits.count <= 18, "\(visits.count)")
  }

  @Test("few points of real tracks are flagged")
  func outliers() throws {
    var (marked, all) = (0, 0)
    for person in ["000", "001", "002", "005", "007", "010"] {
      let points = try RealTracks.points("geolife/\(person)", ".plt")
      let results = TimelineBuilder.Results(of: points)
      marked += results.outliers.count
      all += points.count
    }
    #expect(Double(marked) < 0.002 * Double(all), "\(marked) of \(all)")
  }
}

@Suite("Quality of visits of simulated tracks")
struct KnownLifeTests {
  @Test(
    "recall, precision and time errors of stays of simulated tracks are those in Timeline.md",
    arguments: [(15.0, 0.985, 0.998, 3.0, 65.0), (60, 0.978, 1, 3, 60), (300, 0.988, 1, 6, 244)])
  func stays(_ every: Double, _ isFound: Double, _ isPrecise: Double, _ middle: Double, _ most: Double) {
    var (real, found, right) = (0, 0, 0)
    var errors: [Double] = []
    for seed in 1...20 as ClosedRange<UInt64> {
      var journey = Journey(seed: seed)
      var stays: [(Int64, Int64)] = []
      for _ in 0..<30 {
        let start = journey.time
        journey.stay(600 + journey.random() * 20_000, every: journey.random() < 0.3 ? nil : every, noise: 25)
        stays.append((start, journey.time))
        let isWalk = journey.random() < 0.4
        journey.go(
          400 + journey.random() * (isWalk ? 1500 : 20_000), at: isWalk ? 1.4 : 6 + journey.random() * 15, every: min(every, 30),
          north: journey.random() < 0.5)
      }
      let visits = journey.results.visits
      real += stays.count
      found += visits.count
      for (start, end) in stays {
        let best = visits.first { visit in
          let common = Double(min(visit.departure ?? visit.seen, end) - max(visit.arrival, start))
          return common >= 0.5 * Double(end - start) && common >= 0.5 * Double((visit.departure ?? visit.seen) - visit.arrival)
        }
        guard let best else { continue }
        right += 1
        errors += [abs(Double(best.arrival - start)) / 1000, abs(Double((best.departure ?? best.seen) - end)) / 1000]
      }
    }
    let (recall, precision) = (Double(right) / Double(real), Double(right) / Double(found))
    errors.sort()
    #expect(recall >= isFound - 0.001 && precision >= isPrecise - 0.001, "recall \(recall), precision \(precision)")
    let (median, nearlyAll) = (errors[errors.count / 2], errors[errors.count * 9 / 10])
    #expect(median < middle + 0.5 && nearlyAll < most + 0.5, "\(median) s, \(nearlyAll) s")
  }
}
