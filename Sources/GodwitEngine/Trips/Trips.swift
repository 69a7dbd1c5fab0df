internal import GodwitModel

internal import struct Foundation.Date

/// The running trip, and how often each mode was chosen.
struct Trips: Sendable, Hashable, Codable {
  /// Seconds that a pause may last before the trip ends.
  static let grace = 600.0
  /// Seconds that the pedometer has for its response.
  static let pedometerTimeout = 10.0

  /// The running trip, or a trip that has ended and whose steps are being counted.
  var running: RunningTrip?
  /// How often each mode was chosen.
  private(set) var modes: [TripMode: Int] = [:]
  /// The modes, the most frequent first.
  private(set) var modesByUse = TripMode.allCases

  init() {}

  init(running: RunningTrip?, modes: [TripMode: Int]) {
    (self.running, self.modes) = (running, modes)
    modesByUse = Self.byUse(modes)
  }

  /// Whether a trip is running.
  var isOn: Bool { running != nil && running?.ending == nil }

  /// Returns the trip as it may be stored and sent: without the fields that are not collected.
  func kept(_ fields: CollectingFields) -> RunningTrip? {
    guard var kept = running else { return nil }
    func filtered(_ fix: Fix?) -> Fix? {
      guard let fix else { return nil }
      let record = fields.filtering(Record(kind: .fix(fix)), received: kept.start)
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

  // MARK: Start and end

  mutating func choose(_ mode: TripMode) {
    modes[mode, default: 0] += 1
    modesByUse = Self.byUse(modes)
  }

  /// Starts a trip. - Returns: the effects that store it.
  mutating func begin(_ mode: TripMode, startedTracking: Bool, byMotion: Bool, at now: Date) -> [Effect] {
    var new = RunningTrip(start: now, mode: mode, startedTracking: startedTracking)
    new.beganByMotion = byMotion
    running = new
    return [.storeTrip(new), .storeTripModes(modes)]
  }

  /// Ends the running trip. - Returns: the trip, and the effects that store it; `nil`: no trip is running.
  mutating func end(at end: Date, isAutomatic: Bool, _ fields: CollectingFields) -> (trip: RunningTrip, effects: [Effect])? {
    guard isOn, var ending = running else { return nil }
    ending.ending = RunningTrip.Ending(time: end, isAutomatic: isAutomatic)
    running = ending
    // The buttons of the notices would end the next trip.
    var effects: [Effect] = [.storeTrip(kept(fields)), .cancelTimer(.tripGrace), .withdraw(.endTrip)]
    if ending.beganByMotion { effects += [.cancelTimer(.tripRest), .withdraw(.trip)] }
    return (ending, effects)
  }

  /// Finishes the trip that has ended, after its steps were counted. - Returns: the trip and its end; `nil`: no trip has ended.
  mutating func finish() -> (trip: RunningTrip, ending: RunningTrip.Ending)? {
    guard let finished = running, let ending = finished.ending else { return nil }
    running = nil
    return (finished, ending)
  }

  static func askForSteps(from start: Date, to end: Date, at now: Date) -> [Effect] {
    [.setTimer(.steps, now.addingTimeInterval(pedometerTimeout)), .countSteps(from: start, to: end)]
  }

  // MARK: Trips that start and end by motion

  /// Handles a motion that the motion chip reports during a trip. A device at a traffic light is still on a trip, but does not move.
  mutating func moved(_ motion: Motion, _ settings: Settings, at now: Date) -> [Effect] {
    guard isOn, let trip = running, trip.beganByMotion else { return [] }
    guard Self.moves(motion, as: trip.mode) else { return trip.rest == nil ? rest(from: now, settings, at: now) : [] }
    guard trip.rest != nil else { return [] }
    running?.rest = nil
    return [.storeTrip(kept(settings.fields)), .cancelTimer(.tripRest)]
  }

  static func moves(_ motion: Motion, as mode: TripMode) -> Bool {
    !motion.intersection(mode.motion).isEmpty && !motion.contains(.stationary)
  }

  /// Starts a rest at a launch, because the motion before the launch is unknown. The trip continues only if its motion is reported again.
  mutating func restAfterLaunch(_ settings: Settings, at now: Date) -> [Effect] {
    guard isOn, let trip = running, trip.beganByMotion else { return [] }
    guard trip.rest == nil else { return [.setTimer(.tripRest, now.addingTimeInterval(settings.tripRest))] }
    return rest(from: trip.lastFix?.time ?? trip.start, settings, at: now)
  }

  private mutating func rest(from since: Date, _ settings: Settings, at now: Date) -> [Effect] {
    running?.beginRest(at: since)
    return [.storeTrip(kept(settings.fields)), .setTimer(.tripRest, now.addingTimeInterval(settings.tripRest))]
  }

  /// Handles the end of the permitted rest. - Returns: the start of the rest, at which the trip ended; `nil`: the trip is not at rest.
  mutating func restOver() -> Date? {
    guard isOn, let rest = running?.rest else { return nil }
    running?.cutBack(to: rest)
    return rest.since
  }

  private static func byUse(_ counts: [TripMode: Int]) -> [TripMode] {
    // The order of the cases of the type breaks ties.
    TripMode.allCases.enumerated()
      .sorted { (-(counts[$0.element] ?? 0), $0.offset) < (-(counts[$1.element] ?? 0), $1.offset) }
      .map(\.element)
  }
}
