internal import Foundation
internal import GodwitModel

/// Rule 3: a position after a move of 500 m or more, at most once in five minutes.
///
/// Its times are those of the positions, so that a replayed day has the same changes at any speed.
struct SignificantChanges: Sendable {
  private var last: Fix?

  /// - Parameter slowness: how many times as long as usual it waits.
  /// - Returns: whether this position is to be reported; the first always is.
  mutating func update(_ fix: Fix, _ profile: OSProfile, slowness: Double) -> Bool {
    guard let before = last else {
      last = fix
      return true
    }
    let elapsed = fix.time.timeIntervalSince(before.time)
    let distance = GreatCircle.distance(before.coordinate, fix.coordinate)
    // What is only known to a kilometre proves no move of less: at a desk, wifi and cell positions take turns. The accuracy
    // is meant to hold 68 % of the errors, and twice that 95 %.
    let doubt = 2 * max(before.horizontalAccuracy ?? 0, fix.horizontalAccuracy ?? 0)
    let isMove = elapsed >= profile.significantInterval * slowness && distance >= max(profile.significantDistance, doubt)
    let isHeartbeat = profile.significantHeartbeat.map { elapsed >= $0 * slowness } ?? false
    guard isMove || isHeartbeat else { return false }
    last = fix
    return true
  }

  /// The clock was moved by so many seconds.
  mutating func move(by seconds: Double) { last?.time += seconds }
}
