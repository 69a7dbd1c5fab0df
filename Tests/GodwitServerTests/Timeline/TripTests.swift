import Foundation
import GodwitModel
import Testing

@testable import GodwitHistory
@testable import GodwitServer

@Suite("Trips and their modes")
struct TripTests {
  @Test("a walk, a drive with a stop at a traffic light, and a walk are three parts of one trip")
  func segments() throws {
    var journey = Journey()
    journey.stay(900)
    journey.go(500, at: 1.4)
    journey.go(4000, at: 13, swing: 0.5)
    journey.stay(70, every: 5, noise: 3)
    journey.go(4000, at: 13, swing: 0.5)
    journey.go(500, at: 1.4)
    journey.stay(900)
    let trips = journey.trips
    try #require(trips.count == 1)
    #expect(
      trips[0].segments.map(\.mode) == [.walk, .car, .walk],
      "\(trips[0].segments.map { ($0.mode, $0.distance, $0.end - $0.start, $0.topSpeed) })")
    #expect(trips[0].mode == .car)
    #expect(abs(trips[0].distance - 9000) < 300)
    #expect(abs(trips[0].segments[1].distance - 8000) < 400)
    #expect(zip(trips[0].segments, trips[0].segments.dropFirst()).allSatisfy { $0.end == $1.start })
    #expect(trips[0].moving < Double(trips[0].end - trips[0].start) / 1000)
  }

  /// A movement and its expected mode.
  struct Given: Sendable {
    var speed: Double
    var every = 5.0
    var swing = 0.0
    var motion: Motion = []
    var mode: TravelMode
  }

  static let modes: [Given] = [
    Given(speed: 1.4, mode: .walk), Given(speed: 5, mode: .cycle), Given(speed: 3, motion: .running, mode: .run),
    Given(speed: 14, swing: 0.5, mode: .car), Given(speed: 12, swing: 0.4, motion: .driving, mode: .car),
    Given(speed: 70, mode: .train), Given(speed: 240, mode: .plane), Given(speed: 3, motion: .cycling, mode: .cycle),
    Given(speed: 20, swing: 0.1, motion: .walking, mode: .car),
  ]

  @Test("speed and motion determine the mode", arguments: modes.indices)
  func mode(_ index: Int) throws {
    let given = Self.modes[index]
    var journey = Journey()
    journey.stay(900)
    journey.go(given.speed * 1200, at: given.speed, every: given.every, motion: given.motion, swing: given.swing)
    journey.stay(900)
    let trip = try #require(journey.trips.first)
    #expect(trip.mode == given.mode)
    #expect(trip.confidence > 0.5)
  }

  @Test("a gap at the speed of a plane is a flight, and part of the trip")
  func flight() throws {
    var journey = Journey()
    journey.stay(900)
    journey.go(30_000, at: 25, swing: 0.2)
    journey.go(2_000_000, at: 220, every: nil)
    journey.measure()
    journey.go(20_000, at: 20, swing: 0.2)
    journey.stay(900)
    let trips = journey.trips
    try #require(trips.count == 1)
    #expect(trips[0].segments.map(\.mode) == [.car, .plane, .car])
  }

  @Test("a mode that the device reports has precedence over speeds")
  func reported() throws {
    var journey = Journey()
    journey.stay(900)
    let start = journey.time
    journey.go(9000, at: 5)
    let end = journey.time
    journey.stay(900)
    var builder = TimelineBuilder()
    var results = TimelineBuilder.Results()
    var elements = journey.points.map { TimelineElement.point($0) }
    elements.append(.trip(TripReport(start: start, end: end, mode: "boat")))
    for element in elements.sorted(by: { $0.time < $1.time }) { builder.add(element, &results) }
    let tracks = results.tracks + builder.open().tracks
    let trip = try #require(tracks.flatMap(TripMaker.trips).first)
    #expect(trip.mode == .boat && trip.segments.allSatisfy(\.isReported))
  }

  @Test(
    "a trip across midnight is one trip, and each day gets its part of the distance",
    arguments: ["UTC", "Asia/Tokyo", "America/St_Johns"])
  func midnight(_ name: String) throws {
    let zone = try #require(TimeZone(identifier: name))
    var days = LocalDays(zone)
    let midnight = days.start(of: 20_000)
    var journey = Journey(at: RFC3339.string(Date(millisecondsSince1970: midnight - 1_500_000)))
    journey.stay(900)
    journey.go(12_000, at: 10)
    journey.stay(900)
    let trip = try #require(journey.trips.first)
    #expect(journey.trips.count == 1)
    let shares = TripMaker.shares(of: trip, &days)
    #expect(Set(shares.map(\.day)) == [19_999, 20_000])
    #expect(abs(shares.reduce(0) { $0 + $1.distance } - trip.distance) < 1e-6)
    let before = shares.filter { $0.day == 19_999 }.reduce(0) { $0 + $1.seconds }
    #expect(abs(before - Double(midnight - trip.start) / 1000) < 0.01)
  }
}

@Suite("Local days")
struct LocalDaysTests {
  @Test(
    "a day begins at midnight, or at the end of a skipped midnight",
    arguments: [
      ("UTC", "2026-03-29", "2026-03-29T00:00:00Z", 24), ("Europe/Ljubljana", "2026-03-29", "2026-03-28T23:00:00Z", 23),
      ("Europe/Ljubljana", "2026-10-25", "2026-10-24T22:00:00Z", 25),
      ("America/Santiago", "2025-09-07", "2025-09-07T04:00:00Z", 23),
      ("Pacific/Auckland", "2026-06-01", "2026-05-31T12:00:00Z", 24),
      ("Asia/Kathmandu", "2026-06-01", "2026-05-31T18:15:00Z", 24),
    ])
  func starts(_ zone: String, _ date: String, _ start: String, _ hours: Int64) throws {
    var days = LocalDays(try #require(TimeZone(identifier: zone)))
    let day = DirtyDays.day(of: try #require(RFC3339.date(date + "T00:00:00Z")).millisecondsSince1970)
    let first = days.start(of: day)
    #expect(RFC3339.string(Date(millisecondsSince1970: first)).prefix(19) == start.prefix(19))
    #expect(days.day(of: first) == day && days.day(of: first - 1) == day - 1)
    #expect(days.start(of: day + 1) - first == hours * 3_600_000)
  }
}
