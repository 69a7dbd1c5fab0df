import Foundation
import GodwitModel
import Testing

@testable import GodwitHistory
@testable import GodwitServer

@Suite("Computation of visits from points")
struct VisitTests {
  /// Whether two times in milliseconds differ by at most `seconds`.
  private static func near(_ a: Int64?, _ b: Int64, within seconds: Double) -> Bool {
    a.map { abs(Double($0 - b)) <= seconds * 1000 } ?? false
  }

  @Test("home, a trip and work are two visits with their times, and one trip between them")
  func day() throws {
    var journey = Journey()
    let start = journey.time
    journey.stay(3600)
    let left = journey.time
    journey.go(4000, at: 8)
    let arrived = journey.time
    let work = journey.place
    journey.stay(4 * 3600)
    let visits = journey.results.visits
    try #require(visits.count == 2)
    #expect(Self.near(visits[0].arrival, start, within: 61) && Self.near(visits[0].departure, left, within: 75))
    #expect(Self.near(visits[1].arrival, arrived, within: 75) && visits[1].departure == nil)
    #expect(GreatCircle.distance(visits[1].coordinate, work) < 30)
    let trips = journey.trips
    try #require(trips.count == 1)
    #expect(trips[0].start == visits[0].departure && trips[0].end == visits[1].arrival)
    #expect(abs(trips[0].distance - 4000) < 200)
  }

  @Test("jumping positions indoors cause no second visit and no trip")
  func jitter() throws {
    var journey = Journey()
    for _ in 0..<12 {
      journey.stay(1500, noise: 40)
      journey.stray(north: 130, east: 60)
      journey.stay(60, every: nil)
    }
    journey.stay(1500, noise: 40)
    #expect(journey.results.visits.count == 1)
    #expect(journey.trips.isEmpty)
  }

  @Test("a night without points is one stay, which ends before the walk to the next position")
  func gap() throws {
    var journey = Journey(at: "2026-05-04T18:00:00Z")
    journey.go(2000, at: 8)
    let arrival = journey.time
    journey.stay(12 * 3600, every: nil)
    let departure = journey.time
    journey.go(300, at: 1.4, every: nil)
    journey.measure()
    journey.go(5000, at: 8)
    let visits = journey.results.visits
    try #require(visits.count == 1)
    #expect(Self.near(visits[0].arrival, arrival, within: 30) && Self.near(visits[0].departure, departure, within: 60))
    #expect(visits[0].confidence < 0.7, "the stay has no positions")
  }

  @Test("a device that is far away after a gap has no visit during the gap")
  func gapElsewhere() {
    var journey = Journey()
    journey.go(3000, at: 8)
    journey.stay(5 * 3600, every: nil)
    journey.go(90_000, at: 25, every: nil)
    journey.measure()
    journey.go(3000, at: 8)
    #expect(journey.results.visits.isEmpty)
    #expect(journey.trips.count == 2, "two trips with a gap between them")
  }

  @Test("a visit that the device reports is a visit with its times, even without points")
  func reported() throws {
    var journey = Journey()
    journey.go(3000, at: 8)
    let arrival = journey.time
    let place = journey.place
    var points = journey.points.map { TimelineElement.point($0) }
    for time in [arrival, arrival + 3_600_000] {
      points.append(
        .trusted(
          TimelinePoint(
            time: time, latitude: Int32((place.latitude * 1e7).rounded()), longitude: Int32((place.longitude * 1e7).rounded()),
            isReported: true)))
    }
    journey.stay(3600, every: nil)
    let before = journey.points.count
    journey.go(3000, at: 8)
    points += journey.points[before...].map { .point($0) }
    var builder = TimelineBuilder()
    var results = TimelineBuilder.Results()
    for element in points { builder.add(element, &results) }
    results.visits += builder.open().visits
    try #require(results.visits.count == 1)
    #expect(Self.near(results.visits[0].departure, arrival + 3_600_000, within: 1))
    #expect(results.visits[0].isReported && results.visits[0].confidence >= 0.95)
  }

  @Test("the size of the state after a point is bounded, and its encoded text is decoded unchanged")
  func state() throws {
    var journey = Journey()
    // Forty hours of steady movement.
    journey.go(1_000_000, at: 7, every: 1)
    var builder = TimelineBuilder()
    var results = TimelineBuilder.Results()
    var maximum = 0
    for (index, point) in journey.points.enumerated() {
      builder.add(.point(point), &results)
      guard index.isMultiple(of: 20_000) else { continue }
      let text = try TimelineCoding.text(builder)
      maximum = max(maximum, text.utf8.count)
      #expect(try TimelineCoding.value(TimelineBuilder.self, text) == builder)
    }
    #expect(maximum < 1_200_000)
  }
}
