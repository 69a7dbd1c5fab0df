internal import GodwitModel

internal import struct Foundation.Date

/// The place of a rest, and the signs of a departure: a circle that the system monitors, alarms, and the start of a motion.
struct RestWatch: Sendable, Hashable, Codable {
  /// Radius of the region at a rest, metres: the smallest that systems monitor reliably.
  private static let exitRadius: Meters = 150
  /// Seconds. A shorter stop, such as a traffic light or a lift, does not interrupt a motion.
  private static let pauseInTransit = 180.0

  /// The rest, until the departure is certain.
  private(set) var rest: Rest?
  private(set) var circle: ExitCircle?
  /// The number of successive alarms that the motion chip did not confirm.
  private(set) var alarms = 0
  /// The start of the motion that ended the rest.
  private(set) var setOff: Date?

  // MARK: At rest

  /// Resumes the rest that was stored when the program ended.
  mutating func resume(_ rest: Rest?) { self.rest = rest }

  /// Starts a rest at the place of a stop.
  mutating func begin(at place: RestPlace, arrival: Date, _ now: Date) {
    rest = rest ?? Rest(coordinate: place.coordinate, accuracy: place.accuracy, arrival: arrival, seen: now)
    (alarms, setOff) = (0, nil)
    watch(place.coordinate)
  }

  /// Continues the rest after a false alarm.
  mutating func resume() {
    guard let rest else { return }
    setOff = nil
    watch(rest.coordinate)
  }

  private mutating func watch(_ center: Coordinate) {
    circle = ExitCircle(center: center, radius: Self.exitRadius, number: (circle?.number ?? 0) + 1)
  }

  /// Records that the device was at the place at a time.
  mutating func seen(at time: Date) {
    alarms = 0
    if let rest, time > rest.seen { self.rest?.seen = time }
  }

  /// Handles a sign of a departure. - Returns: the time at which the device was last known to be at the place; `nil`: it does not rest.
  mutating func alarm() -> Date? {
    guard let rest else { return nil }
    alarms += 1
    return rest.seen
  }

  // MARK: Leaving

  /// Sets the start of the motion.
  mutating func move(since time: Date?) { setOff = time }

  /// Handles the history of the motion chip for the time in which the program was suspended.
  mutating func handle(_ spans: [MotionSpan], at now: Date) { setOff = Self.beginOfMotion(spans, at: now) }

  /// Returns the start of the motion that continues or has just ended; `nil`: there was none.
  private static func beginOfMotion(_ spans: [MotionSpan], at now: Date) -> Date? {
    var end = now
    var begin: Date?
    for span in spans.reversed() {
      let isStill = span.motion.isEmpty || span.motion == .stationary
      if isStill, end.timeIntervalSince(span.start) >= pauseInTransit { break }
      if !isStill { begin = span.start }
      end = span.start
    }
    return begin
  }

  /// Whether a fix is away from the place by more than the accuracies.
  func isAway(_ fix: Fix, doubt: Meters) -> Bool {
    rest.map { Self.distance(fix, $0) > Adaptive.extent / 2 + doubt } ?? false
  }

  private static func distance(_ fix: Fix, _ rest: Rest) -> Meters {
    GreatCircle.distance(fix.coordinate, rest.coordinate)
  }

  /// Whether a position of networks is sufficient for a departure. It must be far away, possible, and confirmed by the motion
  /// chip. Without a chip, the position of the first alarm must agree with it.
  func isDeparture(_ best: Fix, _ chip: ChipMotion, doubted: Fix?, at now: Date) -> Bool {
    guard let rest else { return false }
    let accuracy = best.horizontalAccuracy ?? .infinity
    let distance = Self.distance(best, rest)
    guard accuracy <= Adaptive.maximumNetworkAccuracy, distance > Self.exitRadius + 2 * accuracy else { return false }
    if chip.isThere {
      return chip.isMoving && distance <= chip.topSpeed * now.timeIntervalSince(setOff ?? now) + Self.exitRadius
    }
    guard alarms > 1, let doubted else { return false }
    return GreatCircle.distance(doubted.coordinate, best.coordinate) <= Self.exitRadius + 2 * accuracy
  }

  /// Ends the rest. The device left the place without a fix. The time of departure is the start of the motion, or it is computed
  /// from the distance.
  /// - Returns: the records of the departure.
  mutating func depart(with fix: Fix) -> [Fix] {
    guard let rest else { return [] }
    defer { self = RestWatch() }
    var departure = setOff ?? Adaptive.departure(to: fix, over: Self.distance(fix, rest))
    // The departure is not before the last time at the place, and at least a second before the fix.
    departure = min(max(rest.seen, departure), fix.time.addingTimeInterval(-1))
    if rest.accuracy <= Adaptive.maximumNetworkAccuracy { return [RestPlace(rest).fix(at: departure)] }
    guard fix.time.timeIntervalSince(departure) < Self.pauseInTransit else { return [] }
    // The place was known only to the accuracy of a cell. The present path started there, so the place is computed back from the fix.
    let traveled = (fix.speed ?? 0) * fix.time.timeIntervalSince(departure)
    var origin = fix
    if let course = fix.course {
      origin.coordinate = GreatCircle.destination(from: fix.coordinate, course: course + 180, distance: traveled)
    }
    origin.horizontalAccuracy = (fix.horizontalAccuracy ?? Adaptive.goodAccuracy) + traveled
    return [rest.arrival, departure].map { RestPlace(origin).fix(at: $0) }
  }
}
