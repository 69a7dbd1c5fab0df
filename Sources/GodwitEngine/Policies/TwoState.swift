internal import GodwitModel

internal import struct Foundation.Date

/// The policy `two_state`, as the leading commercial plugin documents itself: moving and stationary, nothing between.
struct TwoState: Sendable, Hashable, Codable {
  /// Metres between two positions at walking speed.
  static let filter: Meters = 10
  /// Speeds are rounded to so many metres per second; each such step adds one more ``filter``.
  static let speedStep: MetersPerSecond = 5
  /// Seconds of standing still that make it stationary.
  static let stopTimeout = 300.0
  /// Metres round the stop; leaving them is moving again.
  static let exitRadius: Meters = 200
  /// Metres per second below which nobody moves.
  static let slowest: MetersPerSecond = 0.5

  private enum Phase: Sendable, Hashable, Codable {
    /// `still`: since when it stands.
    case moving(still: Date?)
    case stationary
  }

  private var phase = Phase.moving(still: nil)
  private var last: Fix?
  private var motion: Motion = []
  private(set) var circle: ExitCircle?
  private var speed: MetersPerSecond = 0

  var isResting: Bool { phase == .stationary }

  var wakeAt: Date? {
    if case .moving(let still?) = phase { still.addingTimeInterval(Self.stopTimeout) } else { nil }
  }

  mutating func handle(_ input: PolicyInput, at now: Date) -> PolicyResponse {
    switch input {
    case .fixes(let fixes): for fix in fixes { handle(fix, at: now) }
    case .motion(let seen, _):
      guard !seen.isEmpty else { break }
      motion = seen
      record(isStill: seen.contains(.stationary), at: now)
    case .leftCircle: move()
    case .time, .minute:
      if case .moving(let still?) = phase {
        // A clock that was set back makes nobody wait longer.
        if still > now { phase = .moving(still: now) }
        // The sum is that of `wakeAt`: a difference may be less by a rounding, and the timer would be due permanently.
        if now >= still.addingTimeInterval(Self.stopTimeout) { stop(at: now) }
      }
    case .began, .motionHistory, .visit: break
    }
    return PolicyResponse(all: input)
  }

  private mutating func handle(_ fix: Fix, at now: Date) {
    if phase == .stationary {
      // A significant change, or one that was on its way.
      if let circle {
        let moved = GreatCircle.distance(circle.center, fix.coordinate) - (fix.horizontalAccuracy ?? 0)
        if moved > Self.exitRadius { move() }
      }
    } else if let speed = fix.speed {
      self.speed = speed
      record(isStill: motion.contains(.stationary) || (motion.isEmpty && speed < Self.slowest), at: now)
    }
    last = fix
  }

  private mutating func record(isStill: Bool, at now: Date) {
    switch phase {
    case .moving(let still):
      if !isStill { phase = .moving(still: nil) } else if still == nil { phase = .moving(still: now) }
    case .stationary: if !isStill { move() }
    }
  }

  private mutating func stop(at now: Date) {
    // Without a place there is nothing to be left: it goes on looking, for as long again, or its timer would be due permanently.
    guard let last else {
      phase = .moving(still: now)
      return
    }
    phase = .stationary
    circle = ExitCircle(center: last.coordinate, radius: Self.exitRadius)
  }

  private mutating func move() {
    phase = .moving(still: nil)
    (circle, speed) = (nil, 0)
  }

  func fill(_ request: inout LocationRequest) {
    request.pausesAutomatically = false
    guard phase != .stationary else {
      request.mode = .significant
      return
    }
    // With a filter only the indicator keeps the program running (since iOS 16.4).
    (request.mode, request.desiredAccuracy, request.showsBackgroundIndicator) = (.standard, .best, true)
    let steps = (speed / Self.speedStep).rounded()
    request.distanceFilter = max(1, steps) * Self.filter
  }
}
