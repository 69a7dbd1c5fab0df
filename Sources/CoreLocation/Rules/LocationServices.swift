internal import Foundation
package import GodwitModel
internal import GodwitReceivers

/// The location services of an operating system as a pure state machine: which client requests updates, which positions it
/// receives, when a request times out, and what wakes or launches the app.
///
/// It reads no clock and uses neither threads nor delegates. The daemon drives it with a real receiver; a simulated phone
/// drives it in virtual time. It outlives the app: monitoring continues when the app has ended. The differences between
/// systems are in its ``OSProfile``.
///
/// It passes each input to its parts and collects their outputs. Each part has its rules and their state: the app's
/// ``Clients`` and each ``Client``, the user's ``Consent``, the app's ``AppLife``, ``Monitoring``, ``Beacons``,
/// ``PositionOrder`` and ``Radios``.
package struct LocationServices: Sendable {
  /// The identifier of a client: a manager, a stream, a monitor or a session.
  package struct ClientID: Hashable, Sendable {
    package var number: Int
    package init(_ number: Int) { self.number = number }
  }

  private let profile: OSProfile
  private let declarations: AppDeclarations
  private var clients = Clients()
  private var consent: Consent
  private var life = AppLife()
  private var monitoring = Monitoring()
  private(set) var beacons = Beacons()
  private var positions = PositionOrder()
  private var radios = Radios()
  private var isSparingBattery = false
  private let isRecorded: Bool
  private var hasEnded = false
  private var nextWake: Date?

  /// - Parameters:
  ///   - authorization: the initial permission.
  ///   - profile: the profile of the operating system.
  ///   - declarations: the declarations of the app.
  ///   - isRecorded: whether the positions are those of a recorded file. A stream then does not begin with the position with
  ///     which the previous stream ended.
  package init(
    authorization: CLAuthorizationStatus, profile: OSProfile = .linux, declarations: AppDeclarations = AppDeclarations(),
    isRecorded: Bool = false
  ) {
    self.isRecorded = isRecorded
    self.profile = profile
    self.declarations = declarations
    consent = Consent(authorization)
  }

  package var authorization: CLAuthorizationStatus { consent.status }
  package var isAuthorized: Bool { consent.isGranted }
  package var accuracyAuthorization: CLAccuracyAuthorization { consent.isReduced ? .reducedAccuracy : .fullAccuracy }
  /// The last known position that the app may know. It is the first position of a new client.
  package var last: Fix? { consent.last(positions.known) }
  /// The last known position, whether or not the app may know it.
  var lastKnown: Fix? { positions.known }
  package var regions: Regions { monitoring.regions }
  package var appState: AppState { life.state }
  /// Whether the location services do not keep the app running in the background.
  package var mayBeSuspended: Bool { life.mayBeSuspended }
  /// Whether the system starts background fetches for the app: not after the app was swiped away, and not in Low Power Mode.
  package var allowsBackgroundFetch: Bool { !life.isSwipedAway && !isSparingBattery }

  package mutating func handle(_ input: Input, at now: Date) -> [Output] {
    var outputs = expireOnce(at: now)
    outputs += process(input, at: now)
    // Events that became due by this input, or before the timer fired.
    if let time = nextTime(at: now), time <= now { outputs += expire(at: now) }
    outputs += release(at: now)
    if life.isRunning { outputs += clients.useLimits(conditions) }
    outputs += askRadios()
    if let time = nextTime(at: now), time != nextWake {
      nextWake = time
      outputs.append(.wake(time))
    }
    return outputs
  }

  private mutating func process(_ input: Input, at now: Date) -> [Output] {
    switch input {
    case .connected(let id, let role): return connect(id, role)
    case .disconnected(let id): disconnect(id)
    case .startedUpdating(let id):
      return ask(id) { [last = lastForStart(of: id)] client, conditions in client.start(conditions, last: last) }
    case .stoppedUpdating(let id): clients[id]?.stop()
    case .requestedLocation(let id):
      return ask(id) { [known = consent.cell ?? (hasEnded ? last : nil)] client, conditions in
        client.requestLocation(conditions, known: known, at: now)
      }
    case .headings(let id, let isOn): clients[id]?.watchHeadings(isOn)
    case .headingFilterChanged(let id, let degrees): clients[id]?.headingFilter = degrees
    case .heading(let reading): return clients.handle(reading, conditions)
    case .sourceEnded:
      hasEnded = isRecorded
      return last.map { clients.respond(with: $0, conditions) } ?? []
    case .distanceFilterChanged(let id, let distance): clients[id]?.distanceFilter = distance
    case .desiredAccuracyChanged(let id, let accuracy): clients[id]?.desiredAccuracy = accuracy
    case .pausingChanged(let id, let pauses): clients[id]?.allowPausing(pauses)
    case .activityTypeChanged(let id, let activity): clients[id]?.setActivity(activity)
    case .backgroundUpdatesChanged(let id, let isOn):
      return ask(id) { [declarations] client, _ in client.allowBackground(isOn, declarations) }
    case .indicatorChanged(let id, let isShown): clients[id]?.showsIndicator = isShown
    case .significantChanges(let id, let isOn): return watchSignificantChanges(id, isOn)
    case .visits(let id, let isOn): return watchVisits(id, isOn)
    case .watch(let id, let region): return watch(id, region)
    case .stopWatching(let id, let identifier): stopWatching(id, identifier)
    case .requestedState(let id, let region): return state(id, region)
    case .ranging(let id, let identity, let isOn):
      return ask(id) { [consent] client, _ in client.range(identity, isOn, givesExactPlaces: consent.givesExactPlaces) }
    case .motionWatched(let isOn): clients.watchesMotion = isOn
    case .requestedAuthorization(_, let always):
      return consent.request(always: always, declarations) ? [.prompt(always: always)] : []
    case .authorizationDecided(let status): return consent.decide(status) ? permissionChanged() : []
    case .promptAnswered(let response): return consent.handle(response, profile) ? permissionChanged() : []
    case .precise(let isPrecise):
      return consent.setPrecise(isPrecise, known: positions.known, profile) ? accuracyChanged() : []
    case .requestedFullAccuracy(let id, let purpose): return requestFullAccuracy(id, purpose)
    case .fullAccuracyDecided(let isGiven): return decideFullAccuracy(isGiven)
    case .app(let state): return enter(state, at: now)
    case .swipedAway: return swipeAway(at: now)
    case .rebooted: return reboot(at: now)
    case .upgraded:
      let outputs = reboot(at: now)
      life.upgrade()
      return outputs
    case .removed: return remove(at: now)
    case .unlocked: life.unlock()
    case .lowPower(let isOn): isSparingBattery = isOn
    case .pauseUpdates: return clients.pauseUpdates(conditions)
    case .systemRegion: return life.isRunning ? clients.managers.map { .exited($0, Self.systemRegion) } : []
    case .positions(let fixes): return process(fixes, at: now)
    case .sourceFailed(let reason): return clients.fail(reason)
    case .sightings(let sightings): return process(sightings, at: now)
    // Monitored beacon regions stay monitored, and are detected again when the radio works again.
    case .beaconsFailed(let reason): return clients.failRanging(reason)
    case .timer:
      // The timer is set again if the clock was set back meanwhile.
      nextWake = nil
      return expire(at: now)
    }
    return []
  }

  /// Returns the outputs of a client; empty if the client does not exist.
  private mutating func ask(_ id: ClientID, _ prompt: (inout Client, UpdateConditions) -> [Output]) -> [Output] {
    guard var client = clients[id] else { return [] }
    defer { clients[id] = client }
    return prompt(&client, conditions)
  }

  /// Returns the position with which continuous updates begin; `nil`: none.
  private func lastForStart(of id: ClientID) -> Fix? {
    guard isRecorded, !hasEnded, clients[id]?.role == .liveUpdates, let last, let reported = clients.lastStreamed else {
      return last
    }
    return last.time > reported ? last : nil
  }

  // MARK: Conditions

  private var conditions: UpdateConditions {
    UpdateConditions(
      app: life.state, continuesUse: life.continuesUse, status: consent.status,
      hasBackgroundActivity: declarations.hasBackgroundMode && clients.hasBackgroundActivity,
      lacksSession: declarations.requiresServiceSession && profile.hasServiceSessions && !clients.hasServiceSession,
      endsWithSignificantChanges: profile.significantChangesEndUpdates && monitoring.watchesSignificantChanges)
  }

  private var monitoringConditions: Monitoring.Conditions {
    Monitoring.Conditions(
      isOn: consent.isGranted && (life.isRunning || (consent.isAlways && life.canRun(profile))),
      isExact: !consent.isReduced, slowness: slowness, isAwake: clients.isReceiving(conditions))
  }

  private var slowness: Double { isSparingBattery ? profile.lowPowerSlowness : 1 }

  /// Whether beacons are ranged: only while the app runs.
  private var isRanging: Bool { life.isRunningOn && consent.givesExactPlaces && clients.isRanging }

  // MARK: Positions and beacons

  private mutating func process(_ raw: [Fix], at now: Date) -> [Output] {
    guard consent.isGranted else { return [] }
    // A negative accuracy marks an invalid position.
    let valid = raw.filter { ($0.horizontalAccuracy ?? 0) >= 0 }
    guard !valid.isEmpty else { return [] }
    let (exact, moved) = positions.sort(valid)
    if moved != 0 {
      monitoring.move(by: moved)
      clients.move(by: moved)
    }
    let inOrder = consent.isReduced ? consent.reduce(exact, profile) : exact
    let fixes = consent.isReduced ? inOrder : valid
    var outputs: [Output] = []
    for id in clients.ids {
      guard var client = clients[id] else { continue }
      outputs += client.handle(fixes, inOrder, conditions, profile) { life.run(for: .significantChange, at: now, profile) }
      clients[id] = client
    }
    outputs += flush()
    return outputs + notify(monitoring.handle(inOrder, exact: exact, monitoringConditions, profile, at: now), at: now)
  }

  private mutating func process(_ sightings: [Beacons.Sighting], at now: Date) -> [Output] {
    guard consent.givesExactPlaces else { return [] }
    beacons.handle(sightings, at: now)
    return notify(monitoring.handle(beacons, monitoringConditions, profile, at: now), at: now)
  }

  /// An internal region of the system that was reported to apps (rn-background-geolocation issue 950).
  private static let systemRegion = Regions.Region(identifier: "provisional authorization inducer", shape: .system)

  private mutating func askRadios() -> [Output] {
    let conditions = monitoringConditions
    let wanted = [clients.wanted(self.conditions, isReduced: consent.isReduced), monitoring.wanted(conditions)].compactMap(\.self)
    return radios.ask(
      for: wanted.min(), beacons: isRanging || monitoring.needsBeacons(conditions),
      compass: clients.watchesHeadings && life.isRunning)
  }

  // MARK: Events of monitoring

  private mutating func notify(_ events: [AppLife.Event], at now: Date) -> [Output] {
    events.flatMap { notify($0, at: now) }
  }

  /// Reports an event to the app, and wakes or launches the app if necessary. An event for which there is no client yet waits.
  private mutating func notify(_ event: AppLife.Event, at now: Date) -> [Output] {
    guard life.isRunning || consent.isAlways else { return [] }
    let reported = clients.outputs(event, conditions)
    // The clients with continuous updates have received the position already, so the app is not woken for it.
    if case .significantChange = event, reported.isEmpty, clients.watchesSignificantChanges { return [] }
    var outputs: [Output] = []
    if consent.isAlways {
      outputs += life.run(for: event.reason, at: now, profile)
      if life.state == .background, consent.usesAlways() { outputs.append(.promptToKeepAlways) }
    }
    if reported.isEmpty, profile.monitorsWithoutListener { life.enqueue(event) }
    return outputs + flush() + reported
  }

  /// Delivers the positions that waited while the app was suspended.
  private mutating func flush() -> [Output] { life.isRunning ? clients.flush() : [] }

  /// Drops the waiting events of conditions whose monitor the app did not create before it stops. The conditions are no longer
  /// monitored (Apple's documentation of `CLMonitor`).
  private mutating func dropUnclaimedConditions() {
    for crossing in life.popPendingCrossings(where: { $0.monitor != nil }) { monitoring.drop(crossing.region.name) }
  }

  // MARK: Clients

  private mutating func connect(_ id: ClientID, _ role: Role) -> [Output] {
    let client = Client(id, role)
    clients[id] = client
    // Waiting crossings are delivered to a new client at once; significant changes and visits when they are requested again.
    let kept = life.popPendingCrossings { role.takes($0) }
    return [.authorization(id, consent.status)] + kept.flatMap { client.outputs($0) }
  }

  private mutating func disconnect(_ id: ClientID) {
    // The clients of an app that has ended were removed already, but monitoring continues.
    guard clients[id] != nil else { return }
    clients[id] = nil
    if !profile.monitorsWithoutListener { monitoring.disconnect(id, leaving: clients) }
  }

  private mutating func watchSignificantChanges(_ id: ClientID, _ isOn: Bool) -> [Output] {
    guard let before = clients[id] else { return [] }
    clients[id]?.watchesSignificantChanges = isOn
    let isFirst = monitoring.watchSignificantChanges(clients.watchesSignificantChanges)
    guard isOn else { return [] }
    guard consent.isGranted else { return consent.status == .notDetermined ? [] : ask(id) { client, _ in client.deny() } }
    let kept = life.popPendingChanges()
    if !kept.isEmpty { return [.deliver(id, kept)] }
    // The first position is usually the last known one.
    guard let last, !before.watchesSignificantChanges, !before.receives(conditions) else { return [] }
    if isFirst { monitoring.beginSignificantChanges(at: last, profile, slowness: slowness) }
    return [.deliver(id, [last])]
  }

  private mutating func watchVisits(_ id: ClientID, _ isOn: Bool) -> [Output] {
    guard clients[id] != nil else { return [] }
    clients[id]?.watchesVisits = isOn
    monitoring.watchVisits(clients.watchesVisits)
    return isOn ? life.popPendingVisits().map { .visited(id, $0) } : []
  }

  private mutating func watch(_ id: ClientID, _ region: Regions.Region) -> [Output] {
    guard let role = clients[id]?.role else { return [] }
    var region = region
    if case .monitor(let name) = role { region.monitor = name }
    switch monitoring.watch(region, owner: id, known: positions.known, consent, profile) {
    case .failure(let error): return [.watchFailed(id, region, error)]
    case .success(let state):
      return [.watching(id, region)] + (region.monitor == nil || state == .unknown ? [] : [.state(id, region, state)])
    }
  }

  private mutating func stopWatching(_ id: ClientID, _ identifier: String) {
    let monitor: String? = if case .monitor(let name) = clients[id]?.role { name } else { nil }
    monitoring.stopWatching(Regions.Name(monitor: monitor, identifier: identifier))
  }

  private mutating func state(_ id: ClientID, _ region: Regions.Region) -> [Output] {
    guard clients[id] != nil else { return [] }
    let isKnown = consent.givesExactPlaces
    return [.state(id, region, isKnown ? monitoring.respond(region, known: positions.known, profile) : .unknown)]
  }

  // MARK: Permission

  private mutating func permissionChanged() -> [Output] {
    var outputs = authorizationOutputs()
    if !consent.isGranted {
      outputs += clients.revoke()
      outputs += endRegions()
      life.discardPending()
    }
    return outputs
  }

  private mutating func accuracyChanged() -> [Output] {
    // The app is no longer allowed to receive the waiting positions and events.
    if consent.isReduced {
      clients.discardWaiting()
      life.discardPending()
    }
    return authorizationOutputs()
  }

  private func authorizationOutputs() -> [Output] { clients.ids.map { .authorization($0, consent.status) } }

  /// Ends the monitoring of all regions when the permission was revoked.
  private mutating func endRegions() -> [Output] {
    let error = CLError(.regionMonitoringDenied, reason: "The user no longer allows region monitoring.")
    defer { monitoring.removeRegions() }
    return regions.all.compactMap { region in
      clients.addressee(of: region, owner: regions.owner(region.name)).map { .watchFailed($0, region, error) }
    }
  }

  private mutating func requestFullAccuracy(_ id: ClientID, _ purpose: String) -> [Output] {
    guard clients[id] != nil else { return [] }
    let response = consent.requestFullAccuracy(id, purpose, isSeen: life.state == .foreground, declarations)
    return response.map { [$0] } ?? []
  }

  private mutating func decideFullAccuracy(_ isGiven: Bool) -> [Output] {
    let (isChange, responses) = consent.decideFullAccuracy(isGiven, known: positions.known, profile)
    let outputs = isChange ? accuracyChanged() : []
    return outputs + responses.filter { $0.client.map { clients[$0] != nil } ?? true }
  }

  // MARK: The app's life cycle

  private mutating func enter(_ state: AppState, at now: Date) -> [Output] {
    let wasFollowed = clients.isFollowed(conditions)
    life.enter(state, at: now, profile)
    var outputs: [Output] = []
    switch state {
    case .foreground: outputs = clients.comeToFront() + display()
    case .background: break
    case .suspended: dropUnclaimedConditions()
    case .terminated:
      clients.removeAll()
      dropUnclaimedConditions()
      if wasFollowed, profile.relaunches { life.planRelaunch(at: now.addingTimeInterval(profile.activityRelaunchAfter)) }
    }
    let isInUse = state == .foreground || (state == .background && clients.isReceiving(conditions))
    if !isInUse, consent.endTemporaryFullAccuracy(known: positions.known, profile) { outputs += accuracyChanged() }
    return outputs + flush()
  }

  /// Reports the state of regions with `notifyEntryStateOnDisplay`. Turning on the display is simulated only by opening the app.
  private func display() -> [Output] {
    guard monitoringConditions.watchesRegions else { return [] }
    return regions.all.filter(\.notifyOnDisplay).flatMap { region in
      clients.addressees(of: region).map {
        .state($0, region, regions.state(of: region, at: positions.known, profile))
      }
    }
  }

  private mutating func swipeAway(at now: Date) -> [Output] {
    let outputs = enter(.terminated, at: now)
    life.cancelRelaunch()
    if profile.forceQuit == .immediate, profile.relaunches, consent.isAlways, !monitoring.isEmpty {
      return outputs + life.run(for: .swipedAway, at: now, profile)
    }
    life.swipeAway()
    return outputs
  }

  private mutating func reboot(at now: Date) -> [Output] {
    let outputs = enter(.terminated, at: now)
    life.reboot()
    beacons = Beacons()
    if !profile.regionsSurviveReboot { monitoring.removeRegions() }
    return outputs
  }

  private mutating func remove(at now: Date) -> [Output] {
    let outputs = enter(.terminated, at: now)
    monitoring.removeAll()
    life = AppLife(isUnlocked: life.isUnlocked)
    life.enter(.terminated, at: now, profile)
    consent = Consent(.notDetermined)
    return outputs
  }

  private mutating func release(at now: Date) -> [Output] {
    guard life.release(isKept: clients.isKeptRunning(conditions, profile), at: now) else { return [] }
    dropUnclaimedConditions()
    return [.mayBeSuspended]
  }

  // MARK: Time

  private mutating func expire(at now: Date) -> [Output] {
    var outputs = clients.expire(at: now) + expireOnce(at: now)
    if life.takeRelaunch(at: now), consent.isGranted { outputs += life.run(for: .liveUpdates, at: now, profile) }
    outputs += notify(monitoring.expire(beacons, monitoringConditions, profile, at: now), at: now)
    beacons.discardOld(at: now, profile)
    if isRanging, beacons.beginRangingCall(at: now) { outputs += clients.ranged(beacons, at: now) }
    return outputs
  }

  /// Returns the time of the next scheduled event; `nil`: none. It also starts and ends the reports of ranging.
  private mutating func nextTime(at now: Date) -> Date? {
    var next = beacons.setRanging(isRanging, at: now)
    let releaseTime = life.releaseTime(isKept: clients.isKeptRunning(conditions, profile))
    for time in [clients.nextTime, releaseTime, onceEnds, life.relaunchAt] { next = .earlier(next, time) }
    return .earlier(next, monitoring.nextTime(beacons, monitoringConditions, profile, at: now))
  }

  /// The time at which the permission "once" ends; `nil`: none.
  private var onceEnds: Date? {
    guard let end = consent.onceEnds(leftFront: life.leftFront, profile), !clients.isReceiving(conditions) else { return nil }
    return end
  }

  private mutating func expireOnce(at now: Date) -> [Output] {
    guard let end = onceEnds, end <= now else { return [] }
    return consent.decide(.notDetermined) ? permissionChanged() : []
  }

  // MARK: Demand

  /// The services that the app currently requests.
  package var demand: Demand {
    var demand = Demand()
    demand.updates = clients.wanted(conditions, isReduced: consent.isReduced)
    let conditions = monitoringConditions
    guard conditions.isOn else { return demand }
    demand.visits = monitoring.watchesVisits
    demand.significantChanges = monitoring.watchesSignificantChanges
    guard conditions.isExact else { return demand }
    demand.circles = regions.circles(profile)
    demand.monitorsBeacons = regions.hasBeacons
    demand.rangesBeacons = isRanging
    return demand
  }
}

extension LocationServices.ClientID: Comparable {
  package static func < (a: Self, b: Self) -> Bool { a.number < b.number }
}
