internal import GodwitModel

internal import struct Foundation.Date

/// Trips: they begin and end with the owner, and after a long pause by themselves.
extension Engine {
  /// Seconds that a pause may last before the trip is over.
  static let tripGrace = 600.0
  /// Seconds that the pedometer has for its answer.
  static let pedometerPatience = 10.0

  mutating func startTrip(_ mode: TripMode, at now: Date, byMotion: Bool = false) -> [Effect] {
    guard trip == nil else { return [] }
    let startedTracking = !isTracking
    tripModes[mode, default: 0] += 1
    // What came before goes out with the settings of before.
    var effects = drain(at: now)
    var new = RunningTrip(start: now, mode: mode, startedTracking: startedTracking)
    new.beganByMotion = byMotion
    trip = new
    effects += [.keepTrip(new), .keepTripModes(tripModes)]
    effects += startedTracking ? setTracking(true) : configure()
    if settings.trip.preventsScreenLock { effects.append(.keepScreenOn(true)) }
    return effects
  }

  /// - Parameters:
  ///   - end: when it was over, which may be a while ago.
  ///   - isAutomatic: whether it ended by itself.
  ///   - now: when that is noticed; `nil`: at its end.
  mutating func endTrip(at end: Date, isAutomatic: Bool, noticed now: Date? = nil) -> [Effect] {
    guard isOnTrip, var ending = trip else { return [] }
    ending.ending = RunningTrip.Ending(time: end, isAutomatic: isAutomatic)
    trip = ending
    var effects: [Effect] = [.keepTrip(ending), .cancelTimer(.tripGrace)]
    if ending.beganByMotion { effects.append(.cancelTimer(.tripRest)) }
    effects += ending.startedTracking ? setTracking(false) : configure()
    if settings.trip.preventsScreenLock { effects.append(.keepScreenOn(false)) }
    return effects + askForSteps(from: ending.start, to: end, at: now ?? end)
  }

  func askForSteps(from start: Date, to end: Date, at now: Date) -> [Effect] {
    [.setTimer(.steps, now.addingTimeInterval(Self.pedometerPatience)), .countSteps(from: start, to: end)]
  }

  mutating func finishTrip(steps: Int?, at now: Date) -> [Effect] {
    guard let finished = trip, let ending = finished.ending else { return [] }
    trip = nil
    let record = Record(kind: .trip(finished.finished(ending, steps: steps)))
    var effects: [Effect] = [.cancelTimer(.steps)]
    effects += write([record], at: now)
    // Written with the record, so that no relaunch finishes it again.
    effects.insert(.keepTrip(nil), at: 2)
    if ending.isAutomatic {
      let reason = finished.beganByMotion ? "You have rested." : "You have not moved for ten minutes."
      effects += tell(Notice(kind: .trip, title: "Trip ended", body: reason))
    }
    return effects + drain(at: now)
  }

  mutating func tripGraceOver(at now: Date) -> [Effect] {
    guard let pausedSince else { return [] }
    return endTrip(at: max(pausedSince, trip?.start ?? pausedSince), isAutomatic: true, noticed: now)
  }
}
