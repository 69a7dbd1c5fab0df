internal import Foundation
internal import GodwitModel

/// Rule 7: updates of a device that stands still are paused, and do not go on by themselves.
struct AutomaticPause: Sendable {
  /// Metres within which a device stands still.
  static let stillness: Meters = 50

  /// What the app asks for.
  var isAllowed = true
  var activity = CLActivityType.other
  private(set) var isPaused = false
  private var stillSince: Fix?

  /// The app was started again or came to the foreground.
  mutating func start() {
    isPaused = false
    stillSince = nil
  }

  /// - Parameters:
  ///   - fix: a position.
  ///   - profile: what the system is like.
  ///   - doubts: whether a rough position proves no small move, which it does for a manager: there the noise of networks keeps
  ///     updates going.
  /// - Returns: whether this position is the one at which updates are paused.
  mutating func update(_ fix: Fix, _ profile: OSProfile, doubts: Bool = false) -> Bool {
    guard isAllowed, !isPaused, let time = profile.pauseAfter.time(for: activity) else { return false }
    let reach = doubts ? Self.reach(fix) : Self.stillness
    guard let anchor = stillSince, GreatCircle.distance(anchor.coordinate, fix.coordinate) <= reach else {
      stillSince = fix
      return false
    }
    guard fix.time.timeIntervalSince(anchor.time) >= time else { return false }
    isPaused = true
    stillSince = fix
    return true
  }

  /// Metres within which a position may be and the device not have moved: one that is known to a kilometre proves no move of
  /// less than two.
  private static func reach(_ fix: Fix) -> Meters { max(stillness, 2 * (fix.horizontalAccuracy ?? 0)) }

  /// Whether this position is away from where updates were paused.
  mutating func hasLeft(_ fix: Fix) -> Bool {
    guard let anchor = stillSince else {
      stillSince = fix
      return false
    }
    return GreatCircle.distance(anchor.coordinate, fix.coordinate) > Self.reach(fix)
  }

  /// Updates are paused now.
  mutating func pause() { isPaused = true }

  /// The clock was moved by so many seconds.
  mutating func move(by seconds: Double) { stillSince?.time += seconds }
}
