internal import GodwitModel

internal import struct Foundation.Date

/// The active policy: passes events to it and executes its responses.
extension Engine {
  /// Whether a policy decides at present. During a trip the settings of the trip apply, and tracking that is off stays off.
  var isByPolicy: Bool {
    isTracking && !isOnTrip && settings.main.policy != .fixed && settings.main.trackingMode != .off
  }

  /// Passes an input to the policy and executes its response.
  mutating func notifyPolicy(_ input: PolicyInput, _ trigger: Trigger = .regular, at now: Date) -> [Effect] {
    guard isByPolicy, let response = policy.handle(input, at: now) else { return [] }
    return carryOut(response, of: input, trigger, at: now)
  }

  private mutating func carryOut(_ response: PolicyResponse, of input: PolicyInput, _ trigger: Trigger, at now: Date) -> [Effect]
  {
    var effects: [Effect] = []
    if let newest = response.fixes.last { recorder.updateLastFix(newest, at: now) }
    if !response.fixes.isEmpty { effects += recorder.record(response.fixes, trigger, at: now) }
    if case .fixes(let fixes) = input, fixes.count > response.fixes.count { recorder.coverage.record(response.reason) }
    if settings.main.tracksVisits, !settings.recordsOnlyTrips {
      for visit in response.visits {
        effects += recorder.write([Record(kind: .visit(visit))], visit.departure == nil ? .visitEntry : .visitExit, at: now)
      }
    }
    if let since = response.asksMotionSince { effects.append(.askMotionHistory(from: since, to: now)) }
    if response.isSettled { effects += sendByWifi(at: now) }
    return effects
  }

  /// Sends waiting records over wifi, where sending costs little energy.
  mutating func sendByWifi(at now: Date) -> [Effect] {
    guard isByPolicy, policy.state?.isAdaptive == true, settings.sendInterval != nil, recorder.device.isOnWifi else { return [] }
    return recorder.drain(byUser: false, at: now)
  }

  /// Starts or ends the policy, and executes its current requests.
  mutating func applyPolicy(at now: Date) -> [Effect] {
    let isByPolicy = isByPolicy
    // The fixed policy has no state: it takes effect where the settings change, and needs no end.
    guard isByPolicy || !policy.isNew else { return [] }
    var effects: [Effect] = []
    if !isByPolicy {
      policy.end()
    } else if policy.begins(settings.main.policy) {
      let rest = policy.begin(settings.main.policy)
      // The pause belongs to the earlier configuration. The region of that configuration may still be monitored.
      pause.since = nil
      if pause.watchesExit, !policy.watchesCircle { effects.append(.stopWatchingExit) }
      pause.watchesExit = false
      effects += notifyPolicy(.began(rest: rest), at: now)
    }
    return effects + configure() + policy.reconcile()
  }
}
