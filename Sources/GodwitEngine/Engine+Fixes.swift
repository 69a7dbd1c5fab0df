internal import GodwitModel

internal import struct Foundation.Date

/// What becomes of fixes and visits: wifi zone first, then accuracy, distance and time, then the collecting fields.
extension Engine {
  mutating func received(_ fixes: [Fix], at now: Date) -> [Effect] {
    guard let newest = fixes.max(by: { $0.time < $1.time }) else { return [] }
    let wanted = oneShot
    guard isTracking || !wanted.isEmpty else { return [] }
    var effects = answerOneShots(with: newest, at: now)
    guard isTracking, settingsInForce.trackingMode != .off || wanted.isRecording else { return effects }
    locationProblem = nil
    if lastFix.map({ newest.time >= $0.time }) ?? true { lastFix = newest }
    let trigger: Trigger = wanted.fetches.isEmpty ? .regular : .backgroundFetch
    effects += keep(fixes, trigger, at: now)
    // Silence means something only where updates come continuously.
    let isWanted = settings.notifies && pausedSince == nil && settingsInForce.trackingMode.isContinuous
    return effects + (isWanted ? reminder.push(at: now) : reminder.withdraw())
  }

  /// Fixes that came and are none.
  mutating func missed(_ count: Int, _ reason: LedgerEntry.Reason) -> [Effect] {
    guard isTracking, count > 0 else { return [] }
    ledger.note(reason)
    if reason == .invalid { thinning.countInvalid(count) } else { lostFixes += count }
    return []
  }

  /// Applies the filters and records what passes.
  mutating func keep(_ fixes: [Fix], _ trigger: Trigger, at now: Date) -> [Effect] {
    // In a zone what the receiver says is replaced, once for a delivery.
    let candidates =
      wifiZone.map { zone in
        [Fix(time: now, coordinate: zone.coordinate, horizontalAccuracy: 1, speed: 0)]
      } ?? fixes
    if wifiZone != nil, let place = candidates.first { lastFix = place }
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
    if isOnTrip { effects.append(.keepTrip(trip)) }
    return effects + forEach { $0.recorded(written.count, $1, at: now) }
  }

  mutating func visited(_ visit: Visit, cached: Fix?, at now: Date) -> [Effect] {
    guard isTracking, settings.main.tracksVisits else { return [] }
    var effects = write([Record(kind: .visit(visit))], visit.departure == nil ? .visitEntry : .visitExit, at: now)
    // Where the device is now is worth a record of its own, unless it is one already.
    if let cached, cached.time > (thinning.lastKept?.time ?? .distantPast) { effects += keep([cached], .passive, at: now) }
    if isOnTrip, visit.departure == nil {
      effects += tell(
        Notice(
          kind: .endTrip, title: "End the trip?", body: "You seem to have arrived.", answers: [.endTrip, .keepTrip]))
    }
    return effects
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
