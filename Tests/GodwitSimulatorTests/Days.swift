import Foundation
import GodwitModel
import GodwitSimulator
import Testing

/// 2026-11-20 00:00:00 UTC.
let midnight = SimulatedTime(microseconds: 1_795_132_800_000_000)
/// The origin of the tracks of these tests.
let here = Coordinate(latitude: 45.5, longitude: 14)!  // in range

func at(_ seconds: Double) -> SimulatedTime { midnight + seconds }

/// Returns a recorded fix, in seconds after midnight and metres from `here`.
func sample(_ seconds: Double, north: Double = 0, east: Double = 0, altitude: Double? = nil) -> Fix {
  Fix(
    time: at(seconds).date,
    coordinate: GreatCircle.destination(
      from: GreatCircle.destination(from: here, course: 0, distance: north), course: 90, distance: east),
    altitude: altitude)
}

/// Returns a straight track to the north with a sample every five seconds.
func straight(from start: Double, seconds: Double, speed: Double, north: Double = 0) -> [Fix] {
  stride(from: 0, through: seconds, by: 5).map { sample(start + $0, north: north + speed * $0) }
}

/// Returns the true track of a phone that is always at one place in this environment.
func stationaryTruth(_ environment: Environment) throws -> Truth {
  var rules = TruthRules()
  rules.stretches = [
    TruthRules.Stretch(from: SimulatedTime(microseconds: .min + 1), to: .never, environment: environment)
  ]
  return try Truth(days: [[sample(0)]], rules: rules)
}

/// Returns the true track of a day: a night, a walk of half an hour, a drive of an hour, a stay, and the way back.
func ordinaryDay(_ environment: Environment = .suburb) throws -> Truth {
  var rules = TruthRules()
  rules.surroundings = .only(environment)
  let walk = straight(from: 28_800, seconds: 1_800, speed: 1.3)
  let drive = straight(from: 30_600, seconds: 3_600, speed: 15, north: 2_340)
  let back = straight(from: 61_200, seconds: 3_600, speed: -15, north: 56_340)
  return try Truth(days: [[sample(0)] + walk, drive, back, [sample(86_400)]], rules: rules)
}

extension World {
  /// Returns all events until `end`.
  mutating func events(until end: SimulatedTime) -> [WorldEvent] {
    var events: [WorldEvent] = []
    while let event = next(until: end) { events.append(event) }
    return events
  }

  mutating func advance(until end: SimulatedTime) { while next(until: end) != nil {} }
}

extension WorldEvent {
  var position: (fix: Fix, origin: PositionOrigin)? {
    if case .position(let fix, let origin) = self { (fix, origin) } else { nil }
  }
}

/// Seeds of property tests. A failure prints its seed.
let seeds: [UInt64] = [1, 7, 42, 1_000_003, 0xDEAD_BEEF, .max]
