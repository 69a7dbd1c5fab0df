internal import Foundation
internal import GodwitModel

/// Rule 7: the updates of a stationary device are paused. For a manager they do not resume automatically.
struct AutomaticPause: Sendable {
  /// The radius in metres within which a device counts as stationary.
  static let stillness: Meters = 50

  /// Whether the app allows pauses.
  var isAllowed = true
  var activity = CLActivityType.other
  private(set) var isPaused = false
  private var stillSince: Fix?

  /// Ends a pause, when updates are started again or the app comes to the foreground.
  mutating func start() {
    isPaused = false
    stillSince = nil
  }

  /// Processes a position.
  /// - Parameters:
  ///   - fix: the position.
  ///   - profile: the profile of the operating system.
  ///   - doubts: whether a move within the position's accuracy is ignored. It is not ignored for a manager: the noise of
  ///     network positions prevents a pause of its updates.
  /// - Returns: whether updates are paused at this position.
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

  /// The distance in metres within which a position does not prove a move: twice its accuracy, and at least ``stillness``.
  private static func reach(_ fix: Fix) -> Meters { max(stillness, 2 * (fix.horizontalAccuracy ?? 0)) }

  /// Whether this position is away from the place where updates were paused.
  mutating func hasLeft(_ fix: Fix) -> Bool {
    guard let anchor = stillSince else {
      stillSince = fix
      return false
    }
    return GreatCircle.distance(anchor.coordinate, fix.coordinate) > Self.reach(fix)
  }

  /// Pauses updates.
  mutating func pause() { isPaused = true }

  /// Adjusts the stored time after the clock was moved by a number of seconds.
  mutating func move(by seconds: Double) { stillSince?.time += seconds }
}
