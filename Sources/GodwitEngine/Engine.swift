public import GodwitModel

public import struct Foundation.Date

/// The decisions of a tracker: a pure state machine, `(state, event) → (state, effects)`.
///
/// It reads no clock, holds no thread and touches no file: the same events at the same times give the same effects. The
/// caller executes the effects in order and reports their results as events. Each rule has a file beside this one. The
/// whole state can be encoded, so that a fault report may begin at any step.
public struct Engine: Sendable, Hashable, Codable {
  public internal(set) var settings: Settings
  public internal(set) var isTracking = false
  /// Newest fix that the location services delivered, recorded or not.
  public internal(set) var lastFix: Fix?
  /// When it arrived; `nil`: in an earlier run.
  public internal(set) var lastFixReceived: Date?
  /// Fixes that arrived faster than they could be processed.
  public internal(set) var lostFixes = 0

  var permission = Permission()
  var pause = Pause()
  var trips = Trips()
  var policy = PolicyRunner()
  var serverSettings = ServerSettings()
  var queues: EndpointQueues
  var thinning = Thinning()
  var ledger = Ledger()
  var reminder = Reminder()
  var oneShot = OneShot()
  var device = DeviceState()
  /// The last request to the location services.
  var requested: LocationRequest?
  /// Identifier of the device's system, used if the settings include it in records.
  let uniqueID: String?

  public init(settings: Settings, plans: [EndpointPlan], uniqueID: String? = nil) {
    self.settings = settings
    self.uniqueID = uniqueID
    queues = EndpointQueues(plans)
  }

  /// Creates an engine whose endpoints follow the settings.
  public init(settings: Settings, endpoints: [EndpointID], uniqueID: String? = nil) {
    self.init(settings: settings, plans: endpoints.map { EndpointPlan($0) }, uniqueID: uniqueID)
  }

  /// Handles an event and returns the effects to execute.
  public mutating func handle(_ event: Event, at now: Date) -> [Effect] {
    var effects: [Effect] = []
    if case .launched(let launch) = event {
      effects = resumeLedger(launch, at: now)
    } else {
      let lines = ledger.advance(to: now, standing: standingReason)
      if !lines.isEmpty { effects = [.keepLedger(lines)] }
    }
    effects += react(to: event, at: now)
    effects += settlePolicy(at: now)
    effects += serverSettings.settleLifeline(settings, isTracking: isTracking, at: now)
    let hasFixes = if case .fixes = event { true } else { false }
    return effects + reminder.settle(isWanted: expectsFixes, isPushed: hasFixes, at: now)
  }

  private mutating func react(to event: Event, at now: Date) -> [Effect] {
    switch event {
    case .launched(let launch): return launched(launch, at: now)
    case .start: return startTracking()
    case .stop: return stopTracking(at: now)
    case .sendNow: return drain(byOwner: true, at: now)
    case .purge: return [.purge] + queues.purge()
    case .startTrip(let mode): return startTrip(mode ?? settings.tripMode, at: now)
    case .stopTrip: return endTrip(end: now, isAutomatic: false, at: now)
    case .stepsCounted(let steps): return finishTrip(steps: steps, at: now)
    case .answered(.endTrip): return [.withdraw(.endTrip)] + endTrip(end: now, isAutomatic: false, at: now)
    case .answered(.keepTrip): return [.withdraw(.endTrip), .cancelTimer(.tripGrace)]
    case .authorizationChanged(let authorization): return authorizationChanged(authorization)
    case .fixes(let fixes): return received(fixes, at: now)
    case .fixesLost(let count, let reason): return missed(count, reason)
    case .visit(let visit, let cached): return visited(visit, cached: cached, at: now)
    case .locationFailed(let reason): return locationFailed(reason, at: now)
    case .paused: return paused(at: now)
    case .resumed: return resumed(at: now)
    case .region(let event): return crossed(event, at: now)
    case .leftRegion: return policy.state?.startsAndStops == true ? notifyPolicy(.leftCircle, at: now) : leftRegion(at: now)
    case .motionHistory(let spans): return notifyPolicy(.motionHistory(spans), at: now)
    case .becameActive(let cached): return becameActive(cached: cached, at: now)
    case .backgroundFetch(let number, let cached): return backgroundFetch(number, cached: cached, at: now)
    case .locationWanted(let number): return locationWanted(number, at: now)
    case .settingsChanged(let settings): return ownerChanged(settings, at: now)
    case .settingsSet(let values): return ownerSet(values, at: now)
    case .settingsOffered(let endpoint, let offers): return offered(offers, by: endpoint, at: now)
    case .contextChanged(let context): return contextChanged(context, at: now)
    case .motionChanged(let motion, let isSure): return motionChanged(motion, isSure: isSure, at: now)
    case .networkChanged(let isReachable, let isWifi):
      device.networkChanged(isReachable: isReachable, isWifi: isWifi)
      guard isReachable else { return [] }
      return queues.networkReturned(sendingConditions, at: now) + (device.isWifi == true ? sendByWifi(at: now) : [])
    case .timerFired(let timer): return timerFired(timer, at: now)
    case .uploadFinished(let endpoint, let result): return uploadFinished(endpoint, result, at: now)
    case .recordsLost(let endpoint, let count, let isOld):
      return queues.lost(endpoint, count, isOld: isOld, notifies: settings.notifies)
    case .tick: return notifyPolicy(.minute, at: now)
    case .willTerminate:
      let unwritten = ledger.takeUnwritten().map { [Effect.keepLedger([$0])] } ?? []
      return unwritten + action("will_terminate", at: now)
    }
  }

  // MARK: State

  public func status(of endpoint: EndpointID) -> QueueStatus? { queues.status(of: endpoint, sendingConditions) }

  /// Whether attempts to send to an endpoint have failed since its last success, and none is in flight: only then may
  /// its waiting records expire.
  public func isFailing(_ endpoint: EndpointID) -> Bool { queues.isFailing(endpoint) }

  /// Records that were removed before an endpoint had them, since the launch.
  public var lostRecords: [EndpointID: Int] { queues.lost }

  public var authorization: Authorization { permission.authorization }

  /// Why there is no location at present, as a sentence.
  public var locationProblem: String? { permission.problem }

  /// The start of the system's pause of updates.
  public var pausedSince: Date? { pause.since }

  /// A staged rollout of a server's settings that is not confirmed yet.
  public var trial: StagedRollout? { serverSettings.trial }

  /// Rejected settings of servers, newest last, as sentences.
  public var refusedOffers: [String] { serverSettings.rejections }

  /// Names of settings that a server changed last.
  package var setByServer: Set<String> { serverSettings.names }

  /// Fixes that were dropped: invalid ones, and those removed by the configured filters.
  public var dropped: (invalid: Int, thinned: Int) { (thinning.invalid, thinning.thinned) }

  /// The current line of the coverage log.
  public var ledgerLine: LedgerEntry? { ledger.current }

  /// The last motion of the motion chip.
  public var motion: Motion { device.context.motion }

  /// The running trip, or one whose steps are being counted.
  public var trip: RunningTrip? { trips.running }

  /// How often each mode was chosen.
  public var tripModes: [TripMode: Int] { trips.modes }

  /// Modes of trips, the most frequent ones first.
  public var tripModesByUse: [TripMode] { trips.modesByUse }

  /// Whether a trip is running.
  public var isOnTrip: Bool { trips.isOn }

  /// The settings in force: those of a trip while one is running.
  public var settingsInForce: LocationSettings {
    isOnTrip ? settings.main.during(settings.trip) : settings.main
  }

  // MARK: The device

  private mutating func authorizationChanged(_ new: Authorization) -> [Effect] {
    // The system reports it again at every launch and to every listener.
    guard new != authorization else { return [] }
    let hadProblem = permission.isMissing
    permission.change(new)
    guard let problem = permission.problem else { return settings.notifies && hadProblem ? [.withdraw(.authorization)] : [] }
    let failed = oneShot.fail(problem)
    guard isTracking else { return failed }
    return failed + tell(.permissionMissing(problem))
  }

  private mutating func contextChanged(_ new: DeviceContext, at now: Date) -> [Effect] {
    var effects: [Effect] = []
    if device.update(new) {
      effects = followMotion(isSure: true, at: now) + notifyPolicy(.motion(new.motion, isSure: true), at: now)
    }
    // Another network may be a zone; the end of a hold releases waiting records.
    return effects + configure() + queues.recorded(0, sendingConditions, at: now)
  }

  private mutating func timerFired(_ timer: TimerID, at now: Date) -> [Effect] {
    switch timer {
    case .send(let endpoint): return queues.timerFired(endpoint, sendingConditions, at: now)
    case .tripGrace: return tripGraceOver(at: now)
    case .tripRest: return tripRestOver(at: now)
    case .steps: return finishTrip(steps: nil, at: now)
    case .oneShot:
      // A position may have arrived before the timer.
      guard !oneShot.isEmpty else { return [] }
      return locationFailed("There was no position within \(Int(OneShot.timeout)) seconds.", at: now)
    case .lifeline: return lifeline(at: now)
    case .trial: return trialOver(at: now)
    case .policy:
      policy.timerFired()
      return notifyPolicy(.time, at: now)
    }
  }

  /// Returns a notice if the settings enable notices.
  func tell(_ notice: Notice, at time: Date? = nil) -> [Effect] { settings.notifies ? [.notify(notice, at: time)] : [] }

  /// Returns a record of an event of the tracker itself, if the settings include such records.
  mutating func action(_ name: String, at now: Date) -> [Effect] {
    guard settings.includesTrackingStats else { return [] }
    return write([Record(kind: .action(Action(time: now, name: name, coordinate: lastFix?.coordinate)))], at: now)
  }

  /// Whether missing updates justify a notice: only if updates are continuous.
  private var expectsFixes: Bool {
    isTracking && settings.notifies && pausedSince == nil && !isByPolicy && settingsInForce.trackingMode.isContinuous
  }

  // MARK: Sending

  /// The present conditions for sending.
  var sendingConditions: SendingConditions {
    let current = settingsInForce
    return SendingConditions(
      interval: settings.sendInterval, batchSize: current.batchSize, loggingMode: current.loggingMode,
      serverMode: serverSettings.mode(isOnTrip: isOnTrip), isOnWifi: device.isOnWifi,
      batteryState: device.context.batteryState, trip: isOnTrip ? trips.kept(settings.fields) : nil, notifies: settings.notifies)
  }

  private mutating func uploadFinished(_ endpoint: EndpointID, _ result: UploadResult, at now: Date) -> [Effect] {
    serverSettings.uploadFinished(endpoint, result) + queues.finished(endpoint, result, sendingConditions, at: now)
  }

  mutating func drain(byOwner: Bool, at now: Date) -> [Effect] {
    queues.drain(byOwner: byOwner, sendingConditions, at: now)
  }
}
