internal import GodwitModel

internal import struct Foundation.Date

/// Where the device rests, and what says that it has left: a circle that the system watches, alarms, and the motion that began.
struct RestWatch: Sendable, Hashable, Codable {
  /// Metres. The region at a rest: the smallest that the systems watch well.
  private static let exitRadius: Meters = 150
  /// Seconds. A light, a lift, a word at the door.
  private static let pauseInTransit = 180.0

  /// Where it rested, until it is known to have left.
  private(set) var rest: Rest?
  private(set) var circle: ExitCircle?
  /// Alarms that the motion chip did not confirm, in a row.
  private(set) var alarms = 0
  /// When the motion began that ended the rest.
  private(set) var setOff: Date?

  // MARK: At rest

  /// The device rested when the program ended.
  mutating func resume(_ rest: Rest?) { self.rest = rest }

  /// The stop at a place has become a rest.
  mutating func begin(at place: RestPlace, arrival: Date, _ now: Date) {
    rest = rest ?? Rest(coordinate: place.coordinate, accuracy: place.accuracy, arrival: arrival, seen: now)
    (alarms, setOff) = (0, nil)
    watch(place.coordinate)
  }

  /// A false alarm: it rests on.
  mutating func resume() {
    guard let rest else { return }
    setOff = nil
    watch(rest.coordinate)
  }

  private mutating func watch(_ center: Coordinate) {
    circle = ExitCircle(center: center, radius: Self.exitRadius, number: (circle?.number ?? 0) + 1)
  }

  /// It was seen at the place.
  mutating func seen(at time: Date) {
    alarms = 0
    if let rest, time > rest.seen { self.rest?.seen = time }
  }

  /// Something says that it has left. - Returns: when it was last known to be there.
  mutating func alarm() -> Date? {
    guard let rest else { return nil }
    alarms += 1
    return rest.seen
  }

  // MARK: Leaving

  /// It moves since then.
  mutating func move(since time: Date?) { setOff = time }

  /// What the motion chip saw while nobody listened.
  mutating func handle(_ spans: [MotionSpan], at now: Date) { setOff = Self.beginOfMotion(spans, at: now) }

  /// When the motion began that goes on, or has just ended.
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

  /// Whether a fix is away from the place, beyond a doubt.
  func isAway(_ fix: Fix, doubt: Meters) -> Bool {
    rest.map { Self.distance(fix, $0) > Adaptive.extent / 2 + doubt } ?? false
  }

  private static func distance(_ fix: Fix, _ rest: Rest) -> Meters {
    GreatCircle.distance(fix.coordinate, rest.coordinate)
  }

  /// Whether a position of networks is enough to have left: far away, possible, and seen by the chip; without one the
  /// second alarm has to agree with it.
  func isDeparture(_ best: Fix, _ chip: ChipMotion, doubted: Fix?, at now: Date) -> Bool {
    guard let rest else { return false }
    let accuracy = best.horizontalAccuracy ?? .infinity
    let distance = Self.distance(best, rest)
    guard accuracy <= Adaptive.roughest, distance > Self.exitRadius + 2 * accuracy else { return false }
    if chip.isThere {
      return chip.isMoving && distance <= chip.topSpeed * now.timeIntervalSince(setOff ?? now) + Self.exitRadius
    }
    guard alarms > 1, let doubted else { return false }
    return GreatCircle.distance(doubted.coordinate, best.coordinate) <= Self.exitRadius + 2 * accuracy
  }

  /// It has left. Nobody saw it, so that the moment is what the chip says, or what the distance does.
  /// - Returns: records that say so.
  mutating func depart(with fix: Fix) -> [Fix] {
    guard let rest else { return [] }
    defer { self = RestWatch() }
    var departure = setOff ?? Adaptive.departure(to: fix, over: Self.distance(fix, rest))
    // Not before it was last seen, and not so late that it would have had to fly.
    departure = max(rest.seen, min(departure, fix.time.addingTimeInterval(-1)))
    if rest.accuracy <= Adaptive.roughest { return [RestPlace(rest).fix(at: departure)] }
    guard fix.time.timeIntervalSince(departure) < Self.pauseInTransit else { return [] }
    // Only a cell was known: it was where the way that it goes now comes from.
    let traveled = (fix.speed ?? 0) * fix.time.timeIntervalSince(departure)
    var origin = fix
    if let course = fix.course {
      origin.coordinate = GreatCircle.destination(from: fix.coordinate, course: course + 180, distance: traveled)
    }
    origin.horizontalAccuracy = (fix.horizontalAccuracy ?? Adaptive.goodAccuracy) + traveled
    return [rest.arrival, departure].map { RestPlace(origin).fix(at: $0) }
  }
}
