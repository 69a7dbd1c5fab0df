public import GodwitModel

public import struct Foundation.Date

/// The decisions of a tracker: a pure state machine, `(state, event) → (state, effects)`.
///
/// It reads no clock, holds no thread and touches no file: the same events at the same times give the same
/// effects. Whoever drives it carries out the effects in order and tells it what came of them. Each rule has a file
/// beside this one. It can be encoded whole, so that a report of a fault may begin in the middle.
public struct Engine: Sendable, Hashable, Codable {
  public internal(set) var settings: Settings
  public internal(set) var isTracking = false
  public internal(set) var authorization = Authorization.notDetermined
  /// Why there is no location just now, as a sentence.
  public internal(set) var locationProblem: String?
  /// Newest fix that the location services delivered, kept or not.
  public internal(set) var lastFix: Fix?
  /// When it came; `nil`: it is one of a run before this one.
  public internal(set) var lastFixReceived: Date?
  /// The trip that is going on, or whose steps are being counted.
  public internal(set) var trip: RunningTrip?
  /// How often each mode was chosen.
  public internal(set) var tripModes: [TripMode: Int] = [:] {
    didSet { tripModesByUse = Self.byUse(tripModes) }
  }
  /// Modes of trips, the most chosen ones first.
  public private(set) var tripModesByUse = TripMode.allCases
  /// Since when the system pauses updates.
  public internal(set) var pausedSince: Date?
  /// A server's change of settings that has not proved itself yet.
  public internal(set) var trial: SettingsTrial?
  /// What servers wanted and did not get, newest last, as sentences.
  public internal(set) var refusedOffers: [String] = []

  /// The rule that decides what is asked for; `nil`: the settings alone.
  var policy: PolicyState?
  /// Whether the next policy begins anew, though it may be the one of before.
  var isPolicyNew = true
  /// What was asked for on behalf of the policy.
  var watchedCircle: ExitCircle?
  var policyTimer: Date?
  /// Where the device rests, as the journal knows it, and as a launch told it.
  var keptRest: Rest?
  var rememberedRest: Rest?

  var thinning = Thinning()
  var ledger = Ledger()
  var sendings: [EndpointID: Sending] = [:]
  var context = DeviceContext()
  var isWifi: Bool?
  /// What the location services were asked for last.
  var requested: LocationRequest?
  var watchesExit = false
  /// Names of settings that a server changed last.
  package internal(set) var setByServer: Set<String> = []
  /// Logging modes that a server's answer set, by the names of the settings.
  var serverModes: [String: ServerMode] = [:]
  /// Records that were removed before an endpoint had them, since the launch.
  public internal(set) var lostRecords: [EndpointID: Int] = [:]
  /// The upload in whose answer the change on trial came is not over yet: it proves nothing.
  var bringsTrial = false
  /// When the server is asked for settings; `nil`: not at all.
  var lifelineAt: Date?
  /// When each endpoint's next send is due, where a timer is set.
  var sendTimers: [EndpointID: Date] = [:]
  /// What the person was told of each endpoint and has not been taken back.
  var complaints: [EndpointID: String] = [:]
  var reminder = Reminder()
  var oneShot = OneShot()
  var usage: [EndpointID: DailyUsage] = [:]
  /// In the order in which the owner named them.
  let plans: [EndpointPlan]
  /// Identifier of the device's system, used where the owner wants it in records.
  let uniqueID: String?

  public init(settings: Settings, plans: [EndpointPlan], uniqueID: String? = nil) {
    self.settings = settings
    self.plans = plans
    self.uniqueID = uniqueID
    for plan in plans { sendings[plan.id] = Sending(waiting: 0) }
  }

  /// With endpoints that follow the settings in everything.
  public init(settings: Settings, endpoints: [EndpointID], uniqueID: String? = nil) {
    self.init(settings: settings, plans: endpoints.map { EndpointPlan($0) }, uniqueID: uniqueID)
  }

  /// Takes an event and says what is to be done.
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
    effects += settleLifeline(at: now)
    let hasFixes = if case .fixes = event { true } else { false }
    return effects + reminder.settle(isWanted: isSilenceTelling, isPushed: hasFixes, at: now)
  }

  private mutating func react(to event: Event, at now: Date) -> [Effect] {
    switch event {
    case .launched(let launch): return launched(launch, at: now)
    case .start: return startTracking()
    case .stop: return stopTracking(at: now)
    case .sendNow: return drain(byOwner: true, at: now)
    case .purge: return purge()
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
    case .leftRegion: return policy?.startsAndStops == true ? tellPolicy(.leftCircle, at: now) : leftRegion(at: now)
    case .motionHistory(let spans): return tellPolicy(.motionHistory(spans), at: now)
    case .becameActive(let cached): return becameActive(cached: cached, at: now)
    case .backgroundFetch(let number, let cached): return backgroundFetch(number, cached: cached, at: now)
    case .locationWanted(let number): return locationWanted(number, at: now)
    case .settingsChanged(let settings): return ownerChanged(settings, at: now)
    case .settingsSet(let values): return ownerSet(values, at: now)
    case .settingsOffered(let endpoint, let offers): return offered(offers, by: endpoint, at: now)
    case .contextChanged(let context): return contextChanged(context, at: now)
    case .motionChanged(let motion, let isSure): return motionChanged(motion, isSure: isSure, at: now)
    case .networkChanged(let isReachable, let isWifi):
      // Without a network there is no wifi, whatever was the last one.
      self.isWifi = isReachable ? isWifi : false
      guard isReachable else { return [] }
      return forEach { $0.networkReturned($1, at: now) } + (isWifi == true ? sendByWifi(at: now) : [])
    case .timerFired(let timer): return timerFired(timer, at: now)
    case .uploadFinished(let endpoint, let result): return uploadFinished(endpoint, result, at: now)
    case .recordsLost(let endpoint, let count, let isOld): return recordsLost(endpoint, count, isOld: isOld)
    case .tick: return tellPolicy(.minute, at: now)
    case .willTerminate:
      let unwritten = ledger.takeUnwritten().map { [Effect.keepLedger([$0])] } ?? []
      return unwritten + action("will_terminate", at: now)
    }
  }

  // MARK: Looking in

  /// What is known of an endpoint.
  public struct EndpointStatus: Sendable, Hashable, Codable {
    /// Records that it has not acknowledged.
    public var waiting: Int
    public var isUploading: Bool
    /// When the next attempt is due after a failure.
    public var retryAt: Date?
    /// When what waits is sent next, as things are; `nil`: nothing waits, it is being sent, or it is sent only by hand.
    public var nextSend: Date?
    public var lastSuccess: Date?
    /// What went wrong last, as a sentence; `nil` after a success.
    public var problem: String?
    /// Why nothing is sent although something waits, as a sentence.
    public var heldBecause: String?
  }

  public func status(of endpoint: EndpointID) -> EndpointStatus? {
    guard let sending = sendings[endpoint], let plan = plans.first(where: { $0.id == endpoint }) else { return nil }
    var retryAt: Date?
    if case .backingOff(let until, _, _) = sending.phase { retryAt = until }
    return EndpointStatus(
      waiting: sending.waiting, isUploading: sending.phase == .uploading, retryAt: retryAt,
      nextSend: sending.nextSend(terms(plan)), lastSuccess: sending.lastSuccess, problem: sending.problem,
      heldBecause: holding(plan))
  }

  /// Fixes that were dropped: no place at all, or thinned out by the owner's filters.
  public var dropped: (invalid: Int, thinned: Int) { (thinning.invalid, thinning.thinned) }

  /// Fixes that came faster than they could be taken.
  public internal(set) var lostFixes = 0

  /// The line of the ledger that goes on now.
  public var ledgerLine: LedgerEntry? { ledger.current }

  /// What the motion chip saw last.
  public var motion: Motion { context.motion }

  /// Whether a trip is going on.
  public var isOnTrip: Bool { trip != nil && trip?.ending == nil }

  /// The settings that hold now: those of a trip while one is going on.
  public var settingsInForce: LocationSettings {
    isOnTrip ? settings.main.during(settings.trip) : settings.main
  }

  // MARK: Launching, starting, stopping

  private mutating func launched(_ launch: Launch, at now: Date) -> [Effect] {
    thinning = Thinning(lastKept: launch.lastKept)
    lastFix = launch.lastKept
    trip = launch.trip
    tripModes = launch.tripModes
    setByServer = launch.setByServer
    serverModes = launch.serverModes
    trial = launch.trial
    (keptRest, rememberedRest) = (launch.rest, launch.rest)
    for (endpoint, bytes) in launch.sentToday { usage[endpoint] = DailyUsage(day: DailyUsage.day(now), bytes: bytes) }
    for plan in plans { sendings[plan.id] = Sending(waiting: 0) }
    var effects: [Effect] = []
    // A trip that is going on needs tracking, even if the program was killed between the two.
    if launch.wasTracking || isOnTrip {
      effects += setTracking(true)
      // The region of a pause survives in the system; watching none is no fault.
      watchesExit = settings.main.resumeRadius != nil || settings.main.policy != .fixed
    }
    for plan in plans {
      guard let count = launch.waiting[plan.id], count > 0 else { continue }
      // The interval counts from the record: a program that is launched again and again would never send otherwise.
      effects += step(plan.id) { $0.recorded(count, $1, since: launch.waitingSince[plan.id], at: now) }
    }
    if isTracking { effects += action("application_launched_with_location", at: now) }
    if launch.wasTracking, let end = launch.ledgerEnd { effects += tellGap(since: end, at: now) }
    if let trip {
      if let ending = trip.ending { effects += askForSteps(from: trip.start, to: ending.time, at: now) }
      if isOnTrip, settings.trip.preventsScreenLock { effects.append(.keepScreenOn(true)) }
      effects += restAfterLaunch(at: now)
    }
    if let trial { effects.append(.setTimer(.trial, trial.deadline)) }
    // Whoever is launched more than once in six hours would never ask otherwise.
    if needsLifeline {
      lifelineAt = now
      effects.append(.setTimer(.lifeline, now))
    }
    return effects
  }

  private mutating func startTracking() -> [Effect] {
    // A trip that turned tracking on does not turn off what the owner wants by now.
    guard isOnTrip, trip?.startedTracking == true else { return setTracking(true) }
    trip?.startedTracking = false
    return [.keepTrip(keptTrip)]
  }

  mutating func setTracking(_ on: Bool) -> [Effect] {
    guard isTracking != on else { return [] }
    isTracking = on
    pausedSince = nil
    var effects: [Effect] = [.rememberTracking(on)]
    if on { effects += askForPermission() }
    effects += configure()
    if watchesExit {
      watchesExit = false
      effects.append(.stopWatchingExit)
    }
    return effects
  }

  /// Asks if the system has not decided yet, or has allowed less than is wanted.
  func askForPermission() -> [Effect] {
    let wanted = settings.authorization
    return authorization == .notDetermined || (authorization == .whenInUse && wanted == .always)
      ? [.requestAuthorization(wanted)] : []
  }

  private mutating func stopTracking(at now: Date) -> [Effect] {
    var effects: [Effect] = []
    if isOnTrip {
      // The trip takes tracking with it, so that nothing is asked for in between.
      trip?.startedTracking = true
      effects += endTrip(end: now, isAutomatic: false, at: now)
    }
    effects += setTracking(false)
    return effects + drain(byOwner: true, at: now)
  }

  private mutating func purge() -> [Effect] {
    var effects: [Effect] = [.purge]
    for plan in plans {
      sendings[plan.id]?.purged()
      // A pause after a failure goes on: what is recorded from now on has to wait for its end.
      if case .backingOff = sendings[plan.id]?.phase { continue }
      if sendTimers.removeValue(forKey: plan.id) != nil { effects.append(.cancelTimer(.send(plan.id))) }
    }
    return effects
  }

  /// Asks the location services for what holds now, if that is something else than before.
  mutating func configure(again: Bool = false) -> [Effect] {
    var wanted: LocationRequest?
    if isTracking {
      // One that is yet to begin asks when it has.
      if isByPolicy, policy?.policy != settings.main.policy { return [] }
      var request = (isByPolicy ? policy : nil)?.request(settingsInForce) ?? LocationRequest(settingsInForce)
      // Where the place is known, a receiver need not be kept busy.
      if wifiZone != nil, !isByPolicy { request.desiredAccuracy = .threeKilometers }
      wanted = request
    }
    guard wanted != requested || again else { return [] }
    requested = wanted
    return [.configureLocation(wanted)]
  }

  private mutating func authorizationChanged(_ new: Authorization) -> [Effect] {
    // The system tells it again at every launch and for every listener.
    guard new != authorization else { return [] }
    let hadProblem = authorization == .denied || authorization == .restricted
    authorization = new
    switch new {
    case .denied: locationProblem = "The system does not let this program know the location."
    case .restricted: locationProblem = "A restriction of this device keeps programs from knowing the location."
    case .notDetermined, .whenInUse, .always: locationProblem = nil
    }
    guard let problem = locationProblem else {
      return settings.notifies && hadProblem ? [.withdraw(.authorization)] : []
    }
    let failed = failOneShots(problem)
    guard isTracking else { return failed }
    return failed
      + tell(
        Notice(
          kind: .authorization, title: "No permission", body: problem + " Nothing is recorded until that is changed."))
  }

  private mutating func contextChanged(_ new: DeviceContext, at now: Date) -> [Effect] {
    let seen = context.motion
    context = new
    var effects: [Effect] = []
    if new.motion.isEmpty {
      context.motion = seen
    } else {
      effects = followMotion(isSure: true, at: now) + tellPolicy(.motion(new.motion, isSure: true), at: now)
    }
    // Another network may be a zone; the end of a hold lets what waits go.
    return effects + configure() + forEach { $0.recorded(0, $1, at: now) }
  }

  private mutating func timerFired(_ timer: TimerID, at now: Date) -> [Effect] {
    switch timer {
    case .send(let endpoint):
      sendTimers[endpoint] = nil
      return step(endpoint) { $0.timerFired($1, at: now) }
    case .tripGrace: return tripGraceOver(at: now)
    case .tripRest: return tripRestOver(at: now)
    case .steps: return finishTrip(steps: nil, at: now)
    case .oneShot:
      // An answer may have overtaken the timer.
      guard !oneShot.isEmpty else { return [] }
      return locationFailed("There was no position within \(Int(OneShot.patience)) seconds.", at: now)
    case .lifeline: return lifeline(at: now)
    case .trial: return trialOver(at: now)
    case .policy:
      policyTimer = nil
      return tellPolicy(.time, at: now)
    }
  }

  private static func byUse(_ counts: [TripMode: Int]) -> [TripMode] {
    // The order of the table breaks ties.
    TripMode.allCases.enumerated()
      .sorted { (-(counts[$0.element] ?? 0), $0.offset) < (-(counts[$1.element] ?? 0), $1.offset) }
      .map(\.element)
  }

  /// A notice, if the owner wants any.
  func tell(_ notice: Notice, at time: Date? = nil) -> [Effect] { settings.notifies ? [.notify(notice, at: time)] : [] }

  /// An event of the tracker's own life as a record, if the owner wants them.
  mutating func action(_ name: String, at now: Date) -> [Effect] {
    guard settings.includesTrackingStats else { return [] }
    return write([Record(kind: .action(Action(time: now, name: name, coordinate: lastFix?.coordinate)))], at: now)
  }
}
