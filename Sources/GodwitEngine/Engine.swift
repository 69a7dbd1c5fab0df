public import GodwitModel

public import struct Foundation.Date

/// The decisions of a tracker: a pure state machine, `(state, event) → (state, effects)`.
///
/// The engine reads no clock, holds no thread and touches no file: the same events at the same times give the same effects. The
/// caller executes the effects in order and reports their results as events. The rules are in the extensions of this type, one
/// file for each subject. The whole state can be encoded, so that a fault report may begin at any step.
public struct Engine: Sendable, Hashable, Codable {
  /// What is recorded and queued.
  var recorder: Recorder
  var pause = Pause()
  var policy = PolicyRunner()
  var reminder = Reminder()
  var oneShot = OneShot()
  /// The last request to the location services.
  var requested: LocationRequest?

  public init(settings: Settings, plans: [EndpointPlan], uniqueID: String? = nil) {
    recorder = Recorder(settings: settings, uniqueID: uniqueID, queues: EndpointQueues(plans))
  }

  /// Creates an engine whose endpoints follow the settings.
  public init(settings: Settings, endpoints: [EndpointID], uniqueID: String? = nil) {
    self.init(settings: settings, plans: endpoints.map { EndpointPlan($0) }, uniqueID: uniqueID)
  }

  /// Handles an event and returns the effects to execute.
  public mutating func handle(_ event: Event, at now: Date) -> [Effect] {
    var effects: [Effect] = []
    if case .launched(let launch) = event {
      effects = recorder.resumeCoverage(launch, at: now)
    } else {
      let lines = recorder.coverage.advance(to: now, standing: standingReason)
      if !lines.isEmpty { effects = [.storeCoverage(lines)] }
    }
    effects += react(to: event, at: now)
    effects += applyPolicy(at: now)
    effects += recorder.serverSettings.updateCheckIn(settings, isTracking: isTracking, at: now)
    let hasFixes = if case .fixes = event { true } else { false }
    return effects + reminder.update(isWanted: expectsFixes, isPushed: hasFixes, at: now)
  }

  private mutating func react(to event: Event, at now: Date) -> [Effect] {
    switch event {
    case .launched(let launch): return launched(launch, at: now)
    case .start: return startTracking()
    case .stop: return stopTracking(at: now)
    case .sendNow: return recorder.drain(byUser: true, at: now)
    case .purge: return [.purge] + recorder.queues.purge()
    case .startTrip(let mode): return startTrip(mode ?? settings.tripMode, at: now)
    case .stopTrip: return endTrip(end: now, isAutomatic: false, at: now)
    case .stepsCounted(let steps): return recorder.finishTrip(steps: steps, at: now)
    case .answered(.endTrip): return isOnTrip ? endTrip(end: now, isAutomatic: false, at: now) : [.withdraw(.endTrip)]
    case .answered(.keepTrip): return [.withdraw(.endTrip), .cancelTimer(.tripGrace)]
    case .authorizationChanged(let authorization): return authorizationChanged(authorization)
    case .fixes(let fixes): return received(fixes, at: now)
    case .fixesLost(let count, let reason): return recorder.missed(count, reason)
    case .visit(let visit, let cached): return visited(visit, cached: cached, at: now)
    case .locationFailed(let reason): return locationFailed(reason, at: now)
    case .paused: return paused(at: now)
    case .resumed: return resumed(at: now)
    case .region(let event): return recorder.crossed(event, at: now)
    case .leftRegion: return policy.state?.startsAndStops == true ? notifyPolicy(.leftCircle, at: now) : leftRegion(at: now)
    case .motionHistory(let spans): return notifyPolicy(.motionHistory(spans), at: now)
    case .becameActive(let cached): return becameActive(cached: cached, at: now)
    case .backgroundFetch(let number, let cached): return backgroundFetch(number, cached: cached, at: now)
    case .locationWanted(let number): return locationWanted(number, at: now)
    case .settingsChanged(let settings): return userChanged(settings, at: now)
    case .settingsSet(let values): return userSet(values, at: now)
    case .settingsOffered(let endpoint, let desired): return offered(desired, by: endpoint, at: now)
    case .contextChanged(let context): return contextChanged(context, at: now)
    case .motionChanged(let motion, let isSure): return motionChanged(motion, isSure: isSure, at: now)
    case .networkChanged(let isReachable, let isWifi):
      recorder.device.networkChanged(isReachable: isReachable, isWifi: isWifi)
      guard isReachable else { return [] }
      return recorder.queues.networkReturned(recorder.sendingConditions, at: now)
        + (recorder.device.isWifi == true ? sendByWifi(at: now) : [])
    case .timerFired(let timer): return timerFired(timer, at: now)
    case .uploadFinished(let endpoint, let result): return uploadFinished(endpoint, result, at: now)
    case .recordsLost(let endpoint, let count, let isOld): return recorder.lost(endpoint, count, isOld: isOld)
    case .quarantinedLost(let endpoint, let count, let isOld): return recorder.lostQuarantined(endpoint, count, isOld: isOld)
    case .tick: return notifyPolicy(.minute, at: now)
    case .willTerminate:
      let unwritten = recorder.coverage.takeUnwritten().map { [Effect.storeCoverage([$0])] } ?? []
      return unwritten + recorder.action("will_terminate", at: now)
    }
  }

  // MARK: State

  public var settings: Settings { recorder.settings }
  public var isTracking: Bool { recorder.isTracking }
  /// The newest fix that the location services delivered, recorded or not.
  public var lastFix: Fix? { recorder.lastFix }
  /// The time at which ``lastFix`` arrived; `nil`: it arrived in an earlier run.
  public var lastFixReceived: Date? { recorder.lastFixReceived }
  /// The number of fixes that were dropped because they arrived faster than they could be processed.
  public var lostFixes: Int { recorder.lostFixes }
  /// The settings in force: those of a trip while one is running.
  public var settingsInForce: LocationSettings { recorder.settingsInForce }

  /// Returns the state of the records that wait for an endpoint, or `nil` if there is no such endpoint.
  public func status(of endpoint: EndpointID) -> QueueStatus? { recorder.queues.status(of: endpoint, recorder.sendingConditions) }

  /// Whether attempts to send to an endpoint have failed since the last success, and no upload is in flight. Waiting records of
  /// an endpoint may expire only then.
  public func isFailing(_ endpoint: EndpointID) -> Bool { recorder.queues.isFailing(endpoint) }

  /// The number of records that were removed before an endpoint had acknowledged them, since the launch.
  public var lostRecords: [EndpointID: Int] { recorder.queues.lost }

  public var authorization: Authorization { recorder.permission.authorization }

  /// Why there is no location at present, as a sentence; `nil`: there is no problem.
  public var locationProblem: String? { recorder.permission.problem }

  /// The start of the system's pause of updates.
  public var pausedSince: Date? { pause.since }

  /// A staged rollout of a server's settings that is not confirmed yet.
  public var rollout: StagedRollout? { recorder.serverSettings.rollout }

  /// Rejected settings of servers, newest last, as sentences.
  public var rejectedSettings: [String] { recorder.serverSettings.rejections }

  /// Names of the settings whose last change was made by a server.
  package var setByServer: Set<String> { recorder.serverSettings.names }

  /// The numbers of fixes that were dropped since the launch: invalid ones, and those removed by the configured filters.
  public var dropped: (invalid: Int, thinned: Int) { (recorder.thinning.invalid, recorder.thinning.thinned) }

  /// The current line of the coverage log.
  public var coverageEntry: CoverageEntry? { recorder.coverage.current }

  /// The last motion that the motion chip reported.
  public var motion: Motion { recorder.device.context.motion }

  /// The running trip, or a trip that has ended and whose steps are being counted.
  public var trip: RunningTrip? { recorder.trips.running }

  /// How often each mode was chosen.
  public var tripModes: [TripMode: Int] { recorder.trips.modes }

  /// Modes of trips, the most frequent ones first.
  public var tripModesByUse: [TripMode] { recorder.trips.modesByUse }

  /// Whether a trip is running.
  public var isOnTrip: Bool { recorder.trips.isOn }

  // MARK: The device

  private mutating func authorizationChanged(_ new: Authorization) -> [Effect] {
    // The system reports the permission again at every launch and to every delegate.
    guard new != authorization else { return [] }
    let hadProblem = recorder.permission.isMissing
    recorder.permission.change(new)
    guard let problem = recorder.permission.problem else {
      return settings.notifies && hadProblem ? [.withdraw(.authorization)] : []
    }
    let failed = oneShot.fail(problem)
    guard isTracking else { return failed }
    return failed + recorder.notify(.permissionMissing(problem))
  }

  private mutating func contextChanged(_ new: DeviceContext, at now: Date) -> [Effect] {
    var effects: [Effect] = []
    if recorder.device.update(new) {
      effects = followMotion(isSure: true, at: now) + notifyPolicy(.motion(new.motion, isSure: true), at: now)
    }
    // The new network may be a wifi zone, and the end of a hold releases waiting records.
    return effects + configure() + recorder.queues.recorded(0, recorder.sendingConditions, at: now)
  }

  private mutating func timerFired(_ timer: TimerID, at now: Date) -> [Effect] {
    switch timer {
    case .send(let endpoint): return recorder.queues.timerFired(endpoint, recorder.sendingConditions, at: now)
    case .tripGrace: return tripGraceOver(at: now)
    case .tripRest: return tripRestOver(at: now)
    case .steps: return recorder.finishTrip(steps: nil, at: now)
    case .oneShot:
      // A position may have arrived before the timer.
      guard !oneShot.isEmpty else { return [] }
      return locationFailed("There was no position within \(Int(OneShot.timeout)) seconds.", at: now)
    case .checkIn: return checkIn(at: now)
    case .rollout: return rolloutOver(at: now)
    case .policy:
      policy.timerFired()
      return notifyPolicy(.time, at: now)
    }
  }

  /// Whether missing updates justify a notice. They do so only while updates are continuous.
  private var expectsFixes: Bool {
    isTracking && settings.notifies && pausedSince == nil && !isByPolicy && settingsInForce.trackingMode.isContinuous
  }

  // MARK: Sending

  private mutating func uploadFinished(_ endpoint: EndpointID, _ result: UploadResult, at now: Date) -> [Effect] {
    recorder.serverSettings.uploadFinished(endpoint, result)
      + recorder.queues.finished(endpoint, result, recorder.sendingConditions, at: now)
  }
}
