internal import GodwitModel

internal import struct Foundation.Date

/// The trip that is going on, and how often each mode was chosen.
struct Trips: Sendable, Hashable, Codable {
  /// Seconds that a pause may last before the trip is over.
  static let grace = 600.0
  /// Seconds that the pedometer has for its answer.
  static let pedometerTimeout = 10.0

  /// The trip that is going on, or whose steps are being counted.
  var running: RunningTrip?
  /// How often each mode was chosen.
  private(set) var modes: [TripMode: Int] = [:]
  /// The most chosen ones first.
  private(set) var modesByUse = TripMode.allCases

  init() {}

  init(running: RunningTrip?, modes: [TripMode: Int]) {
    (self.running, self.modes) = (running, modes)
    modesByUse = Self.byUse(modes)
  }

  /// Whether a trip is going on.
  var isOn: Bool { running != nil && running?.ending == nil }

  /// The trip as it may be written down and sent: without what is not collected.
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

  // MARK: Beginning and ending

  mutating func choose(_ mode: TripMode) {
    modes[mode, default: 0] += 1
    modesByUse = Self.byUse(modes)
  }

  /// A trip begins. - Returns: what is kept.
  mutating func begin(_ mode: TripMode, startedTracking: Bool, byMotion: Bool, at now: Date) -> [Effect] {
    var new = RunningTrip(start: now, mode: mode, startedTracking: startedTracking)
    new.beganByMotion = byMotion
    running = new
    return [.storeTrip(new), .storeTripModes(modes)]
  }

  /// The trip that is going on ends. - Returns: that trip, and what is kept; `nil`: none is going on.
  mutating func end(at end: Date, isAutomatic: Bool, _ fields: CollectingFields) -> (trip: RunningTrip, effects: [Effect])? {
    guard isOn, var ending = running else { return nil }
    ending.ending = RunningTrip.Ending(time: end, isAutomatic: isAutomatic)
    running = ending
    var effects: [Effect] = [.storeTrip(kept(fields)), .cancelTimer(.tripGrace)]
    if ending.beganByMotion { effects.append(.cancelTimer(.tripRest)) }
    return (ending, effects)
  }

  /// The trip that has ended has its steps. - Returns: it; `nil`: there is none.
  mutating func finish() -> (trip: RunningTrip, ending: RunningTrip.Ending)? {
    guard let finished = running, let ending = finished.ending else { return nil }
    running = nil
    return (finished, ending)
  }

  static func askForSteps(from start: Date, to end: Date, at now: Date) -> [Effect] {
    [.setTimer(.steps, now.addingTimeInterval(pedometerTimeout)), .countSteps(from: start, to: end)]
  }

  // MARK: Trips that begin and end by motion

  /// What the motion chip sees of the trip that is going on: a device at a traffic light is still on a trip, but does not move.
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

  /// A program that begins does not know what happened meanwhile: the trip goes on only if its motion is seen.
  mutating func restAfterLaunch(_ settings: Settings, at now: Date) -> [Effect] {
    guard isOn, let trip = running, trip.beganByMotion else { return [] }
    guard trip.rest == nil else { return [.setTimer(.tripRest, now.addingTimeInterval(settings.tripRest))] }
    return rest(from: trip.lastFix?.time ?? trip.start, settings, at: now)
  }

  private mutating func rest(from since: Date, _ settings: Settings, at now: Date) -> [Effect] {
    running?.beginRest(at: since)
    return [.storeTrip(kept(settings.fields)), .setTimer(.tripRest, now.addingTimeInterval(settings.tripRest))]
  }

  /// The trip has rested so long that it is over. - Returns: since when; `nil`: it does not rest.
  mutating func restOver() -> Date? {
    guard isOn, let rest = running?.rest else { return nil }
    running?.cutBack(to: rest)
    return rest.since
  }

  private static func byUse(_ counts: [TripMode: Int]) -> [TripMode] {
    // The order of the table breaks ties.
    TripMode.allCases.enumerated()
      .sorted { (-(counts[$0.element] ?? 0), $0.offset) < (-(counts[$1.element] ?? 0), $1.offset) }
      .map(\.element)
  }
}
