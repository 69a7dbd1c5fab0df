internal import GodwitModel

internal import struct Foundation.Date

/// The program begins; tracking is turned on and off; the location services are asked for what holds.
extension Engine {
  mutating func launched(_ launch: Launch, at now: Date) -> [Effect] {
    thinning = Thinning(lastKept: launch.lastKept)
    lastFix = launch.lastKept
    trips = Trips(running: launch.trip, modes: launch.tripModes)
    serverSettings = ServerSettings(launch)
    policy = PolicyRunner(rest: launch.rest)
    queues.launched(sentToday: launch.sentToday, at: now)
    var effects: [Effect] = []
    // A trip that is going on needs tracking, even if the program was killed between the two.
    if launch.wasTracking || isOnTrip {
      effects += setTracking(true)
      // The region of a pause survives in the system; watching none is no fault.
      pause.watchesExit = settings.main.resumeRadius != nil || settings.main.policy != .fixed
    }
    effects += queues.resume(launch, sendingConditions, at: now)
    if isTracking { effects += action("application_launched_with_location", at: now) }
    if launch.wasTracking, let end = launch.ledgerEnd { effects += reportGap(since: end, at: now) }
    if let trip {
      if let ending = trip.ending { effects += Trips.askForSteps(from: trip.start, to: ending.time, at: now) }
      if isOnTrip, settings.trip.preventsScreenLock { effects.append(.keepScreenOn(true)) }
      effects += trips.restAfterLaunch(settings, at: now)
    }
    if let trial { effects.append(.setTimer(.trial, trial.deadline)) }
    return effects + serverSettings.resumeLifeline(settings, isTracking: isTracking, at: now)
  }

  mutating func startTracking() -> [Effect] {
    // A trip that turned tracking on does not turn off what the owner wants by now.
    guard isOnTrip, trip?.startedTracking == true else { return setTracking(true) }
    trips.running?.startedTracking = false
    return [.keepTrip(trips.kept(settings.fields))]
  }

  mutating func setTracking(_ on: Bool) -> [Effect] {
    guard isTracking != on else { return [] }
    isTracking = on
    pause.since = nil
    var effects: [Effect] = [.rememberTracking(on)]
    if on { effects += permission.ask(for: settings.authorization) }
    effects += configure()
    return effects + pause.stopWatching()
  }

  mutating func stopTracking(at now: Date) -> [Effect] {
    var effects: [Effect] = []
    if isOnTrip {
      // The trip takes tracking with it, so that nothing is asked for in between.
      trips.running?.startedTracking = true
      effects += endTrip(end: now, isAutomatic: false, at: now)
    }
    effects += setTracking(false)
    return effects + drain(byOwner: true, at: now)
  }

  /// Asks the location services for what holds now, if that is something else than before.
  mutating func configure(again: Bool = false) -> [Effect] {
    var wanted: LocationRequest?
    if isTracking {
      // One that is yet to begin asks when it has.
      if isByPolicy, policy.state?.policy != settings.main.policy { return [] }
      var request = (isByPolicy ? policy.state : nil)?.request(settingsInForce) ?? LocationRequest(settingsInForce)
      // Where the place is known, a receiver need not be kept busy.
      if device.zone(settings) != nil, !isByPolicy { request.desiredAccuracy = .threeKilometers }
      wanted = request
    }
    guard wanted != requested || again else { return [] }
    requested = wanted
    return [.configureLocation(wanted)]
  }
}
