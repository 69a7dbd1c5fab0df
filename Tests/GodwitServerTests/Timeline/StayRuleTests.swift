import Foundation
import GodwitModel
import Testing

@testable import GodwitHistory
@testable import GodwitServer

@Suite("Rules for stays and trips")
struct StayRuleTests {
  /// A day with a walk with slow parts and stops, recorded every five seconds, and a drive there and back.
  private static func walk(_ seed: UInt64) -> Journey {
    var journey = Journey(seed: seed)
    journey.stay(3600)
    journey.go(9000, at: 12, swing: 0.4)
    for part in 0..<14 {
      journey.go(180 + journey.random() * 60, at: 1.2, north: part.isMultiple(of: 2))
      journey.stay(360 + journey.random() * 500, every: 5, noise: 20)
      // Slow movement: 150 m in more than eight minutes.
      journey.go(150, at: 0.3)
      if part.isMultiple(of: 5) { journey.go(1200, at: 1.3) }
    }
    journey.go(9000, at: 12, swing: 0.4)
    journey.stay(3600)
    return journey
  }

  /// Expects the rules that every timeline satisfies.
  private static func check(_ results: TimelineBuilder.Results, _ comment: Comment) {
    let trips = results.tracks.flatMap(TripMaker.trips)
    for trip in trips {
      #expect(trip.end - trip.start >= 60_000, "\(comment): \(trip.distance) m in \(trip.end - trip.start) ms")
      for segment in trip.segments where segment.end > segment.start {
        let speed = segment.distance / Double(segment.end - segment.start) * 1000
        #expect(speed <= segment.mode.fastest + 0.01, "\(comment): \(segment.mode) at \(speed) m/s")
      }
    }
    for (visit, next) in zip(results.visits, results.visits.dropFirst()) { #expect(visit.end <= next.arrival, comment) }
    for trip in trips {
      for visit in results.visits { #expect(visit.end <= trip.start || visit.arrival >= trip.end, comment) }
    }
  }

  @Test(
    "stops of a walk in one place are one stay, and no trip is shorter than a minute or faster than its mode allows",
    arguments: 1...6 as ClosedRange<UInt64>)
  func rests(_ seed: UInt64) {
    let journey = Self.walk(seed)
    let results = journey.results
    Self.check(results, "seed \(seed)")
    let trips = results.tracks.flatMap(TripMaker.trips)
    #expect(results.visits.count <= 12 && trips.count <= 12, "\(results.visits.count) visits, \(trips.count) trips")
    // Visits and trips cover nearly the whole day.
    let known = results.visits.reduce(0) { $0 + $1.end - $1.arrival } + trips.reduce(0) { $0 + $1.end - $1.start }
    let whole = (journey.points.last?.time ?? 0) - (journey.points.first?.time ?? 0)
    #expect(Double(known) >= 0.97 * Double(whole))
  }

  @Test("the timeline of random tracks satisfies the rules", arguments: 1...12 as ClosedRange<UInt64>)
  func lives(_ seed: UInt64) {
    Self.check(TimelineStoreTests.randomTrack(seed, days: 6).results, "seed \(seed)")
  }

  /// Two stays with their minutes, and the movement between them.
  struct Pair: Sendable, CustomTestStringConvertible {
    var name: String
    var first: Double
    var metres: Double
    var speed: Double
    var second: Double
    var visits: Int
    var testDescription: String { name }
  }

  @Test(
    "two stops are one visit or two",
    arguments: [
      Pair(name: "two stops of a walk", first: 10, metres: 200, speed: 1.2, second: 12, visits: 1),
      Pair(name: "two distant stops of a walk", first: 10, metres: 700, speed: 1.2, second: 12, visits: 2),
      Pair(name: "a long stay and a nearby one", first: 200, metres: 200, speed: 1.2, second: 40, visits: 2),
      Pair(name: "two stops with a drive between them", first: 10, metres: 290, speed: 9, second: 12, visits: 2),
    ])
  func pairs(_ pair: Pair) {
    var journey = Journey()
    journey.go(3000, at: 8)
    journey.stay(pair.first * 60, every: 30)
    journey.go(pair.metres, at: pair.speed)
    journey.stay(pair.second * 60, every: 30)
    journey.go(3000, at: 8)
    #expect(journey.results.visits.count == pair.visits)
    Self.check(journey.results, "\(pair.name)")
  }

  @Test("time that is too short for a trip belongs to the previous stay")
  func noHole() throws {
    var journey = Journey()
    journey.go(3000, at: 8)
    journey.stay(3600, every: 5)
    // The device moves to the next building without a point in between.
    journey.go(180, at: 4.5, every: nil)
    journey.stay(3600, every: 5)
    journey.go(3000, at: 8)
    let visits = journey.results.visits
    try #require(visits.count == 2)
    #expect(visits[0].departure == visits[1].arrival)
    #expect(journey.trips.count == 2)
  }
}
