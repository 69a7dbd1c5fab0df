internal import GodwitModel

internal import struct Foundation.Date

/// The policy `two_state`, as the leading commercial plugin documents its behaviour: the device is either moving or stationary.
struct TwoState: Sendable, Hashable, Codable {
  /// Metres between two positions at walking speed.
  static let filter: Meters = 10
  /// Speeds are rounded to multiples of this, metres per second. Each step adds one more ``filter``.
  static let speedStep: MetersPerSecond = 5
  /// Seconds of standing still after which the device is stationary.
  static let stopTimeout = 300.0
  /// Radius around the stop, metres. The device moves again when it leaves the circle.
  static let exitRadius: Meters = 200
  /// Metres per second below which the device stands still.
  static let slowest: MetersPerSecond = 0.5

  private enum Phase: Sendable, Hashable, Codable {
    /// `still`: the start of standing; `nil`: the device moves.
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
        // A clock that was set back does not extend the wait.
        if still > now { phase = .moving(still: now) }
        // The sum is the same as in `wakeAt`. A difference may be smaller by a rounding error, and the timer would be due permanently.
        if now >= still.addingTimeInterval(Self.stopTimeout) { stop(at: now) }
      }
    case .began, .motionHistory, .visit: break
    }
    return PolicyResponse(all: input)
  }

  private mutating func handle(_ fix: Fix, at now: Date) {
    if phase == .stationary {
      // A significant change, or a fix that was requested before the stop.
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
    // Without a fix there is no place whose exit could be monitored. The wait starts again, because the timer would be due permanently.
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
    // With a distance filter, only the indicator keeps the program running (since iOS 16.4).
    (request.mode, request.desiredAccuracy, request.showsBackgroundIndicator) = (.standard, .best, true)
    let steps = (speed / Self.speedStep).rounded()
    request.distanceFilter = max(1, steps) * Self.filter
  }
}
