internal import GodwitModel

internal import struct Foundation.Date

/// How long the next fix can wait: until the line between two fixes may be too far from the way.
///
/// Between two fixes T seconds apart, somebody whose velocity changes by a metres per second in each second is at most
/// a·T²/8 from the straight line. a is learned from how far each fix is from where the one before pointed, a·T²/2; it rises
/// at once and falls slowly, so that a straight road earns trust and a corner takes it back.
struct Pace: Sendable, Hashable, Codable {
  /// Metres that the line may be off.
  static let tolerance: Meters = 14
  /// Seconds between two fixes, at least and at most.
  static let shortest = 8.0
  static let maximum = 25.0
  /// Share of what was known that stays when a quiet stretch follows.
  static let memory = 0.7
  /// An interval grows by so much at most.
  static let growth = 1.5

  /// Metres per second, each second.
  private(set) var agility = 0.05
  private(set) var interval = 15.0

  /// The motion chip sees another kind of motion: what is usual for it.
  mutating func expect(_ motion: Motion) {
    let usual: Double? =
      motion.contains(.driving)
      ? 0.4 : motion.contains(.cycling) ? 0.12 : motion.isDisjoint(with: [.walking, .running]) ? nil : 0.04
    guard let usual else { return }
    agility = usual
    interval = Self.interval(usual)
  }

  /// Two neighbouring fixes.
  mutating func learn(from before: Fix, to fix: Fix) {
    let seconds = fix.time.timeIntervalSince(before.time)
    guard seconds >= 2, seconds <= 3 * Self.maximum else { return }
    var expected = before.coordinate
    if let speed = before.speed, let course = before.course {
      expected = GreatCircle.destination(from: expected, course: course, distance: speed * seconds)
    }
    // What the receiver doubts is no turn.
    let doubt = ((before.horizontalAccuracy ?? 0) + (fix.horizontalAccuracy ?? 0)) / 2
    let miss = max(0, GreatCircle.distance(expected, fix.coordinate) - doubt)
    let seen = 2 * miss / (seconds * seconds)
    agility = max(seen, Self.memory * agility + (1 - Self.memory) * seen)
    interval = min(Self.interval(agility), interval * Self.growth)
  }

  private static func interval(_ agility: Double) -> Double {
    guard agility > 0 else { return maximum }
    return max(shortest, min(maximum, (8 * tolerance / agility).squareRoot()))
  }
}
