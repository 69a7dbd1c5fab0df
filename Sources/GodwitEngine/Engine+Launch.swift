internal import GodwitModel

internal import struct Foundation.Date

/// Launch, start and stop of tracking, and the configuration of the location services.
extension Engine {
  mutating func launched(_ launch: Launch, at now: Date) -> [Effect] {
    recorder.thinning = Thinning(lastKept: launch.lastKept)
    recorder.lastFix = launch.lastKept
    recorder.trips = Trips(running: launch.trip, modes: launch.tripModes)
    recorder.serverSettings = ServerSettings(launch)
    policy = PolicyRunner(rest: launch.rest)
    recorder.queues.launched(sentToday: launch.sentToday, at: now)
    var effects: [Effect] = []
    // A running trip needs tracking. The program may have been killed after it stored the trip and before it stored that tracking is on.
    if launch.wasTracking || isOnTrip {
      effects += setTracking(true)
      // The system keeps the region of a pause across relaunches. Removing a region that is not monitored has no effect.
      pause.watchesExit = settings.main.resumeRadius != nil || settings.main.policy != .fixed
    }
    effects += recorder.queues.resume(launch, recorder.sendingConditions, at: now)
    if isTracking { effects += recorder.action("application_launched_with_location", at: now) }
    if launch.wasTracking, let end = launch.coverageEnd { effects += recorder.reportGap(since: end, at: now) }
    if let trip {
      if let ending = trip.ending { effects += Trips.askForSteps(from: trip.start, to: ending.time, at: now) }
      if isOnTrip, settings.trip.preventsScreenLock { effects.append(.keepScreenOn(true)) }
      effects += recorder.trips.restAfterLaunch(settings, at: now)
    }
    effects += recorder.serverSettings.resumeRollout(at: now)
    return effects + recorder.serverSettings.resumeCheckIn(settings, isTracking: isTracking, at: now)
  }

  mutating func startTracking() -> [Effect] {
    // A trip that turned tracking on must not turn it off after a start by the user.
    guard isOnTrip, trip?.startedTracking == true else { return setTracking(true) }
    recorder.trips.running?.startedTracking = false
    return [.storeTrip(recorder.trips.kept(settings.fields))]
  }

  mutating func setTracking(_ on: Bool) -> [Effect] {
    guard isTracking != on else { return [] }
    recorder.isTracking = on
    pause.since = nil
    var effects: [Effect] = [.rememberTracking(on)]
    if on { effects += recorder.permission.ask(for: settings.authorization) }
    effects += configure()
    return effects + pause.stopWatching()
  }

  mutating func stopTracking(at now: Date) -> [Effect] {
    var effects: [Effect] = []
    if isOnTrip {
      // The end of the trip stops tracking, so that the services are configured only once.
      recorder.trips.running?.startedTracking = true
      effects += endTrip(end: now, isAutomatic: false, at: now)
    }
    effects += setTracking(false)
    return effects + recorder.drain(byUser: true, at: now)
  }

  /// Configures the location services if the request has changed.
  mutating func configure(again: Bool = false) -> [Effect] {
    var wanted: LocationRequest?
    if isTracking {
      // A policy that has not begun yet configures the location services when it begins.
      if isByPolicy, policy.state?.policy != settings.main.policy { return [] }
      var request = (isByPolicy ? policy.state : nil)?.request(settingsInForce) ?? LocationRequest(settingsInForce)
      // The position of a zone is known, so a low accuracy is sufficient.
      if recorder.device.zone(settings) != nil, !isByPolicy { request.desiredAccuracy = .threeKilometers }
      wanted = request
    }
    guard wanted != requested || again else { return [] }
    requested = wanted
    return [.configureLocation(wanted)]
  }
}
