internal import GodwitModel

internal import struct Foundation.Date

/// Records and queues the data of a tracker: applies the filters to fixes, adds the state of the device to records, and passes
/// records to the queues of the endpoints. The engine decides when something is recorded.
struct Recorder: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case settings
    case isTracking
    case lastFix
    case lastFixReceived
    case lostFixes
    case permission
    case trips
    case serverSettings
    case queues
    case thinning
    case coverage = "ledger"
    case device
    case uniqueID
  }

  var settings: Settings
  var isTracking = false
  /// The newest fix that the location services delivered, recorded or not.
  var lastFix: Fix?
  /// The time at which `lastFix` arrived; `nil`: it arrived in an earlier run.
  var lastFixReceived: Date?
  /// The number of fixes that were dropped because they arrived faster than they could be processed.
  var lostFixes = 0
  var permission = Permission()
  var trips = Trips()
  var serverSettings = ServerSettings()
  var queues: EndpointQueues
  var thinning = Thinning()
  var coverage = CoverageLog()
  var device = DeviceState()
  /// The identifier of the device, used if the settings include it in records.
  let uniqueID: String?

  init(settings: Settings, uniqueID: String?, queues: EndpointQueues) {
    self.settings = settings
    self.uniqueID = uniqueID
    self.queues = queues
  }

  /// Whether a trip is running.
  var isOnTrip: Bool { trips.isOn }

  /// Updates the newest fix. A fix that arrives late does not change it.
  mutating func updateLastFix(_ fix: Fix, at now: Date) {
    guard lastFix.map({ fix.time == $0.time || fix.follows($0, at: now) }) ?? true else { return }
    lastFix = fix
    lastFixReceived = now
  }

  /// Counts fixes that were rejected or lost before the engine received them.
  mutating func missed(_ count: Int, _ reason: CoverageEntry.Reason) -> [Effect] {
    guard isTracking, count > 0 else { return [] }
    coverage.record(reason)
    if reason == .invalid { thinning.countInvalid(count) } else { lostFixes += count }
    return []
  }

  /// Applies the filters and records the remaining fixes.
  mutating func record(_ fixes: [Fix], _ trigger: Trigger, at now: Date) -> [Effect] {
    guard isOnTrip || !settings.recordsOnlyTrips else {
      coverage.record(.notOnTrip)
      return []
    }
    // The zone is determined once for each delivery of fixes.
    let zoneFix = device.zoneFix(settings, instead: fixes, at: now)
    let candidates = zoneFix.map { [$0] } ?? fixes
    if let zoneFix { updateLastFix(zoneFix, at: now) }
    let current = settingsInForce
    var records: [Record] = []
    records.reserveCapacity(candidates.count)
    let extras = settings.includesTrackingStats ? current.trackingStats(fixes: candidates.count) : nil
    for fix in candidates {
      let decision = thinning.decision(fix, current, at: now)
      coverage.record(decision, fixes: decision == .recorded ? 1 : 0)
      guard decision == .recorded else { continue }
      trips.running?.add(fix, at: now)
      records.append(Record(kind: .fix(fix), extras: extras))
    }
    guard !records.isEmpty else { return [] }
    return write(records, trigger, at: now)
  }

  /// Records with the state of the device and without the fields that are not collected.
  mutating func write(_ records: [Record], _ trigger: Trigger? = nil, at now: Date) -> [Effect] {
    let context = recordContext(trigger)
    let fields = settings.fields
    let written = records.map { record in
      var record = record
      record.context = context
      return fields.filtering(record, received: now)
    }
    var effects: [Effect] = [.record(written)]
    if isOnTrip { effects.append(.storeTrip(trips.kept(settings.fields))) }
    return effects + queues.recorded(written.count, sendingConditions, at: now)
  }

  /// Records a region event and sends it at once.
  mutating func crossed(_ event: RegionEvent, at now: Date) -> [Effect] {
    let trigger: Trigger =
      switch event.kind {
      case .entered: .regionEntry
      case .exited: .regionExit
      case .dwelled, .crossed: .regular
      }
    return write([Record(kind: .region(event))], trigger, at: now) + drain(byUser: false, at: now)
  }

  func recordContext(_ trigger: Trigger?) -> DeviceContext {
    device.recorded(settings, uniqueID: uniqueID, trip: isOnTrip ? trips.running : nil, permission.authorization, trigger)
  }

  /// Returns a notice about the time in which the program did not run, if that time is long enough.
  func reportGap(since end: Date, at now: Date) -> [Effect] {
    let minutes = Int(now.timeIntervalSince(end) / 60)
    // The coverage log is written only every few minutes, and the system may restart a program at once. A shorter gap is not certain.
    guard Double(minutes) * 60 > Reminder.interval + Double(CoverageLog.writtenEvery) * 60 else { return [] }
    return notify(.gap(minutes: minutes))
  }

  mutating func resumeCoverage(_ launch: Launch, at now: Date) -> [Effect] {
    let lines = coverage.resume(after: launch.coverageEnd, because: launch.wasTracking ? .killed : .off, at: now)
    return lines.isEmpty ? [] : [.storeCoverage(lines)]
  }

  /// The settings in force: those of a trip while one is running.
  var settingsInForce: LocationSettings {
    isOnTrip ? settings.main.during(settings.trip) : settings.main
  }

  /// Returns a notice if the settings enable notices.
  func notify(_ notice: Notice, at time: Date? = nil) -> [Effect] { settings.notifies ? [.notify(notice, at: time)] : [] }

  /// Returns a record of an event of the tracker itself, if the settings include such records.
  mutating func action(_ name: String, at now: Date) -> [Effect] {
    guard settings.includesTrackingStats else { return [] }
    return write([Record(kind: .action(Action(time: now, name: name, coordinate: lastFix?.coordinate)))], at: now)
  }

  /// The present conditions for sending.
  var sendingConditions: SendingConditions {
    let current = settingsInForce
    return SendingConditions(
      interval: settings.sendInterval, batchSize: current.batchSize, loggingMode: current.loggingMode,
      serverMode: serverSettings.mode(isOnTrip: isOnTrip), isOnWifi: device.isOnWifi,
      batteryState: device.context.batteryState, trip: isOnTrip ? trips.kept(settings.fields) : nil, notifies: settings.notifies)
  }

  mutating func drain(byUser: Bool, at now: Date) -> [Effect] {
    queues.drain(byUser: byUser, sendingConditions, at: now)
  }

  /// Handles the removal of records that an endpoint had not acknowledged. - Parameter isOld: whether they waited too long.
  mutating func lost(_ endpoint: EndpointID, _ count: Int, isOld: Bool) -> [Effect] {
    queues.lost(endpoint, count, isOld: isOld, notifies: settings.notifies)
  }

  /// Handles the removal of records that an endpoint had rejected. - Parameter isOld: whether they were kept too long.
  mutating func lostQuarantined(_ endpoint: EndpointID, _ count: Int, isOld: Bool) -> [Effect] {
    queues.lostQuarantined(endpoint, count, isOld: isOld, notifies: settings.notifies)
  }

  mutating func finishTrip(steps: Int?, at now: Date) -> [Effect] {
    guard let (finished, ending) = trips.finish() else { return [] }
    let record = Record(kind: .trip(finished.finished(ending, steps: steps)))
    var effects: [Effect] = [.cancelTimer(.steps)]
    effects += write([record], at: now)
    // Stored in the transaction of the record, so that no relaunch finishes the trip a second time.
    effects.insert(.storeTrip(nil), at: 2)
    if ending.isAutomatic {
      effects += notify(.tripEnded(byMotion: finished.beganByMotion))
    }
    return effects + drain(byUser: false, at: now)
  }
}
