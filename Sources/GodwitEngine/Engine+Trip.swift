internal import GodwitModel

internal import struct Foundation.Date

/// Trips: they begin and end with the owner, and after a long pause by themselves.
extension Engine {
  /// Seconds that a pause may last before the trip is over.
  static let tripGrace = 600.0
  /// Seconds that the pedometer has for its answer.
  static let pedometerPatience = 10.0

  mutating func startTrip(_ mode: TripMode, at now: Date, byMotion: Bool = false) -> [Effect] {
    guard !isOnTrip else { return [] }
    // The steps of the trip before may still be being counted; whoever sets off again does not wait for them.
    var effects = finishTrip(steps: nil, at: now)
    let startedTracking = !isTracking
    tripModes[mode, default: 0] += 1
    // What came before goes out with the settings of before.
    effects += drain(byOwner: false, at: now)
    var new = RunningTrip(start: now, mode: mode, startedTracking: startedTracking)
    new.beganByMotion = byMotion
    trip = new
    effects += [.keepTrip(new), .keepTripModes(tripModes)]
    // A trip ends a pause: its owner is on the way.
    let wasPaused = isTracking && pausedSince != nil
    if wasPaused { effects += wakeUp() }
    effects += startedTracking ? setTracking(true) : configure(again: wasPaused)
    if settings.trip.preventsScreenLock { effects.append(.keepScreenOn(true)) }
    return effects
  }

  /// - Parameters:
  ///   - end: when the trip was over, which is before now when a pause shows it only later.
  ///   - isAutomatic: ended by a pause and not by the owner.
  ///   - now: the time.
  mutating func endTrip(end: Date, isAutomatic: Bool, at now: Date) -> [Effect] {
    guard isOnTrip, var ending = trip else { return [] }
    ending.ending = RunningTrip.Ending(time: end, isAutomatic: isAutomatic)
    trip = ending
    var effects: [Effect] = [.keepTrip(keptTrip), .cancelTimer(.tripGrace)]
    if ending.beganByMotion { effects.append(.cancelTimer(.tripRest)) }
    effects += ending.startedTracking ? setTracking(false) : configure()
    if settings.trip.preventsScreenLock { effects.append(.keepScreenOn(false)) }
    return effects + askForSteps(from: ending.start, to: end, at: now)
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
    return effects + drain(byOwner: false, at: now)
  }

  /// The trip as it may be written down and told: without what is not collected.
  var keptTrip: RunningTrip? {
    guard var kept = trip else { return nil }
    func filtered(_ fix: Fix?) -> Fix? {
      guard let fix else { return nil }
      let record = settings.fields.filtering(Record(kind: .fix(fix)), received: kept.start)
      return if case .fix(let fix) = record.kind { fix } else { nil }
    }
    kept.startFix = filtered(kept.startFix)
    kept.lastFix = filtered(kept.lastFix)
    if var rest = kept.rest {
      rest.lastFix = filtered(rest.lastFix)
      kept.rest = rest
    }
    return kept
  }

  mutating func tripGraceOver(at now: Date) -> [Effect] {
    guard let pausedSince else { return [] }
    return endTrip(end: max(pausedSince, trip?.start ?? pausedSince), isAutomatic: true, at: now)
  }
}
