internal import GodwitModel

internal import struct Foundation.Date

/// Processing of fixes and visits: wifi zone first, then accuracy, distance and time, then the collecting fields.
extension Engine {
  mutating func received(_ fixes: [Fix], at now: Date) -> [Effect] {
    guard let newest = fixes.max(by: { $0.time < $1.time }) else { return [] }
    let wanted = oneShot
    guard isTracking || !wanted.isEmpty else { return [] }
    var effects: [Effect] = []
    if isTracking, settingsInForce.trackingMode != .off || wanted.isRecording {
      permission.problem = nil
      let trigger = wanted.trigger
      if policy.state != nil, isByPolicy {
        effects = notifyPolicy(.fixes(device.zoneFix(settings, at: now).map { [$0] } ?? fixes), trigger, at: now)
      } else {
        see(newest, at: now)
        effects = keep(fixes, trigger, at: now)
      }
    }
    // The result may stop a program in the background, so the record comes first.
    let isRecorded = !effects.isEmpty
    guard device.zone(settings) != nil || Thinning.isPlace(newest) else { return effects }
    return effects + answerOneShots(with: device.zoneFix(settings, at: now) ?? newest, isRecorded: isRecorded, at: now)
  }

  /// Updates the newest fix. A late fix does not change the present position.
  mutating func see(_ fix: Fix, at now: Date) {
    guard lastFix.map({ fix.time >= $0.time }) ?? true else { return }
    lastFix = fix
    lastFixReceived = now
  }

  /// Counts rejected fixes.
  mutating func missed(_ count: Int, _ reason: LedgerEntry.Reason) -> [Effect] {
    guard isTracking, count > 0 else { return [] }
    ledger.note(reason)
    if reason == .invalid { thinning.countInvalid(count) } else { lostFixes += count }
    return []
  }

  /// Applies the filters and records what passes.
  mutating func keep(_ fixes: [Fix], _ trigger: Trigger, at now: Date) -> [Effect] {
    guard isOnTrip || !settings.recordsOnlyTrips else {
      ledger.note(.notOnTrip)
      return []
    }
    // Once for each delivery of fixes.
    let zoneFix = device.zoneFix(settings, at: now)
    let candidates = zoneFix.map { [$0] } ?? fixes
    if let zoneFix { see(zoneFix, at: now) }
    let current = settingsInForce
    var records: [Record] = []
    records.reserveCapacity(candidates.count)
    let extras = settings.includesTrackingStats ? current.trackingStats(fixes: candidates.count) : nil
    for fix in candidates {
      let verdict = thinning.verdict(fix, current)
      ledger.note(verdict, fixes: verdict == .recorded ? 1 : 0)
      guard verdict == .recorded else { continue }
      trips.running?.add(fix)
      records.append(Record(kind: .fix(fix), extras: extras))
    }
    guard !records.isEmpty else { return [] }
    return write(records, trigger, at: now)
  }

  /// Records with the device's state and without fields that are not collected.
  mutating func write(_ records: [Record], _ trigger: Trigger? = nil, at now: Date) -> [Effect] {
    let context = recordContext(trigger)
    let fields = settings.fields
    let written = records.map { record in
      var record = record
      record.context = context
      return fields.filtering(record, received: now)
    }
    var effects: [Effect] = [.record(written)]
    if isOnTrip { effects.append(.keepTrip(trips.kept(settings.fields))) }
    return effects + queues.recorded(written.count, sendingConditions, at: now)
  }

  mutating func visited(_ visit: Visit, cached: Fix?, at now: Date) -> [Effect] {
    if policy.state?.isAdaptive == true { return notifyPolicy(.visit(visit), at: now) }
    guard isTracking, settings.main.tracksVisits, isOnTrip || !settings.recordsOnlyTrips else { return [] }
    var effects = write([Record(kind: .visit(visit))], visit.departure == nil ? .visitEntry : .visitExit, at: now)
    effects += passedBy(cached, at: now)
    if isOnTrip, visit.departure == nil {
      effects += tell(.arrived)
    }
    return effects
  }

  /// Records a region event and sends it at once.
  mutating func crossed(_ event: RegionEvent, at now: Date) -> [Effect] {
    let trigger: Trigger =
      switch event.kind {
      case .entered: .regionEntry
      case .exited: .regionExit
      case .dwelled: .regular
      }
    return write([Record(kind: .region(event))], trigger, at: now) + drain(byOwner: false, at: now)
  }

  mutating func locationFailed(_ reason: String, at now: Date) -> [Effect] {
    permission.problem = reason
    return oneShot.fail(reason)
  }

  func recordContext(_ trigger: Trigger?) -> DeviceContext {
    device.recorded(settings, uniqueID: uniqueID, trip: isOnTrip ? trip : nil, authorization, trigger)
  }
}
