internal import GodwitModel

internal import struct Foundation.Date

/// A pause of updates by the system, and the circle whose exit ends it.
struct Pause: Sendable, Hashable, Codable {
  /// The start of the pause; `nil`: updates are not paused.
  var since: Date?
  /// Whether a circle is monitored, for this pause or for one before a relaunch.
  var watchesExit = false

  mutating func watchExit(from place: Coordinate?, radius: Meters) -> [Effect] {
    guard let place else { return [] }
    watchesExit = true
    return [.watchExit(place, radius: radius)]
  }

  mutating func stopWatching() -> [Effect] {
    guard watchesExit else { return [] }
    watchesExit = false
    return [.stopWatchingExit]
  }

  /// Ends the pause. - Parameter isOnTrip: whether a trip is running, which the pause would have ended.
  mutating func end(isOnTrip: Bool) -> [Effect] {
    since = nil
    return stopWatching() + (isOnTrip ? [.cancelTimer(.tripGrace), .withdraw(.endTrip)] : [])
  }

  /// Handles a changed radius in the settings.
  mutating func radiusChanged(_ radius: Meters?, place: Coordinate?) -> [Effect] {
    guard let radius else { return stopWatching() }
    return since == nil ? [] : watchExit(from: place, radius: radius)
  }
}
