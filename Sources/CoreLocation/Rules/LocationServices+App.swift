internal import Foundation
internal import GodwitModel

/// The app's life, and what the person allows.
extension LocationServices {
  /// Whether the system starts background fetches for the app: not after it was swiped away, and not while the battery
  /// is spared.
  package var allowsBackgroundFetch: Bool { !life.isSwipedAway && !isSparingBattery }
  package var appState: AppState { life.state }

  // MARK: Background

  /// Whether a manager has continuous updates where the app is now.
  func receives(_ client: Client) -> Bool {
    guard !client.pause.isPaused else { return false }
    return mayReceive(client)
  }

  /// The same, if it were not paused.
  func mayReceive(_ client: Client) -> Bool {
    guard client.isUpdating, permission.isGranted, client.role != .liveUpdates || !lacksSession else { return false }
    return switch life.state {
    case .foreground: true
    case .background, .suspended: goesOn(client)
    case .terminated: false
    }
  }

  private func goesOn(_ client: Client) -> Bool {
    let isAllowed = client.role == .liveUpdates ? hasBackgroundActivity : client.allowsBackground
    return isAllowed && (permission.isAlways || client.startedInFront)
  }

  /// The app holds a session that keeps it in use in the background.
  private var hasBackgroundActivity: Bool {
    declarations.hasBackgroundMode && clients.contains { $0.role == .backgroundActivity }
  }

  /// The app promised to hold a session, and does not.
  private var lacksSession: Bool {
    declarations.requiresServiceSession && profile.hasServiceSessions
      && !clients.contains { $0.role == .serviceSession }
  }

  /// Tells streams and sessions what stands in their way, if it is something else than before.
  mutating func reportStanding() -> [Output] {
    guard life.isRunning, clients.contains(where: { $0.role != .manager }) else { return [] }
    var standing = Standing()
    standing.isInsufficientlyInUse =
      permission.status == .authorizedWhenInUse && life.state != .foreground && !hasBackgroundActivity
    let lacksSession = lacksSession
    return clients.ids.compactMap { id in
      guard let client = clients[id], client.role != .manager else { return nil }
      standing.needsSession = lacksSession && client.role != .serviceSession
      guard client.standing != standing else { return nil }
      clients[id]?.standing = standing
      return .standing(id, standing)
    }
  }

  /// Whether the updates of a manager keep the app running in the background.
  private func keepsRunning(_ client: Client) -> Bool {
    guard receives(client) else { return false }
    if client.showsIndicator || client.role == .liveUpdates { return true }
    if profile.suspendsFilteredUpdates, !client.isUnfiltered || !client.isExact { return false }
    return !endsWithSignificantChanges
  }

  // Closures, because the name of a method in their place would copy the whole state.

  /// Whether any manager has continuous updates.
  var isReceiving: Bool { clients.contains { receives($0) } }
  private var isKeptRunning: Bool { clients.contains { keepsRunning($0) } }

  private var endsWithSignificantChanges: Bool { profile.significantChangesEndUpdates && watchesSignificantChanges }

  /// Whether a position that passed the filter of a manager makes the suspended app run; otherwise it waits.
  func wakes(_ client: Client) -> Bool {
    client.role == .liveUpdates || (client.isExact && !endsWithSignificantChanges)
  }

  mutating func allowBackground(_ id: ClientID, _ isAllowed: Bool) -> [Output] {
    guard isAllowed, !declarations.hasBackgroundMode else {
      clients[id]?.allowsBackground = isAllowed
      return []
    }
    guard clients[id] != nil else { return [] }
    // On Apple's systems the program ends here.
    let reason = "Updates in the background need the background mode \u{201C}location\u{201D}: declare it first."
    return [.fail(id, CLError(.denied, reason: reason))]
  }

  mutating func enter(_ state: AppState, at now: Date) -> [Output] {
    let wasFollowed = hasBackgroundActivity && clients.contains { $0.role == .liveUpdates && mayReceive($0) }
    life.enter(state, at: now, profile)
    var outputs: [Output] = []
    switch state {
    case .foreground:
      for id in clients.ids {
        guard var client = clients[id], client.isUpdating else { continue }
        if client.pause.isPaused { outputs.append(.resumed(id)) }
        client.pause.start()
        client.startedInFront = true
        clients[id] = client
      }
      outputs += display()
    case .background: break
    case .suspended: lapse()
    case .terminated:
      clients.removeAll()
      watchesMotion = false
      lapse()
      if wasFollowed, profile.relaunches { life.relaunchAt = now.addingTimeInterval(profile.activityRelaunchAfter) }
    }
    // Exact places were given for the time that the app is used.
    if state != .foreground, state != .background || !isReceiving {
      outputs += endTemporaryFullAccuracy()
    }
    return outputs + flush()
  }

  /// The person lights the display, of which the system knows when they open the app: some regions are told again.
  private func display() -> [Output] {
    guard watchesRegions else { return [] }
    return regions.all.filter(\.notifyOnDisplay).flatMap { region in
      clients.ids.filter { clients[$0]?.role.takes(region) == true }
        .map { .state($0, region, regions.state(of: region, at: known, profile)) }
    }
  }

  /// What waited for the app while it was suspended.
  mutating func flush() -> [Output] {
    guard life.isRunning else { return [] }
    var outputs: [Output] = []
    for id in clients.ids {
      guard let waiting = clients[id]?.waiting, !waiting.isEmpty else { continue }
      clients[id]?.waiting = []
      outputs.append(.deliver(id, waiting))
    }
    return outputs
  }

  mutating func swipeAway(at now: Date) -> [Output] {
    var outputs = enter(.terminated, at: now)
    life.relaunchAt = nil
    let isWatched = watchesSignificantChanges || watchesVisits || regions.count > 0
    if profile.forceQuit == .immediate, profile.relaunches, permission.isAlways, isWatched {
      outputs += life.run(for: .swipedAway, at: now, profile)
    } else {
      life.swipeAway()
    }
    return outputs
  }

  mutating func reboot(at now: Date) -> [Output] {
    let outputs = enter(.terminated, at: now)
    life.reboot()
    life.relaunchAt = nil
    beacons = Beacons()
    if !profile.regionsSurviveReboot { regions.removeAll() }
    return outputs
  }

  mutating func upgrade(at now: Date) -> [Output] {
    let outputs = reboot(at: now)
    life.upgrade()
    return outputs
  }

  mutating func remove(at now: Date) -> [Output] {
    let outputs = enter(.terminated, at: now)
    regions.removeAll()
    (watchesSignificantChanges, watchesVisits) = (false, false)
    life = AppLife(isUnlocked: life.isUnlocked)
    life.enter(.terminated, at: now, profile)
    permission = Permission(.notDetermined)
    accuracy = ReducedAccuracy()
    return outputs
  }

  /// When the app may be suspended, unless something else happens.
  var releaseTime: Date? {
    guard life.state == .background, !life.isReleased, !isKeptRunning else {
      return nil
    }
    return life.runsUntil
  }

  mutating func release(at now: Date) -> [Output] {
    if isKeptRunning { life.isReleased = false }
    guard let time = releaseTime, time <= now else { return [] }
    life.isReleased = true
    lapse()
    return [.mayBeSuspended]
  }

  // MARK: Permission

  /// Changes what the person allows, and tells everybody if that is something else.
  mutating func decide(_ change: (inout Permission) -> Void) -> [Output] {
    let before = permission.status
    change(&permission)
    guard permission.status != before else { return [] }
    var outputs = authorizationOutputs()
    if !permission.isGranted {
      for id in clients.ids {
        guard let client = clients[id] else { continue }
        if client.isUpdating || client.oneShotUntil != nil || client.watchesSignificantChanges {
          outputs += refusal(of: id)
        }
      }
      outputs += endRegions()
      discardWaiting()
    }
    return outputs
  }

  /// What waits for the app is more than it may know now.
  private mutating func discardWaiting() {
    for id in clients.ids { clients[id]?.waiting = [] }
    _ = life.takeKept { _ in true }
  }

  private func authorizationOutputs() -> [Output] {
    clients.ids.map { .authorization($0, permission.status) }
  }

  /// The permission was taken back: nothing is watched any more.
  private mutating func endRegions() -> [Output] {
    let error = CLError(.regionMonitoringDenied, reason: "The person does not allow regions to be watched any more.")
    let outputs = regions.all.compactMap { region -> Output? in
      let owner = regions.owner(region.name).flatMap { clients[$0] == nil ? nil : $0 }
      let told = owner ?? clients.ids.first { clients[$0]?.role.takes(region) == true }
      return told.map { .watchFailed($0, region, error) }
    }
    regions.removeAll()
    return outputs
  }

  /// When "once" is over.
  var onceEnds: Date? {
    guard permission.isOnce, let left = life.leftFront, !isReceiving else { return nil }
    return left.addingTimeInterval(profile.onceLasts)
  }

  mutating func expireOnce(at now: Date) -> [Output] {
    guard let end = onceEnds, end <= now else { return [] }
    return decide { permission in permission.set(.notDetermined) }
  }

  // MARK: Exactness

  mutating func setPrecise(_ isPrecise: Bool) -> [Output] {
    guard profile.hasReducedAccuracy else { return [] }
    return changeAccuracy { accuracy in accuracy.isPrecise = isPrecise }
  }

  mutating func requestFullAccuracy(_ id: ClientID, _ purpose: String) -> [Output] {
    guard clients[id] != nil else { return [] }
    guard permission.isGranted else {
      let reason = "The person does not allow this program to know the location."
      return [.fullAccuracyAnswered(id, CLError(.denied, reason: reason))]
    }
    guard accuracy.isReduced else { return [.fullAccuracyAnswered(id, nil)] }
    guard declarations.fullAccuracyPurposes.contains(purpose) else {
      let reason = "The app declares no purpose \u{201C}\(purpose)\u{201D} for exact places: declare it first."
      return [.fullAccuracyAnswered(id, CLError(.promptDeclined, reason: reason))]
    }
    guard life.state == .foreground else {
      let reason = "The person can be asked for exact places only while they see the app."
      return [.fullAccuracyAnswered(id, CLError(.promptDeclined, reason: reason))]
    }
    fullAccuracyAskers.append(id)
    guard !accuracy.isAsking else { return [] }
    accuracy.isAsking = true
    return [.promptForFullAccuracy(purpose: purpose)]
  }

  mutating func decideFullAccuracy(_ isGiven: Bool) -> [Output] {
    guard accuracy.isAsking else { return [] }
    accuracy.isAsking = false
    let outputs = isGiven ? changeAccuracy { accuracy in accuracy.isTemporarilyFull = true } : []
    let error = isGiven ? nil : CLError(.promptDeclined, reason: "The person keeps the exact place.")
    defer { fullAccuracyAskers = [] }
    return outputs + fullAccuracyAskers.filter { clients[$0] != nil }.map { .fullAccuracyAnswered($0, error) }
  }

  private mutating func endTemporaryFullAccuracy() -> [Output] {
    changeAccuracy { accuracy in accuracy.isTemporarilyFull = false }
  }

  private mutating func changeAccuracy(_ change: (inout ReducedAccuracy) -> Void) -> [Output] {
    let wasReduced = accuracy.isReduced
    change(&accuracy)
    guard accuracy.isReduced != wasReduced else { return [] }
    accuracy.forget()
    // The exact place is not to be had any more, not even the old one.
    if accuracy.isReduced {
      if let known { _ = accuracy.take(known, profile) }
      discardWaiting()
    }
    return authorizationOutputs()
  }
}
