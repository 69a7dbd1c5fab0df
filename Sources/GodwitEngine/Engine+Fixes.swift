internal import GodwitModel

internal import struct Foundation.Date

/// What becomes of fixes and visits: wifi zone first, then accuracy, distance and time, then the collecting fields.
extension Engine {
  mutating func received(_ fixes: [Fix], at now: Date) -> [Effect] {
    guard let newest = fixes.max(by: { $0.time < $1.time }) else { return [] }
    let wanted = oneShot
    guard isTracking || !wanted.isEmpty else { return [] }
    var effects: [Effect] = []
    if isTracking, settingsInForce.trackingMode != .off || wanted.isRecording {
      locationProblem = nil
      let trigger: Trigger = wanted.fetches.isEmpty ? .regular : .backgroundFetch
      if policy != nil, isByPolicy {
        effects = tellPolicy(.fixes(zoneFix(at: now).map { [$0] } ?? fixes), trigger, at: now)
      } else {
        see(newest, at: now)
        effects = keep(fixes, trigger, at: now)
      }
    }
    // Whoever waits in the background may be stopped by the answer: what is to be recorded comes first.
    let isRecorded = !effects.isEmpty
    guard wifiZone != nil || Thinning.isPlace(newest) else { return effects }
    return effects + answerOneShots(with: zoneFix(at: now) ?? newest, isRecorded: isRecorded, at: now)
  }

  /// What comes late does not move where the device is.
  mutating func see(_ fix: Fix, at now: Date) {
    guard lastFix.map({ fix.time >= $0.time }) ?? true else { return }
    lastFix = fix
    lastFixReceived = now
  }

  /// Fixes that came and are none.
  mutating func missed(_ count: Int, _ reason: LedgerEntry.Reason) -> [Effect] {
    guard isTracking, count > 0 else { return [] }
    ledger.note(reason)
    if reason == .invalid { thinning.countInvalid(count) } else { lostFixes += count }
    return []
  }

  /// In a zone what a receiver says is replaced.
  private func zoneFix(at now: Date) -> Fix? {
    wifiZone.map { Fix(time: now, coordinate: $0.coordinate, horizontalAccuracy: 1, speed: 0) }
  }

  /// Applies the filters and records what passes.
  mutating func keep(_ fixes: [Fix], _ trigger: Trigger, at now: Date) -> [Effect] {
    guard isOnTrip || !settings.recordsOnlyTrips else {
      ledger.note(.notOnTrip)
      return []
    }
    // Once for a delivery.
    let zoneFix = zoneFix(at: now)
    let candidates = zoneFix.map { [$0] } ?? fixes
    if let zoneFix { see(zoneFix, at: now) }
    let settings = settingsInForce
    var records: [Record] = []
    records.reserveCapacity(candidates.count)
    let extras = self.settings.includesTrackingStats ? trackingStats(fixes: candidates.count) : nil
    for fix in candidates {
      let verdict = thinning.verdict(fix, settings)
      ledger.note(verdict, fixes: verdict == .recorded ? 1 : 0)
      guard verdict == .recorded else { continue }
      trip?.add(fix)
      records.append(Record(kind: .fix(fix), extras: extras))
    }
    guard !records.isEmpty else { return [] }
    return write(records, trigger, at: now)
  }

  /// Records, with the device's state and without what is not collected.
  mutating func write(_ records: [Record], _ trigger: Trigger? = nil, at now: Date) -> [Effect] {
    let context = recordContext(trigger)
    let fields = settings.fields
    let written = records.map { record in
      var record = record
      record.context = context
      return fields.filtering(record, received: now)
    }
    var effects: [Effect] = [.record(written)]
    if isOnTrip { effects.append(.keepTrip(keptTrip)) }
    return effects + forEach { $0.recorded(written.count, $1, at: now) }
  }

  mutating func visited(_ visit: Visit, cached: Fix?, at now: Date) -> [Effect] {
    if policy?.isAdaptive == true { return tellPolicy(.visit(visit), at: now) }
    guard isTracking, settings.main.tracksVisits, isOnTrip || !settings.recordsOnlyTrips else { return [] }
    var effects = write([Record(kind: .visit(visit))], visit.departure == nil ? .visitEntry : .visitExit, at: now)
    effects += passedBy(cached, at: now)
    if isOnTrip, visit.departure == nil {
      effects += tell(
        Notice(
          kind: .endTrip, title: "End the trip?", body: "You seem to have arrived.", answers: [.endTrip, .keepTrip]))
    }
    return effects
  }

  /// Somebody waits for such an event: it is sent at once.
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
    locationProblem = reason
    return failOneShots(reason)
  }

  /// The zone of the network that the device is connected to.
  var wifiZone: WifiZone? {
    guard let ssid = context.wifi else { return nil }
    return settings.wifiZones.first { $0.ssid == ssid }
  }

  func recordContext(_ trigger: Trigger?) -> DeviceContext {
    var context = context
    context.deviceID = settings.deviceID.isEmpty ? nil : settings.deviceID
    context.uniqueID = settings.includesUniqueID ? uniqueID : nil
    context.tripID = isOnTrip ? trip?.id : nil
    context.permission = authorization.permission
    context.trigger = trigger
    // Nothing that advertisers follow is kept where the person does not want to be followed.
    if context.advertising?.isOptedOut == true { context.advertising?.id = "" }
    return context
  }

  /// How the tracker was set, as the text of a JSON object: Overland's words, and its documentation's.
  private func trackingStats(fixes: Int) -> String {
    let settings = settingsInForce
    let (number, word) =
      switch settings.trackingMode {
      case .off: (0, "disabled")
      case .standard: (1, "disabled")
      case .significant: (2, "exclusive")
      case .both: (3, "enabled")
      }
    return """
      {"pauses":\(settings.pausesAutomatically),"activity":"\(settings.activityType.recordWord)",\
      "desired_accuracy":\(Int(settings.desiredAccuracy.meters)),"deferred":0,"significant_change":"\(word)",\
      "tracking_mode":\(number),"locations_in_payload":\(fixes)}
      """
  }
}
