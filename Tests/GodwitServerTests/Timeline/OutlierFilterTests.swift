import Foundation
import GodwitModel
import Testing

@testable import GodwitHistory
@testable import GodwitServer

@Suite("Detection of outliers")
struct OutlierFilterTests {
  private static func outliers(_ journey: Journey) -> [(point: TimelinePoint, reason: OutlierFilter.Reason)] {
    journey.results.outliers
  }

  @Test("a jump away and back within seconds is a spike, and other points are not flagged", arguments: [1, 3])
  func spike(_ count: Int) {
    var journey = Journey()
    journey.go(600, at: 1.4)
    let before = journey.points.count
    for _ in 0..<count {
      journey.stay(5, every: nil)
      journey.stray(north: 900, east: 300)
    }
    journey.stay(5, every: nil)
    journey.go(600, at: 1.4)
    let outliers = Self.outliers(journey)
    #expect(outliers.map(\.point) == Array(journey.points[before..<before + count]))
    #expect(outliers.allSatisfy { $0.reason == .spike })
  }

  @Test("a jump of 900 km and back is a teleport")
  func teleport() {
    var journey = Journey()
    journey.go(600, at: 1.4)
    journey.stay(5, every: nil)
    journey.stray(north: 900_000, east: 0)
    let wrong = journey.points.last
    journey.stay(5, every: nil)
    journey.go(600, at: 1.4)
    let outliers = Self.outliers(journey)
    #expect(outliers.map(\.point) == [wrong].compactMap(\.self) && outliers.first?.reason == .teleport)
  }

  @Test(
    "a repeated identical position of a cell is an outlier after the return, for any number of repetitions",
    arguments: [1, 5, 16])
  func repeated(_ count: Int) {
    var journey = Journey()
    journey.go(6_000, at: 20)
    let before = journey.points.count
    // The position is reached at 57 m/s after a gap of ten minutes.
    journey.stay(600, every: nil)
    for _ in 0..<count {
      journey.stray(north: 34_800, east: 0)
      journey.stay(32, every: nil)
    }
    journey.go(6_000, at: 20)
    #expect(Self.outliers(journey).map(\.point) == Array(journey.points[before..<before + count]))
  }

  @Test("a distant position after a gap is an outlier if the next position cannot be reached from it in time")
  func afterGap() {
    var journey = Journey()
    journey.stay(600)
    let before = journey.points.count
    journey.stay(1_300, every: nil)
    journey.stray(north: 0, east: 19_000)
    journey.stay(11, every: nil)
    journey.go(3_000, at: 15)
    #expect(Self.outliers(journey).map(\.point) == [journey.points[before]])
  }

  @Test(
    "of two contradictory positions after a gap, the one near the next position is valid",
    arguments: [true, false])
  func rivals(isFirstRight: Bool) {
    var journey = Journey()
    journey.stay(600)
    // An hour later the device is elsewhere.
    journey.go(40_000, at: 11, every: nil)
    if isFirstRight { journey.measure() }
    journey.stay(5, every: nil)
    journey.stray(north: 20_000, east: 0)
    let wrong = journey.points[journey.points.count - 1]
    journey.stay(5, every: nil)
    journey.measure()
    journey.stay(60, every: nil)
    journey.go(3_000, at: 10)
    #expect(Self.outliers(journey).map(\.point) == [wrong])
  }

  @Test("a long ride with a point every 15 minutes has no outlier, and its last position is in the track")
  func sparse() {
    var journey = Journey()
    journey.stay(600)
    for _ in 0..<12 { journey.go(24_000, at: 26, every: 924) }
    #expect(Self.outliers(journey).isEmpty)
    #expect(journey.results.tracks.last?.steps.last?.time == journey.points.last?.time)
  }

  @Test("0, 0 is an outlier")
  func nullIsland() {
    var journey = Journey()
    journey.go(100, at: 1.4)
    var builder = TimelineBuilder()
    var results = TimelineBuilder.Results()
    for point in journey.points { builder.add(.point(point), &results) }
    builder.add(.point(TimelinePoint(time: journey.time + 1000, latitude: 0, longitude: 0)), &results)
    #expect(results.outliers.map(\.reason) == [.nullIsland])
  }

  /// Fast but valid movements.
  enum Fast: String, CaseIterable, CustomTestStringConvertible {
    case motorway, train, plane, wakingUpFarAway, roundTripWithFewPoints
    var testDescription: String { rawValue }

    var journey: Journey {
      var journey = Journey()
      journey.stay(900)
      switch self {
      case .motorway: journey.go(60_000, at: 50, every: 10)
      case .train: journey.go(200_000, at: 90, every: 15)
      case .plane: journey.go(800_000, at: 250, every: 1)
      case .wakingUpFarAway:
        journey.go(60_000, at: 45, every: nil)
        journey.stay(3600)
      case .roundTripWithFewPoints:
        journey.go(20_000, at: 30, every: 300)
        journey.go(20_000, at: 30, every: 300, north: true)
      }
      journey.stay(900)
      return journey
    }
  }

  @Test("a fast but possible movement is not flagged", arguments: Fast.allCases)
  func fast(_ fast: Fast) {
    #expect(Self.outliers(fast.journey).isEmpty)
  }

  @Test("a confirmed jump is not an outlier")
  func proven() {
    var journey = Journey()
    journey.stay(900)
    journey.go(2_000_000, at: 2_000_000 / 60, every: nil)
    journey.stay(1800)
    #expect(Self.outliers(journey).isEmpty)
  }

  @Test("a point that the user has confirmed is never flagged")
  func trusted() {
    var journey = Journey()
    journey.go(600, at: 1.4)
    var builder = TimelineBuilder()
    var results = TimelineBuilder.Results()
    for point in journey.points { builder.add(.point(point), &results) }
    builder.add(.trusted(TimelinePoint(time: journey.time + 1000, latitude: 480_000_000, longitude: 160_000_000)), &results)
    #expect(results.outliers.isEmpty)
  }
}
