internal import GodwitModel

internal import struct Foundation.Date

/// Trips: they begin and end with the owner, and after a long pause by themselves.
extension Engine {
  /// Seconds that a pause may last before the trip is over.
  static let tripGrace = 600.0
  /// Seconds that the pedometer has for its answer.
  static let pedometerPatience = 10.0

  mutating func startTrip(_ mode: TripMode, at now: Date) -> [Effect] {
    guard trip == nil else { return [] }
    let startedTracking = !isTracking
    tripModes[mode, default: 0] += 1
    // What came before goes out with the settings of before.
    var effects = drain(at: now)
    let new = RunningTrip(start: now, mode: mode, startedTracking: startedTracking)
    trip = new
    effects += [.keepTrip(new), .keepTripModes(tripModes)]
    effects += startedTracking ? setTracking(true) : configure()
    if settings.trip.preventsScreenLock { effects.append(.keepScreenOn(true)) }
    return effects
  }

  mutating func endTrip(at end: Date, isAutomatic: Bool) -> [Effect] {
    guard isOnTrip, var ending = trip else { return [] }
    ending.ending = RunningTrip.Ending(time: end, isAutomatic: isAutomatic)
    trip = ending
    var effects: [Effect] = [.keepTrip(ending), .cancelTimer(.tripGrace)]
    effects += ending.startedTracking ? setTracking(false) : configure()
    if settings.trip.preventsScreenLock { effects.append(.keepScreenOn(false)) }
    return effects + askForSteps(from: ending.start, to: end, at: end)
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
      effects += tell(Notice(kind: .trip, title: "Trip ended", body: "You have not moved for ten minutes."))
    }
    return effects + drain(at: now)
  }

  mutating func tripGraceOver(at now: Date) -> [Effect] {
    guard let pausedSince else { return [] }
    return endTrip(at: max(pausedSince, trip?.start ?? pausedSince), isAutomatic: true)
  }
}
