internal import GodwitModel

internal import struct Foundation.Date

/// The policy in force, and what was asked for on its behalf.
struct PolicyRunner: Sendable, Hashable, Codable {
  /// The rule that decides what is asked for; `nil`: the settings alone.
  private(set) var state: PolicyState?
  /// Whether the next policy restarts, though it may be the one of before.
  private(set) var isNew = true
  private var watchedCircle: ExitCircle?
  private var timer: Date?
  /// Where the device rests, as the journal knows it, and as a launch reported it.
  private var keptRest: Rest?
  private var rememberedRest: Rest?

  init(rest: Rest? = nil) { (keptRest, rememberedRest) = (rest, rest) }

  /// Whether a circle is watched on its behalf.
  var watchesCircle: Bool { watchedCircle != nil }

  /// What the policy makes of an event; `nil`: there is none.
  mutating func handle(_ input: PolicyInput, at now: Date) -> PolicyResponse? { state?.handle(input, at: now) }

  /// Whether it has to begin, because it is another one than before.
  func begins(_ policy: TrackingPolicy) -> Bool { isNew || state?.policy != policy }

  /// Begins. - Returns: where the device rested when the program ended.
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

  /// The effects that bring region, timer and stored rest in line with the policy.
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
