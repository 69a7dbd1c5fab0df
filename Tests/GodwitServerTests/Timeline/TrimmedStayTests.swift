import Foundation
import GodwitModel
import Testing

@testable import GodwitHistory

@Suite("Start and end of stays")
struct TrimmedStayTests {
  @Test(
    "a stay between two trips starts and ends with them, at any speed",
    arguments: [1.0, 1.4, 4, 15], [5.0, 20])
  func edges(_ speed: Double, _ every: Double) throws {
    var journey = Journey()
    journey.stay(1800)
    journey.go(3000, at: speed, every: every)
    let arrival = journey.time
    journey.stay(3600, every: 20, noise: 10)
    let departure = journey.time
    journey.go(3000, at: speed, every: every, north: true)
    journey.stay(1800)
    let visits = journey.results.visits
    try #require(visits.count == 3)
    let errors = [visits[1].arrival - arrival, (visits[1].departure ?? 0) - departure].map { abs(Double($0)) / 1000 }
    #expect(errors.allSatisfy { $0 <= 20 }, "\(errors)")
  }

  @Test("a trip starts where its stay ends and has the whole path, without a gap")
  func wholePath() throws {
    var journey = Journey()
    journey.stay(1800)
    journey.go(1000, at: 1.4)
    journey.stay(1800)
    let results = journey.results
    let trip = try #require(results.tracks.flatMap(TripMaker.trips).first)
    try #require(results.visits.count == 2)
    #expect(trip.start == results.visits[0].end && trip.end == results.visits[1].arrival)
    // The path begins and ends at the edges of the places.
    #expect(abs(trip.distance - 1000) < 80, "\(trip.distance) m")
    #expect(abs(Double(trip.end - trip.start) / 1000 - 1000 / 1.4) < 40)
  }

  @Test("a stay that would be shorter than five minutes without its approach includes the approach")
  func short() throws {
    var journey = Journey()
    journey.go(1000, at: 1)
    journey.stay(200, every: 10)
    journey.go(1000, at: 1)
    let visits = journey.results.visits
    #expect(visits.allSatisfy { $0.end - $0.arrival >= 300_000 }, "\(visits)")
    #expect(visits.count == 1)
  }

  @Test("positions that drift away for minutes before the departure are part of the stay")
  func wandering() throws {
    var journey = Journey()
    journey.stay(1800, every: 20)
    // A drift of 60 m, as indoors.
    journey.go(60, at: 2)
    journey.stay(240, every: 20)
    let departure = journey.time
    journey.go(2000, at: 8, north: true)
    journey.stay(1800)
    let visits = journey.results.visits
    try #require(visits.count == 2)
    #expect(abs(Double((visits[0].departure ?? 0) - departure)) < 60_000)
  }

  @Test("encoding and decoding the state after every point gives the same stays")
  func restored() throws {
    var journey = Journey()
    for index in 0..<4 {
      journey.stay(1200 + Double(index) * 300, every: 10, noise: 15)
      journey.go(800, at: 1.2, north: index.isMultiple(of: 2))
    }
    var builder = TimelineBuilder()
    var results = TimelineBuilder.Results()
    for point in journey.points {
      builder.add(.point(point), &results)
      builder = try TimelineCoding.value(TimelineBuilder.self, TimelineCoding.text(builder))
    }
    #expect(results.visits + builder.open().visits == journey.results.visits)
  }
}
