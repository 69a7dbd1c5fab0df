internal import GodwitModel

internal import struct Foundation.Date

/// An event in the form that a policy receives.
enum PolicyInput {
  /// The policy takes over. - `rest`: where the device rested when the program ended.
  case began(rest: Rest?)
  /// Positions, oldest first.
  case fixes([Fix])
  case motion(Motion, isSure: Bool)
  /// What was asked for with ``PolicyResponse/asksMotionSince``; empty: nothing is known.
  case motionHistory([MotionSpan])
  /// The device left the circle that was to be watched.
  case leftCircle
  /// The system saw it arrive or leave.
  case visit(Visit)
  /// The time that the policy wanted to be reported has come.
  case time
  /// A minute has passed in which the program ran.
  case minute
}

/// A circle whose leaving is to be reported. Another number makes it another one, which is watched again.
struct ExitCircle: Sendable, Hashable, Codable {
  var center: Coordinate
  var radius: Meters
  var number = 0
}

/// What a policy makes of an event, beside what it asks for from now on.
struct PolicyResponse {
  /// Positions worth a record, oldest first.
  var fixes: [Fix] = []
  /// Stays, reported at their beginning and at their end.
  var visits: [Visit] = []
  /// Why the other positions are not worth one.
  var reason = CoverageEntry.Reason.tooSoon
  /// What the motion chip has seen since then is wanted.
  var asksMotionSince: Date?
  /// The device has come to rest: a good moment to send.
  var isSettled = false
}

/// The rule that is in force, with its state.
enum PolicyState: Sendable, Hashable, Codable {
  case filtered
  case byMotion(ByMotion)
  case twoState(TwoState)
  case adaptive(Adaptive)

  /// `nil`: the settings hold as they are.
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

  /// What is asked of the location services from now on.
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

  /// The circle whose leaving is to be reported.
  var circle: ExitCircle? {
    switch self {
    case .filtered, .byMotion: nil
    case .twoState(let rule): rule.circle
    case .adaptive(let rule): rule.circle
    }
  }

  /// When it needs the time.
  var wakeAt: Date? {
    switch self {
    case .filtered, .byMotion: nil
    case .twoState(let rule): rule.wakeAt
    case .adaptive(let rule): rule.wakeAt
    }
  }

  /// What is to be remembered over a relaunch.
  var rest: Rest? { if case .adaptive(let rule) = self { rule.remembered } else { nil } }

  /// Whether it is at rest, so that nothing is expected of the location services.
  var isResting: Bool {
    switch self {
    case .filtered, .byMotion: false
    case .twoState(let rule): rule.isResting
    case .adaptive(let rule): rule.isResting
    }
  }

  /// Whether it ends and begins updates itself, so that the system's pauses are none of its business.
  var startsAndStops: Bool {
    switch self {
    case .filtered, .byMotion: false
    case .twoState, .adaptive: true
    }
  }

  /// Whether it decides itself which stays are reported, and when something is sent.
  var isAdaptive: Bool { if case .adaptive = self { true } else { false } }
}

extension PolicyResponse {
  /// Every position is worth a record.
  init(all input: PolicyInput) {
    if case .fixes(let fixes) = input { self.fixes = fixes }
  }
}
