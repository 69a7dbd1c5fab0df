internal import GodwitModel

internal import struct Foundation.Date

/// The part of the policy at a place: holding, resting, and the end of a rest.
extension Adaptive {
  /// Starts a stop, because the device stands still.
  mutating func hold(at now: Date) {
    phase = .holding(since: now)
    checkedStop = nil
    hasSettled = false
    standstill.end()
    // The last fix before the stop gives its first place. Its accuracy value grows with the age of the fix.
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

  /// Handles a position during a stop.
  mutating func handleWhileWaiting(_ fix: Fix, _ response: inout PolicyResponse, at now: Date) {
    response.reason = .tooNear
    let accuracy = fix.horizontalAccuracy ?? Self.goodAccuracy
    guard accuracy <= Self.maximumNetworkAccuracy else {
      response.reason = .tooInaccurate
      // A single inaccurate position is better than none.
      if place == nil || candidate != nil, accuracy < (candidate?.horizontalAccuracy ?? .infinity) { candidate = fix }
      return
    }
    guard let place else { return addToPlace(fix) }
    guard GreatCircle.distance(place.coordinate, fix.coordinate) > Self.extent / 2 + accuracy + place.accuracy else {
      doubted = nil
      return addToPlace(fix)
    }
    // A single position away from the stop may be wrong. Two positions that agree are a departure.
    guard let before = doubted, GreatCircle.distance(before.coordinate, fix.coordinate) <= Self.extent + 2 * accuracy else {
      doubted = fix
      return
    }
    doubted = nil
    startMoving(at: now)
  }

  /// Starts moving with a search for a fix.
  mutating func startMoving(at now: Date) {
    resting.move(since: now)
    if resting.rest == nil { place = nil }
    failures = 0
    seek(at: now)
  }

  /// Turns the stop into a rest: the place is recorded, and the program may be suspended.
  mutating func enterRest(since: Date, _ response: inout PolicyResponse, at now: Date) {
    // Without a position at the stop, the place is approximately that of the last record.
    if place == nil, let candidate { addToPlace(candidate) }
    if place == nil, var known = lastKept {
      known.horizontalAccuracy = max(Self.worstAccuracy, known.horizontalAccuracy ?? 0)
      addToPlace(known)
    }
    candidate = nil
    guard let place else {
      // The position is unknown. The next search follows later, and the program stays awake for it.
      failures += 1
      // The pause is twice as long as while moving.
      phase = .waiting(until: now.addingTimeInterval(Self.backoff.pause(after: failures + 1)))
      return
    }
    // The device arrived when the stop began, although the place is known only now.
    if resting.rest == nil, place.accuracy <= Self.maximumNetworkAccuracy {
      for time in [since, now] { store(place.fix(at: time), &response) }
    }
    checks = 0
    resting.begin(at: place, arrival: stays.arrival ?? since, now)
    suspensionObserver = SuspensionObserver()
    phase = .resting
  }

  /// Continues the rest after a false alarm.
  mutating func sleepAgain() {
    guard resting.rest != nil else { return }
    phase = .resting
    (failures, candidate) = (0, nil)
    resting.resume()
  }

  /// Handles a position at rest.
  mutating func handleAtRest(_ fix: Fix, _ response: inout PolicyResponse, at now: Date) {
    guard let rest = resting.rest else { return }
    response.reason = .tooNear
    // With a motion chip an early alarm costs little, so the accuracies are not subtracted.
    let doubt = chip.isThere ? 0 : max(fix.horizontalAccuracy ?? Self.goodAccuracy, rest.accuracy)
    guard resting.isAway(fix, doubt: doubt) else { return resting.seen(at: min(fix.time, now)) }
    // The stored time may be of a clock that was ahead.
    guard fix.time > min(rest.seen, now), phase == .resting else { return }
    alarm(&response, at: now)
    doubted = fix
  }

  /// Handles a sign that the device has left. The motion chip is queried before the receiver is turned on.
  mutating func alarm(_ response: inout PolicyResponse, at now: Date) {
    guard let seen = resting.alarm() else { return }
    response.asksMotionSince = seen
    if chip.isThere { phase = .checking(until: now.addingTimeInterval(Self.chipTimeout)) } else { seek(at: now) }
  }

  /// Handles the history of the motion chip for the time in which the program was suspended.
  mutating func handle(_ spans: [MotionSpan], _ response: inout PolicyResponse, at now: Date) {
    guard resting.rest != nil, phase != .resting else { return }
    // The last state of the history is the present one.
    if let newest = spans.last(where: { !$0.motion.isEmpty }) {
      _ = chip.handle(newest.motion)
      expectMotion()
    }
    resting.handle(spans, at: now)
    guard case .checking = phase else { return }
    // A chip that detected no motion is trusted at the first alarm only. Boats and trains can move too smoothly for a chip.
    if resting.setOff == nil, chip.isStill, !chip.isDoubted(at: now), resting.alarms == 1 { sleepAgain() } else { seek(at: now) }
  }

  /// Whether an exact fix after a rest is away from the place or in motion. Otherwise the rest continues.
  mutating func leave(with fix: Fix, _ response: inout PolicyResponse, at now: Date) -> Bool {
    guard let rest = resting.rest else { return true }
    if chip.isMoving || resting.isAway(fix, doubt: max(fix.horizontalAccuracy ?? 0, rest.accuracy)) {
      depart(with: fix, &response)
      return true
    }
    resting.seen(at: min(fix.time, now))
    response.reason = .tooNear
    sleepAgain()
    return false
  }

  /// Returns the time at which the device left a place at a distance from a fix. It assumes the speed of the fix, and at least
  /// that of a walk.
  static func departure(to fix: Fix, over distance: Meters) -> Date {
    fix.time.addingTimeInterval(-distance / max(walkingSpeed, fix.speed ?? 0))
  }

  /// Ends the rest: records the departure.
  mutating func depart(with fix: Fix, _ response: inout PolicyResponse) {
    for record in resting.depart(with: fix) { store(record, &response) }
    place = nil
    failures = 0
  }
}
