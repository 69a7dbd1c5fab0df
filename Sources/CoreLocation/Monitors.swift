internal import Foundation
internal import GodwitModel

/// What one manager has the system watch besides its updates: significant changes, visits, regions, and its own pause.
/// Times are those of the positions, so that a replayed day has the same events at any speed.
struct Monitors: Sendable {
  /// Metres and seconds of a significant change (Apple: 500 m or more, at most once in five minutes).
  static let significantDistance: Meters = 500
  static let significantInterval = 300.0
  /// Metres within which a device stands still, and seconds after which its updates are paused (Overland's users
  /// measured about ten minutes).
  static let stillness: Meters = 50
  static let pauseAfter = 600.0
  /// Metres beyond a boundary, and seconds there, that make a crossing.
  static let cushion: Meters = 20
  static let crossingTime = 20.0

  /// A circle that is watched.
  struct Watch: Sendable {
    var center: Coordinate
    var radius: Meters
    var isInside: Bool?
    /// Since when the device has been on the other side.
    var otherSideSince: Date?
  }

  enum Happening: Sendable, Equatable {
    case significantChange(Fix)
    case entered(String)
    case exited(String)
    case paused
  }

  var watchesSignificantChanges = false
  var watchesVisits = false
  var regions: [String: Watch] = [:]
  /// Whether updates may be paused, and are.
  var pausesAutomatically = true
  private(set) var isPaused = false

  private var lastSignificant: Fix?
  private var stillSince: Fix?

  var isIdle: Bool { !watchesSignificantChanges && !watchesVisits && regions.isEmpty }

  mutating func startUpdating() {
    isPaused = false
    stillSince = nil
  }

  /// - Parameter isUpdating: whether the manager has continuous updates, which can be paused.
  mutating func take(_ fix: Fix, isUpdating: Bool) -> [Happening] {
    var happenings: [Happening] = []
    if watchesSignificantChanges, isSignificant(fix) {
      lastSignificant = fix
      happenings.append(.significantChange(fix))
    }
    for identifier in regions.keys.sorted() {
      if let crossing = cross(identifier, fix) { happenings.append(crossing) }
    }
    if isUpdating, pausesAutomatically, !isPaused, standsStill(fix) {
      isPaused = true
      happenings.append(.paused)
    }
    return happenings
  }

  private func isSignificant(_ fix: Fix) -> Bool {
    guard let last = lastSignificant else { return true }
    return fix.time.timeIntervalSince(last.time) >= Self.significantInterval
      && GreatCircle.distance(last.coordinate, fix.coordinate) >= Self.significantDistance
  }

  private mutating func standsStill(_ fix: Fix) -> Bool {
    guard let anchor = stillSince, GreatCircle.distance(anchor.coordinate, fix.coordinate) <= Self.stillness else {
      stillSince = fix
      return false
    }
    return fix.time.timeIntervalSince(anchor.time) >= Self.pauseAfter
  }

  private mutating func cross(_ identifier: String, _ fix: Fix) -> Happening? {
    guard var watch = regions[identifier] else { return nil }
    defer { regions[identifier] = watch }
    let distance = GreatCircle.distance(watch.center, fix.coordinate)
    guard let wasInside = watch.isInside else {
      // Where the device is at first is no crossing.
      watch.isInside = distance <= watch.radius
      return nil
    }
    let isOver =
      wasInside ? distance > watch.radius + Self.cushion : distance < watch.radius - min(Self.cushion, watch.radius / 2)
    guard isOver else {
      watch.otherSideSince = nil
      return nil
    }
    let since = watch.otherSideSince ?? fix.time
    watch.otherSideSince = since
    guard fix.time.timeIntervalSince(since) >= Self.crossingTime else { return nil }
    watch.isInside = !wasInside
    watch.otherSideSince = nil
    return wasInside ? .exited(identifier) : .entered(identifier)
  }
}

/// Notices stays in a stream of positions: one for the whole system.
struct StayDetector: Sendable {
  /// Metres of a place, and of leaving it.
  static let extent: Meters = 100
  static let departureDistance: Meters = 150
  /// Seconds after which being in one place is a stay (Overland: about three minutes).
  static let arrivalAfter = 180.0

  private var anchor: Fix?
  private var stay: (center: Coordinate, arrival: Date)?

  /// The end or the beginning of a stay, if this position shows one.
  mutating func take(_ fix: Fix) -> Visit? {
    if let stay {
      guard GreatCircle.distance(stay.center, fix.coordinate) > Self.departureDistance else { return nil }
      self.stay = nil
      anchor = fix
      return Visit(
        time: fix.time, coordinate: stay.center, horizontalAccuracy: Self.extent / 2, arrival: stay.arrival,
        departure: fix.time)
    }
    guard let anchor, GreatCircle.distance(anchor.coordinate, fix.coordinate) <= Self.extent else {
      self.anchor = fix
      return nil
    }
    guard fix.time.timeIntervalSince(anchor.time) >= Self.arrivalAfter else { return nil }
    stay = (anchor.coordinate, anchor.time)
    return Visit(
      time: fix.time, coordinate: anchor.coordinate, horizontalAccuracy: Self.extent / 2, arrival: anchor.time)
  }
}
