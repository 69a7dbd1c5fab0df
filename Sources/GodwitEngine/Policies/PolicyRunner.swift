internal import GodwitModel

internal import struct Foundation.Date

/// The policy in force, and the requests that are in effect for it.
struct PolicyRunner: Sendable, Hashable, Codable {
  /// The policy in force with its state; `nil`: the settings alone apply.
  private(set) var state: PolicyState?
  /// Whether the next policy starts from its initial state, even if it is the same policy as before.
  private(set) var isNew = true
  private var watchedCircle: ExitCircle?
  private var timer: Date?
  /// The rest as the journal has it, and the rest that the launch reported.
  private var keptRest: Rest?
  private var rememberedRest: Rest?

  init(rest: Rest? = nil) { (keptRest, rememberedRest) = (rest, rest) }

  /// Whether a circle is monitored for the policy.
  var watchesCircle: Bool { watchedCircle != nil }

  /// Passes an input to the policy. - Returns: its response; `nil`: there is no policy.
  mutating func handle(_ input: PolicyInput, at now: Date) -> PolicyResponse? { state?.handle(input, at: now) }

  /// Whether a policy must begin, because it differs from the policy in force.
  func begins(_ policy: TrackingPolicy) -> Bool { isNew || state?.policy != policy }

  /// Begins a policy. - Returns: the place where the device rested when the program ended.
  mutating func begin(_ policy: TrackingPolicy) -> Rest? {
    isNew = false
    state = PolicyState(policy)
    defer { rememberedRest = nil }
    return rememberedRest
  }

  mutating func end() {
    state = nil
    isNew = true
  }

  mutating func timerFired() { timer = nil }

  /// Returns the effects that make the region, the timer and the stored rest match the requests of the policy.
  mutating func reconcile() -> [Effect] {
    var effects: [Effect] = []
    let circle = state?.circle
    if circle != watchedCircle {
      watchedCircle = circle
      effects.append(circle.map { .watchExit($0.center, radius: $0.radius) } ?? .stopWatchingExit)
    }
    if state?.wakeAt != timer {
      timer = state?.wakeAt
      effects.append(timer.map { .setTimer(.policy, $0) } ?? .cancelTimer(.policy))
    }
    if state?.rest != keptRest {
      keptRest = state?.rest
      effects.append(.storeRest(keptRest))
    }
    return effects
  }
}
