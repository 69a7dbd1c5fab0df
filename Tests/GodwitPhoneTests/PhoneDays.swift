import Foundation
import Godwit
import GodwitModel
import GodwitSimulator
import Synchronization

@testable import GodwitPhone

/// 2026-11-20 00:00:00 UTC.
let midnight = SimulatedTime(microseconds: 1_795_132_800_000_000)
/// A home that is nobody's.
let home = Coordinate(latitude: 45.5, longitude: 14)!  // in range

func at(_ seconds: Double) -> SimulatedTime { midnight + seconds }

/// A recorded place, metres north and east of home, seconds after midnight.
func sample(_ seconds: Double, north: Double = 0, east: Double = 0) -> Fix {
  Fix(
    time: at(seconds).date,
    coordinate: GreatCircle.destination(
      from: GreatCircle.destination(from: home, course: 0, distance: north), course: 90, distance: east))
}

/// Straight on to the north, a sample every five seconds.
func straight(from start: Double, seconds: Double, speed: Double, north: Double = 0) -> [Fix] {
  stride(from: 0, through: seconds, by: 5).map { sample(start + $0, north: north + speed * $0) }
}

/// A day: at home, a walk of 30 minutes at 08:00, a drive of an hour, work, the drive back at 17:00, home.
func workday() throws -> Truth {
  let walk = straight(from: 28_800, seconds: 1_800, speed: 1.3)
  let drive = straight(from: 30_600, seconds: 3_600, speed: 15, north: 2_340)
  let back = straight(from: 61_200, seconds: 3_756, speed: -15, north: 56_340)
  var rules = TruthRules()
  rules.surroundings = .only(.suburb)
  return try Truth(days: [[sample(0)], walk, drive, back, [sample(86_400)]], rules: rules)
}

/// Settings that record every position that comes.
func everything() -> Settings {
  var settings = Settings()
  settings.apply(.highResolution)
  return settings
}

/// What the server got, and what the tracker wrote down.
final class Books: Sendable {
  private let state = Mutex((records: [Record](), trackers: 0))

  func store(_ record: Record) { state.withLock { $0.records.append(record) } }
  func launched() { state.withLock { $0.trackers += 1 } }
  var records: [Record] { state.withLock { $0.records } }
  var launches: Int { state.withLock { $0.trackers } }
}
