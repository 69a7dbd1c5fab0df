internal import GodwitModel

internal import struct Foundation.Date

/// An event in the form that a policy receives.
enum PolicyInput {
  /// The policy begins. `rest`: the place where the device rested when the program ended.
  case began(rest: Rest?)
  /// Positions, oldest first.
  case fixes([Fix])
  case motion(Motion, isSure: Bool)
  /// The history that ``PolicyResponse/asksMotionSince`` requested; empty: unknown.
  case motionHistory([MotionSpan])
  /// The device left the monitored circle.
  case leftCircle
  /// The system detected an arrival or a departure.
  case visit(Visit)
  /// The time ``PolicyState/wakeAt`` has come.
  case time
  /// A minute has passed in which the program ran.
  case minute
}

/// A circle whose exit is to be reported. A circle with another number is a new one, whose monitoring starts again.
struct ExitCircle: Sendable, Hashable, Codable {
  var center: Coordinate
  var radius: Meters
  var number = 0
}

/// The response of a policy to an event. Its continuing requests are properties of ``PolicyState``.
struct PolicyResponse {
  /// Positions to record, oldest first.
  var fixes: [Fix] = []
  /// Stays to record. Each is reported at its arrival and at its departure.
  var visits: [Visit] = []
  /// Why the other positions are not recorded.
  var reason = CoverageEntry.Reason.tooSoon
  /// The start of the motion history that is requested; `nil`: none is requested.
  var asksMotionSince: Date?
  /// Whether the device has come to rest, which is a good time to send.
  var isSettled = false
}

/// The policy in force, with its state.
enum PolicyState: Sendable, Hashable, Codable {
  case filtered
  case byMotion(ByMotion)
  case twoState(TwoState)
  case adaptive(Adaptive)

  /// `nil`: the policy is fixed, and the settings apply as they are.
  init?(_ policy: TrackingPolicy) {
    switch policy {
    case .fixed: return nil
    case .filtered: self = .filtered
    case .byMotion: self = .byMotion(ByMotion())
    case .twoState: self = .twoState(TwoState())
    case .adaptive: self = .adaptive(Adaptive())
    }
  }

  var policy: TrackingPolicy {
    switch self {
    case .filtered: .filtered
    case .byMotion: .byMotion
    case .twoState: .twoState
    case .adaptive: .adaptive
    }
  }

  mutating func handle(_ input: PolicyInput, at now: Date) -> PolicyResponse {
    switch self {
    case .filtered:
      return PolicyResponse(all: input)
    case .byMotion(var rule):
      defer { self = .byMotion(rule) }
      return rule.handle(input)
    case .twoState(var rule):
      defer { self = .twoState(rule) }
      return rule.handle(input, at: now)
    case .adaptive(var rule):
      defer { self = .adaptive(rule) }
      return rule.handle(input, at: now)
    }
  }

  /// The current request to the location services.
  func request(_ settings: LocationSettings) -> LocationRequest {
    var request = LocationRequest(settings)
    switch self {
    case .filtered: request.distanceFilter = ByMotion.filter
    case .byMotion(let rule): rule.fill(&request)
    case .twoState(let rule): rule.fill(&request)
    case .adaptive(let rule): rule.fill(&request)
    }
    return request
  }

  /// The circle whose exit is to be reported.
  var circle: ExitCircle? {
    switch self {
    case .filtered, .byMotion: nil
    case .twoState(let rule): rule.circle
    case .adaptive(let rule): rule.circle
    }
  }

  /// The time at which the policy needs the input `time`; `nil`: at no time.
  var wakeAt: Date? {
    switch self {
    case .filtered, .byMotion: nil
    case .twoState(let rule): rule.wakeAt
    case .adaptive(let rule): rule.wakeAt
    }
  }

  /// The rest that is stored across relaunches.
  var rest: Rest? { if case .adaptive(let rule) = self { rule.remembered } else { nil } }

  /// Whether the device rests, so that no updates of the location services are expected.
  var isResting: Bool {
    switch self {
    case .filtered, .byMotion: false
    case .twoState(let rule): rule.isResting
    case .adaptive(let rule): rule.isResting
    }
  }

  /// Whether the policy stops and starts updates itself. Pauses of the system are then ignored.
  var startsAndStops: Bool {
    switch self {
    case .filtered, .byMotion: false
    case .twoState, .adaptive: true
    }
  }

  /// Whether the policy itself determines which stays are reported and when records are sent.
  var isAdaptive: Bool { if case .adaptive = self { true } else { false } }
}

extension PolicyResponse {
  /// A response that records every position.
  init(all input: PolicyInput) {
    if case .fixes(let fixes) = input { self.fixes = fixes }
  }
}
