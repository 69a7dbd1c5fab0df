internal import Foundation
internal import GodwitModel

/// Rule 3: a position after each move of 500 m or more, at most once in five minutes.
///
/// Its times are those of the positions, so that a replayed file has the same changes at any speed.
struct SignificantChanges: Sendable {
  private var last: Fix?

  /// Processes a position.
  /// - Parameter slowness: the factor by which intervals are longer than usual.
  /// - Returns: whether to report this position. The first position is always reported.
  mutating func update(_ fix: Fix, _ profile: OSProfile, slowness: Double) -> Bool {
    guard let before = last else {
      last = fix
      return true
    }
    let elapsed = fix.time.timeIntervalSince(before.time)
    let distance = GreatCircle.distance(before.coordinate, fix.coordinate)
    // A move must exceed the accuracy of the positions: for a stationary device wifi and cell positions can alternate. The
    // accuracy covers 68 % of the errors, and twice the accuracy 95 %.
    let doubt = 2 * max(before.horizontalAccuracy ?? 0, fix.horizontalAccuracy ?? 0)
    let isMove = elapsed >= profile.significantInterval * slowness && distance >= max(profile.significantDistance, doubt)
    let isHeartbeat = profile.significantHeartbeat.map { elapsed >= $0 * slowness } ?? false
    guard isMove || isHeartbeat else { return false }
    last = fix
    return true
  }

  /// Adjusts the stored time after the clock was moved by a number of seconds.
  mutating func move(by seconds: Double) { last?.time += seconds }
}
