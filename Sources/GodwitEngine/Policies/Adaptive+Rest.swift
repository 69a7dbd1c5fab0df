internal import GodwitModel

internal import struct Foundation.Date

/// At a place: holding, resting, and how a rest ends.
extension Adaptive {
  /// It stands still.
  mutating func hold(at now: Date) {
    phase = .holding(since: now)
    checkedStop = nil
    hasSettled = false
    standstill.end()
    // What was measured on the way here says where it is, and the longer ago the less.
    place = nil
    if var before = last {
      let distance = max(0, now.timeIntervalSince(before.time)) * max(Self.walkingSpeed, before.speed ?? 0)
      before.horizontalAccuracy = (before.horizontalAccuracy ?? Self.goodAccuracy) + distance
      if distance < 5 * Self.worstAccuracy { place = RestPlace(before) }
    }
    if let candidate { addToPlace(candidate) }
    candidate = nil
  }

  mutating func addToPlace(_ fix: Fix) {
    if place == nil { place = RestPlace(fix) } else { place?.add(fix) }
  }

  /// A position during a stop.
  mutating func handleWhileWaiting(_ fix: Fix, _ response: inout PolicyResponse, at now: Date) {
    response.reason = .tooNear
    let accuracy = fix.horizontalAccuracy ?? Self.goodAccuracy
    guard accuracy <= Self.roughest else {
      response.reason = .tooInaccurate
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
    startMoving(at: now)
  }

  /// It moves: a fix at once.
  mutating func startMoving(at now: Date) {
    resting.move(since: now)
    if resting.rest == nil { place = nil }
    failures = 0
    seek(at: now)
  }

  /// The stop becomes a rest: its place is recorded, and the program may be suspended.
  mutating func enterRest(since: Date, _ response: inout PolicyResponse, at now: Date) {
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
    // It came here when it stopped, though where that is is known only now.
    if resting.rest == nil, place.accuracy <= Self.roughest {
      for time in [since, now] { store(place.fix(at: time), &response) }
    }
    checks = 0
    resting.begin(at: place, arrival: stays.arrival ?? since, now)
    sleeplessness = SuspensionObserver()
    phase = .resting
  }

  /// A false alarm.
  mutating func sleepAgain() {
    guard resting.rest != nil else { return }
    phase = .resting
    (failures, candidate) = (0, nil)
    resting.resume()
  }

  /// A position at rest.
  mutating func handleAtRest(_ fix: Fix, _ response: inout PolicyResponse, at now: Date) {
    guard let rest = resting.rest else { return }
    response.reason = .tooNear
    // With a motion chip an early query is cheap.
    let doubt = chip.isThere ? 0 : max(fix.horizontalAccuracy ?? Self.goodAccuracy, rest.accuracy)
    guard resting.isAway(fix, doubt: doubt) else { return resting.seen(at: fix.time) }
    guard fix.time > rest.seen, phase == .resting else { return }
    alarm(&response, at: now)
    doubted = fix
  }

  /// Something says that it has left. The motion chip knows more.
  mutating func alarm(_ response: inout PolicyResponse, at now: Date) {
    guard let seen = resting.alarm() else { return }
    response.asksMotionSince = seen
    if chip.isThere { phase = .checking(until: now.addingTimeInterval(Self.chipTimeout)) } else { seek(at: now) }
  }

  /// What the motion chip saw while nobody listened.
  mutating func handle(_ spans: [MotionSpan], _ response: inout PolicyResponse, at now: Date) {
    guard resting.rest != nil, phase != .resting else { return }
    // Nothing began since: what was seen last goes on.
    if let newest = spans.last(where: { !$0.motion.isEmpty }) {
      _ = chip.handle(newest.motion)
      expectMotion()
    }
    resting.handle(spans, at: now)
    guard case .checking = phase else { return }
    // One that saw no motion is believed once: boats and trains can be too smooth for it.
    if resting.setOff == nil, chip.isStill, !chip.isDoubted(at: now), resting.alarms == 1 { sleepAgain() } else { seek(at: now) }
  }

  /// Whether an exact fix after a rest is away from it, or on the way. If not, it sleeps on.
  mutating func leave(with fix: Fix, _ response: inout PolicyResponse, at now: Date) -> Bool {
    guard let rest = resting.rest else { return true }
    if chip.isMoving || resting.isAway(fix, doubt: max(fix.horizontalAccuracy ?? 0, rest.accuracy)) {
      depart(with: fix, &response)
      return true
    }
    resting.seen(at: fix.time)
    response.reason = .tooNear
    sleepAgain()
    return false
  }

  /// When a place was left from which a fix is so far away: by its speed, and at least by that of a walk.
  static func departure(to fix: Fix, over distance: Meters) -> Date {
    fix.time.addingTimeInterval(-distance / max(walkingSpeed, fix.speed ?? 0))
  }

  /// It has left.
  mutating func depart(with fix: Fix, _ response: inout PolicyResponse) {
    for record in resting.depart(with: fix) { store(record, &response) }
    place = nil
    failures = 0
  }
}
