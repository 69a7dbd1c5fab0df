internal import GodwitModel

internal import struct Foundation.Date

/// Processing of fixes and visits: wifi zone first, then accuracy, distance and time, then the collecting fields.
extension Engine {
  mutating func received(_ fixes: [Fix], at now: Date) -> [Effect] {
    guard let newest = fixes.max(by: { $0.time < $1.time }) else { return [] }
    let (wanted, zoneFix) = (oneShot, recorder.device.zoneFix(settings, instead: fixes, at: now))
    guard isTracking || !wanted.isEmpty else { return [] }
    var effects: [Effect] = []
    if isTracking, settingsInForce.trackingMode != .off || wanted.isRecording {
      recorder.permission.problem = nil
      let trigger = wanted.trigger
      if policy.state != nil, isByPolicy {
        effects = notifyPolicy(.fixes(zoneFix.map { [$0] } ?? fixes), trigger, at: now)
      } else {
        recorder.updateLastFix(newest, at: now)
        effects = recorder.record(fixes, trigger, at: now)
      }
    }
    // The result may stop a program in the background, so the record comes first.
    let isRecorded = effects.contains { if case .record = $0 { true } else { false } }
    guard zoneFix != nil || Thinning.isPlace(newest) else { return effects }
    return effects + completeOneShots(with: zoneFix ?? newest, isRecorded: isRecorded, at: now)
  }

  mutating func visited(_ visit: Visit, cached: Fix?, at now: Date) -> [Effect] {
    if policy.state?.isAdaptive == true { return notifyPolicy(.visit(visit), at: now) }
    guard isTracking, settings.main.tracksVisits, isOnTrip || !settings.recordsOnlyTrips else { return [] }
    var effects = recorder.write([Record(kind: .visit(visit))], visit.departure == nil ? .visitEntry : .visitExit, at: now)
    effects += recordCached(cached, at: now)
    if isOnTrip, visit.departure == nil {
      effects += recorder.notify(.arrived)
    }
    return effects
  }

  mutating func locationFailed(_ reason: String, at now: Date) -> [Effect] {
    recorder.permission.problem = reason
    return oneShot.fail(reason)
  }
}
