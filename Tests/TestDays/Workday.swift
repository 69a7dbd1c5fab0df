package import GodwitModel
package import GodwitSimulator

/// 2026-11-20 00:00:00 UTC.
package let midnight = SimulatedTime(microseconds: 1_795_132_800_000_000)
/// An invented home.
package let home = Coordinate(latitude: 45.5, longitude: 14)!  // in range

package func at(_ seconds: Double) -> SimulatedTime { midnight + seconds }

/// Returns a fix `seconds` after midnight, `north` and `east` metres from home.
package func sample(_ seconds: Double, north: Double = 0, east: Double = 0) -> Fix {
  Fix(
    time: at(seconds).date,
    coordinate: GreatCircle.destination(
      from: GreatCircle.destination(from: home, course: 0, distance: north), course: 90, distance: east))
}

/// Returns a straight track to the north with one fix every five seconds.
package func straight(from start: Double, seconds: Double, speed: Double, north: Double = 0) -> [Fix] {
  stride(from: 0, through: seconds, by: 5).map { sample(start + $0, north: north + speed * $0) }
}

/// Returns a day: at home, a walk of 30 minutes at 08:00, a drive of an hour, work, the drive back at 17:00, home.
package func workday() throws -> Truth {
  let walk = straight(from: 28_800, seconds: 1_800, speed: 1.3)
  let drive = straight(from: 30_600, seconds: 3_600, speed: 15, north: 2_340)
  let back = straight(from: 61_200, seconds: 3_756, speed: -15, north: 56_340)
  var rules = TruthRules()
  rules.surroundings = .only(.suburb)
  return try Truth(days: [[sample(0)], walk, drive, back, [sample(86_400)]], rules: rules)
}

/// Returns the time `hours` after midnight.
package func hours(_ hours: Double) -> SimulatedTime { at(hours * 3600) }
