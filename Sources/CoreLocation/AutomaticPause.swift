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

  /// The app started anew, or came to the front.
  mutating func start() {
    isPaused = false
    stillSince = nil
  }

  /// - Returns: whether this position is the one at which updates are paused.
  mutating func take(_ fix: Fix, _ profile: OSProfile) -> Bool {
    guard isAllowed, !isPaused, let time = profile.pauseAfter.time(for: activity) else { return false }
    guard let anchor = stillSince, GreatCircle.distance(anchor.coordinate, fix.coordinate) <= Self.stillness else {
      stillSince = fix
      return false
    }
    guard fix.time.timeIntervalSince(anchor.time) >= time else { return false }
    isPaused = true
    stillSince = fix
    return true
  }

  /// Whether this position is away from where updates were paused. One that is known to a kilometre proves no move of less.
  mutating func hasLeft(_ fix: Fix) -> Bool {
    guard let anchor = stillSince else {
      stillSince = fix
      return false
    }
    return GreatCircle.distance(anchor.coordinate, fix.coordinate) > max(Self.stillness, fix.horizontalAccuracy ?? 0)
  }

  /// Updates are paused now.
  mutating func pause() { isPaused = true }

  /// The clock was moved by so many seconds.
  mutating func move(by seconds: Double) { stillSince?.time += seconds }
}
