internal import GodwitModel

internal import struct Foundation.Date

/// Computes how long the next fix can wait: until the straight line between two fixes may deviate too far from the path.
///
/// Between two fixes that are T seconds apart, a device whose velocity changes by a metres per second in each second deviates at most
/// a·T²/8 from the straight line. The value a is learned: the deviation of each fix from the extrapolation of the previous one is a·T²/2.
/// It rises at once and falls slowly, so that the interval becomes longer on a straight road and short again at a corner.
struct Pace: Sendable, Hashable, Codable {
  /// Permitted deviation of the line, metres.
  static let tolerance: Meters = 14
  /// Minimum and maximum seconds between two fixes.
  static let shortest = 8.0
  static let maximum = 25.0
  /// Weight of the earlier value of a when the new value is smaller.
  static let memory = 0.7
  /// Maximum factor by which an interval grows.
  static let growth = 1.5

  /// The value a: metres per second, each second.
  private(set) var agility = 0.05
  private(set) var interval = 15.0

  /// Sets the usual values of a kind of motion that the motion chip reports.
  mutating func expect(_ motion: Motion) {
    let usual: Double? =
      motion.contains(.driving)
      ? 0.4 : motion.contains(.cycling) ? 0.12 : motion.isDisjoint(with: [.walking, .running]) ? nil : 0.04
    guard let usual else { return }
    agility = usual
    interval = Self.interval(usual)
  }

  /// Learns from two successive fixes.
  mutating func learn(from before: Fix, to fix: Fix) {
    let seconds = fix.time.timeIntervalSince(before.time)
    guard seconds >= 2, seconds <= 3 * Self.maximum else { return }
    var expected = before.coordinate
    if let speed = before.speed, let course = before.course {
      expected = GreatCircle.destination(from: expected, course: course, distance: speed * seconds)
    }
    // A deviation within the accuracies of the fixes is not a turn.
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
