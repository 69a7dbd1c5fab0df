internal import GodwitModel

internal import struct Foundation.Date

/// The place of a stop: the mean of what was measured at it, the exact counting more.
struct RestPlace: Sendable, Hashable, Codable {
  private(set) var coordinate: Coordinate
  /// Metres.
  private(set) var accuracy: Meters
  private var weight: Double

  init(_ fix: Fix) {
    coordinate = fix.coordinate
    accuracy = max(5, fix.horizontalAccuracy ?? Adaptive.goodAccuracy)
    weight = 1 / (accuracy * accuracy)
  }

  init(_ rest: Rest) {
    coordinate = rest.coordinate
    accuracy = max(5, rest.accuracy)
    weight = 1 / (accuracy * accuracy)
  }

  func fix(at time: Date) -> Fix { Fix(time: time, coordinate: coordinate, horizontalAccuracy: accuracy, speed: 0) }

  /// Errors of a receiver that stands still have much in common: more fixes make the place steadier, and its accuracy is
  /// that of the best one.
  mutating func add(_ fix: Fix) {
    let new = RestPlace(fix)
    let share = new.weight / (weight + new.weight)
    let distance = GreatCircle.distance(coordinate, new.coordinate)
    let course = GreatCircle.initialCourse(from: coordinate, to: new.coordinate)
    coordinate = GreatCircle.destination(from: coordinate, course: course, distance: distance * share)
    weight += new.weight
    accuracy = min(accuracy, new.accuracy)
  }
}

/// At a place: holding, resting, and how a rest ends.
extension Adaptive {
  static func distance(_ fix: Fix, _ rest: Rest) -> Meters { GreatCircle.distance(fix.coordinate, rest.coordinate) }

  /// It stands still.
  mutating func hold(at now: Date) {
    phase = .holding(since: now)
    hasSettled = false
    stillFrom = nil
    // What was measured on the way here says where it is, and the longer ago the less.
    place = nil
    if var before = last {
      let way = max(0, now.timeIntervalSince(before.time)) * max(1.4, before.speed ?? 0)
      before.horizontalAccuracy = (before.horizontalAccuracy ?? Self.goodAccuracy) + way
      if way < 5 * Self.worstAccuracy { place = RestPlace(before) }
    }
    if let candidate { addToPlace(candidate) }
    candidate = nil
  }

  mutating func addToPlace(_ fix: Fix) {
    if place == nil { place = RestPlace(fix) } else { place?.add(fix) }
  }

  /// A position while it holds.
  mutating func holdOn(_ fix: Fix, _ answer: inout PolicyAnswer, at now: Date) {
    answer.reason = .tooNear
    let accuracy = fix.horizontalAccuracy ?? Self.goodAccuracy
    guard accuracy <= Self.roughest else {
      answer.reason = .tooInaccurate
      // Better than none, as long as it is alone.
      if place == nil || candidate != nil, accuracy < (candidate?.horizontalAccuracy ?? .infinity) { candidate = fix }
      return
    }
    guard let place else { return addToPlace(fix) }
    guard GreatCircle.distance(place.coordinate, fix.coordinate) > Self.extent / 2 + accuracy + place.accuracy else {
      doubted = nil
      return addToPlace(fix)
    }
    // One may be wrong; two that agree are not.
    guard let before = doubted, GreatCircle.distance(before.coordinate, fix.coordinate) <= Self.extent + 2 * accuracy else {
      doubted = fix
      return
    }
    doubted = nil
    setOut(at: now)
  }

  /// It moves: a fix at once.
  mutating func setOut(at now: Date) {
    setOff = now
    place = rest == nil ? nil : place
    failures = 0
    seek(at: now)
  }

  /// The stop has become a rest: its place is recorded, and the program may sleep.
  mutating func fallAsleep(since: Date, _ answer: inout PolicyAnswer, at now: Date) {
    // Without any measurement at the place: somewhere about where it was last seen.
    if place == nil, let candidate { addToPlace(candidate) }
    if place == nil, var known = lastKept {
      known.horizontalAccuracy = max(Self.worstAccuracy, known.horizontalAccuracy ?? 0)
      addToPlace(known)
    }
    candidate = nil
    guard let place else {
      // Nothing is known of where it is: the next look is a while away, and the program stays awake for it.
      failures += 1
      // Twice as long as while it moves.
      phase = .waiting(until: now.addingTimeInterval(Self.backoff.pause(after: failures + 1)))
      return
    }
    if rest == nil {
      // It came here when it stopped, though where that is is known only now.
      if place.accuracy <= Self.roughest { for time in [since, now] { keep(place.fix(at: time), &answer) } }
      rest = Rest(
        coordinate: place.coordinate, accuracy: place.accuracy, arrival: stays.current?.arrival ?? since, seen: now)
    }
    phase = .resting
    (alarms, sleepless, lastMinute, setOff) = (0, 0, nil, nil)
    circle = ExitCircle(center: place.coordinate, radius: Self.exitRadius, number: (circle?.number ?? 0) + 1)
  }

  /// A false alarm.
  mutating func sleepAgain(at now: Date) {
    guard let rest else { return }
    phase = .resting
    (failures, setOff, candidate) = (0, nil, nil)
    circle = ExitCircle(center: rest.coordinate, radius: Self.exitRadius, number: (circle?.number ?? 0) + 1)
  }

  /// A position at rest.
  mutating func stir(_ fix: Fix, _ answer: inout PolicyAnswer, at now: Date) {
    guard let rest else { return }
    answer.reason = .tooNear
    // Who can ask a chip asks early.
    let doubt = hasChip ? 0 : max(fix.horizontalAccuracy ?? Self.goodAccuracy, rest.accuracy)
    guard Self.distance(fix, rest) > Self.extent / 2 + doubt else {
      alarms = 0
      if fix.time > rest.seen { self.rest?.seen = fix.time }
      return
    }
    guard fix.time > rest.seen, phase == .resting else { return }
    alarm(&answer, at: now)
    doubted = fix
  }

  /// Something says that it has left. The motion chip knows more.
  mutating func alarm(_ answer: inout PolicyAnswer, at now: Date) {
    guard let rest else { return }
    alarms += 1
    answer.asksMotionSince = rest.seen
    if hasChip { phase = .checking(until: now.addingTimeInterval(Self.chipTimeout)) } else { seek(at: now) }
  }

  /// What the motion chip saw while nobody listened.
  mutating func take(_ spans: [MotionSpan], _ answer: inout PolicyAnswer, at now: Date) {
    guard rest != nil, phase != .resting else { return }
    // Nothing began since: what was seen last goes on.
    if let newest = spans.last(where: { !$0.motion.isEmpty }) {
      hasChip = true
      motion = newest.motion
      expectMotion()
    }
    setOff = Self.beginOfMotion(spans, at: now)
    guard case .checking = phase else { return }
    // One that saw no motion is believed once: boats and trains can be too smooth for it.
    if setOff == nil, isStill, alarms == 1 { sleepAgain(at: now) } else { seek(at: now) }
  }

  /// When the motion began that goes on, or has just ended.
  static func beginOfMotion(_ spans: [MotionSpan], at now: Date) -> Date? {
    var end = now
    var begin: Date?
    for span in spans.reversed() {
      let isStill = span.motion.isEmpty || span.motion == .stationary
      // A light, a lift, a word at the door.
      if isStill, end.timeIntervalSince(span.start) >= Self.pauseOnTheWay { break }
      if !isStill { begin = span.start }
      end = span.start
    }
    return begin
  }
  /// Seconds.
  static let pauseOnTheWay = 180.0

  /// Whether an exact fix after a rest is away from it, or on the way. If not, it sleeps on.
  mutating func leave(with fix: Fix, _ answer: inout PolicyAnswer, at now: Date) -> Bool {
    guard let rest else { return true }
    let isAway = Self.distance(fix, rest) > Self.extent / 2 + max(fix.horizontalAccuracy ?? 0, rest.accuracy)
    if isAway || isMovingByChip {
      depart(with: fix, at: now, &answer)
      return true
    }
    self.rest?.seen = max(rest.seen, fix.time)
    answer.reason = .tooNear
    alarms = 0
    sleepAgain(at: now)
    return false
  }

  /// It has left. Nobody saw it, so that the moment is what the chip says, or what the distance does.
  mutating func depart(with fix: Fix, at now: Date, _ answer: inout PolicyAnswer) {
    guard let rest else { return }
    let distance = Self.distance(fix, rest)
    let speed = max(1.4, fix.speed ?? 0)
    var departure = setOff ?? fix.time.addingTimeInterval(-distance / speed)
    // Not before it was last seen, and not so late that it would have had to fly.
    departure = max(rest.seen, min(departure, fix.time.addingTimeInterval(-1)))
    if rest.accuracy <= Self.roughest {
      keep(RestPlace(rest).fix(at: departure), &answer)
    } else if fix.time.timeIntervalSince(departure) < Self.pauseOnTheWay {
      // Only a cell was known: it was where the way that it goes now comes from.
      let way = (fix.speed ?? 0) * fix.time.timeIntervalSince(departure)
      var origin = fix
      if let course = fix.course {
        origin.coordinate = GreatCircle.destination(from: fix.coordinate, course: course + 180, distance: way)
      }
      origin.horizontalAccuracy = (fix.horizontalAccuracy ?? Self.goodAccuracy) + way
      for time in [rest.arrival, departure] { keep(RestPlace(origin).fix(at: time), &answer) }
    }
    self.rest = nil
    circle = nil
    place = nil
    (alarms, setOff, failures) = (0, nil, 0)
  }

  // MARK: Stays

  /// What a record says of stays.
  mutating func note(_ fix: Fix, _ answer: inout PolicyAnswer) {
    if let stay = stays.add(fix.coordinate, at: fix.time) {
      // Between the last fix at the place and the first away from it: when the boundary was passed on the way.
      let way = max(1, GreatCircle.distance(stay.coordinate, fix.coordinate))
      let share = min(1, stays.definition.radius / way)
      let departure = stay.lastSeen.addingTimeInterval(fix.time.timeIntervalSince(stay.lastSeen) * share)
      answer.visits.append(
        Visit(
          time: fix.time, coordinate: stay.coordinate, horizontalAccuracy: stays.definition.radius / 2, arrival: stay.arrival,
          departure: departure))
      hasToldArrival = false
    } else if let stay = stays.current {
      guard !hasToldArrival else { return }
      hasToldArrival = true
      answer.visits.append(
        Visit(
          time: fix.time, coordinate: stay.coordinate, horizontalAccuracy: stays.definition.radius / 2, arrival: stay.arrival))
    } else {
      hasToldArrival = false
    }
  }
}
