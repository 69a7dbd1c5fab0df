internal import GodwitModel

internal import struct Foundation.Date

/// Trips: start and end by the user or by motion, and the automatic end after a long pause.
extension Engine {
  mutating func startTrip(_ mode: TripMode, at now: Date, byMotion: Bool = false) -> [Effect] {
    guard !isOnTrip else { return [] }
    // The steps of the previous trip may still be pending; a new trip does not wait for them.
    var effects = recorder.finishTrip(steps: nil, at: now)
    let startedTracking = !isTracking
    recorder.trips.choose(mode)
    // Records from before the trip are sent with the settings from before the trip.
    effects += recorder.drain(byUser: false, at: now)
    effects += recorder.trips.begin(mode, startedTracking: startedTracking, byMotion: byMotion, at: now)
    // The start of a trip ends a pause: the user is moving.
    let wasPaused = isTracking && pausedSince != nil
    if wasPaused { effects += pause.end(isOnTrip: true) }
    effects += startedTracking ? setTracking(true) : configure(again: wasPaused)
    if settings.trip.preventsScreenLock { effects.append(.keepScreenOn(true)) }
    return effects
  }

  /// - Parameters:
  ///   - end: the end of the trip. It is before `now` if a pause reveals the end later.
  ///   - isAutomatic: whether a pause or the motion ended the trip, and not the user.
  ///   - now: the time.
  mutating func endTrip(end: Date, isAutomatic: Bool, at now: Date) -> [Effect] {
    guard let ended = recorder.trips.end(at: end, isAutomatic: isAutomatic, settings.fields) else { return [] }
    var effects = ended.effects
    effects += ended.trip.startedTracking ? setTracking(false) : configure()
    if settings.trip.preventsScreenLock { effects.append(.keepScreenOn(false)) }
    return effects + Trips.askForSteps(from: ended.trip.start, to: end, at: now)
  }

  mutating func tripGraceOver(at now: Date) -> [Effect] {
    guard let pausedSince else { return [] }
    return endTrip(end: max(pausedSince, trip?.start ?? pausedSince), isAutomatic: true, at: now)
  }

  mutating func tripRestOver(at now: Date) -> [Effect] {
    guard let since = recorder.trips.restOver() else { return [] }
    return endTrip(end: since, isAutomatic: true, at: now)
  }

  // MARK: Motion

  mutating func motionChanged(_ motion: Motion, isSure: Bool, at now: Date) -> [Effect] {
    recorder.device.context.motion = motion
    return followMotion(isSure: isSure, at: now) + notifyPolicy(.motion(motion, isSure: isSure), at: now)
  }

  /// Starts a trip when the motion chip reports the motion of the trip mode, and ends it some time after the motion has ended.
  /// Rides are thus recorded without user action.
  mutating func followMotion(isSure: Bool, at now: Date) -> [Effect] {
    guard isTracking, settings.startsTripsByMotion else { return [] }
    if trip != nil { return recorder.trips.moved(recorder.device.context.motion, settings, at: now) }
    guard isSure, Trips.moves(recorder.device.context.motion, as: settings.tripMode) else { return [] }
    return startTrip(settings.tripMode, at: now, byMotion: true) + recorder.notify(.tripBegan)
  }
}
