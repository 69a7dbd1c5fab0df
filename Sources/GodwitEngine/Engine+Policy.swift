internal import GodwitModel

internal import struct Foundation.Date

/// The policy in force: told what happens, and its wishes carried out.
extension Engine {
  /// Whether a policy decides now. A trip is collected as its settings say, and what is switched off is off.
  var isByPolicy: Bool {
    isTracking && !isOnTrip && settings.main.policy != .fixed && settings.main.trackingMode != .off
  }

  /// Tells the policy, and does what it makes of that.
  mutating func notifyPolicy(_ news: PolicyInput, _ trigger: Trigger = .regular, at now: Date) -> [Effect] {
    guard isByPolicy, let answer = policy.take(news, at: now) else { return [] }
    return carryOut(answer, of: news, trigger, at: now)
  }

  private mutating func carryOut(_ answer: PolicyAnswer, of news: PolicyInput, _ trigger: Trigger, at now: Date) -> [Effect] {
    var effects: [Effect] = []
    if let newest = answer.fixes.last { see(newest, at: now) }
    if !answer.fixes.isEmpty { effects += keep(answer.fixes, trigger, at: now) }
    if case .fixes(let fixes) = news, fixes.count > answer.fixes.count { ledger.note(answer.reason) }
    if settings.main.tracksVisits, !settings.recordsOnlyTrips {
      for visit in answer.visits {
        effects += write([Record(kind: .visit(visit))], visit.departure == nil ? .visitEntry : .visitExit, at: now)
      }
    }
    if let since = answer.asksMotionSince { effects.append(.askMotionHistory(from: since, to: now)) }
    if answer.isSettled { effects += sendByWifi(at: now) }
    return effects
  }

  /// What waits goes out when that costs next to nothing.
  mutating func sendByWifi(at now: Date) -> [Effect] {
    guard isByPolicy, policy.state?.isAdaptive == true, settings.sendInterval != nil, device.isOnWifi else { return [] }
    return drain(byOwner: false, at: now)
  }

  /// Begins and ends the policy, and brings about what it wants by now.
  mutating func settlePolicy(at now: Date) -> [Effect] {
    let isByPolicy = isByPolicy
    // Settings that decide by themselves are followed where they change; there is nothing to end either.
    guard isByPolicy || !policy.isNew else { return [] }
    var effects: [Effect] = []
    if !isByPolicy {
      policy.end()
    } else if policy.begins(settings.main.policy) {
      let rest = policy.begin(settings.main.policy)
      // The system paused for what was before, and may still watch a region for it.
      pause.since = nil
      if pause.watchesExit, !policy.watchesCircle { effects.append(.stopWatchingExit) }
      pause.watchesExit = false
      effects += notifyPolicy(.began(rest: rest), at: now)
    }
    return effects + configure() + policy.settle()
  }
}
