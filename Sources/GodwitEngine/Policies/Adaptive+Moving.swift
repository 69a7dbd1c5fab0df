internal import GodwitModel

internal import struct Foundation.Date

/// On the way: when the receiver is on, and which of its fixes are worth a record.
extension Adaptive {
  mutating func seek(at now: Date) {
    let isHot = last.map { abs(now.timeIntervalSince($0.time)) < Self.hotFor } ?? false
    candidate = nil
    let length = isHot ? Self.hotSearch : Self.coldSearch
    phase = .seeking(since: now, until: now.addingTimeInterval(length))
  }

  mutating func handle(_ fix: Fix, _ response: inout PolicyResponse, at now: Date) {
    guard Thinning.isPlace(fix) else {
      response.reason = .invalid
      return
    }
    // What was waiting for the program is still worth something; what is older than the last record is not.
    guard fix.time > (last?.time ?? .distantPast), fix.time > (lastKept?.time ?? .distantPast) else { return }
    switch phase {
    case .seeking(let since, _):
      guard fix.time >= since.addingTimeInterval(-1) else { return }
      if Self.isExact(fix) { consider(fix, &response, at: now) } else { hint(fix, &response, at: now) }
    case .waiting:
      guard Self.isExact(fix) else { return hint(fix, &response, at: now) }
      // The first one after a roof is poor.
      if failures > 0 {
        seek(at: now)
        consider(fix, &response, at: now)
      } else {
        accept(fix, &response, at: now)
      }
    case .holding(let since):
      guard fix.time >= since.addingTimeInterval(-1) else { return }
      handleWhileWaiting(fix, &response, at: now)
    case .resting, .checking: handleAtRest(fix, &response, at: now)
    }
  }

  /// Satellites tell a speed; networks do not.
  static func isExact(_ fix: Fix) -> Bool {
    let accuracy = fix.horizontalAccuracy ?? goodAccuracy
    return accuracy <= worstAccuracy && (fix.speed != nil || accuracy <= goodAccuracy)
  }

  /// The first fixes of a search are poor and become better by the second: the first that is good, or that is hardly better
  /// than the one before, is the one.
  private mutating func consider(_ fix: Fix, _ response: inout PolicyResponse, at now: Date) {
    let accuracy = fix.horizontalAccuracy ?? Self.goodAccuracy
    if accuracy > Self.goodAccuracy {
      let before = candidate.flatMap { Self.isExact($0) ? $0.horizontalAccuracy : nil } ?? .infinity
      candidate = fix
      if accuracy < 0.9 * before { return }
    }
    accept(fix, &response, at: now)
  }

  /// An exact fix is here: a record, unless nothing can have moved so.
  private mutating func accept(_ fix: Fix, _ response: inout PolicyResponse, at now: Date) {
    if let last, isJump(from: last, to: fix) {
      let isConfirmed = doubted.map { !isJump(from: $0, to: fix) } ?? false
      doubted = fix
      response.reason = .tooInaccurate
      guard isConfirmed else { return }
    }
    doubted = nil
    failures = 0
    candidate = nil
    if let last { pace.learn(from: last, to: fix) }
    last = fix
    chip.compare(with: fix)
    if resting.rest != nil, !leave(with: fix, &response, at: now) { return }
    leaveStop(with: fix, &response)
    store(fix, &response)
    if stands(fix) {
      hold(at: now)
    } else {
      checks = 0
      phase = .waiting(until: now.addingTimeInterval(continuousFilter == nil ? pace.interval : 2 * Self.continuousBelow))
    }
  }

  /// Whether the way between two fixes is longer than their own speeds and doubts explain.
  private func isJump(from before: Fix, to fix: Fix) -> Bool {
    let seconds = max(1, fix.time.timeIntervalSince(before.time))
    guard let speed = fix.speed, let earlier = before.speed, seconds <= 2 * Pace.maximum else { return false }
    let doubt = (before.horizontalAccuracy ?? 0) + (fix.horizontalAccuracy ?? 0)
    return GreatCircle.distance(before.coordinate, fix.coordinate) > 2 * (max(speed, earlier) + 2) * seconds + 2 * doubt
  }

  /// A position from networks: kept only where there has been nothing better for long.
  private mutating func hint(_ fix: Fix, _ response: inout PolicyResponse, at now: Date) {
    response.reason = .tooInaccurate
    let accuracy = fix.horizontalAccuracy ?? .infinity
    if accuracy < (candidate?.horizontalAccuracy ?? .infinity) { candidate = fix }
    guard case .waiting = phase, failures > 0, accuracy <= Self.roughest, resting.rest == nil else { return }
    guard let newest = lastKept else { return store(fix, &response) }
    let seconds = fix.time.timeIntervalSince(newest.time)
    let distance = GreatCircle.distance(newest.coordinate, fix.coordinate) - accuracy
    if seconds >= Self.roughAfter, distance <= chip.topSpeed * seconds { store(fix, &response) }
  }

  /// The search was in vain.
  mutating func giveUp(_ response: inout PolicyResponse, at now: Date) {
    let best = candidate
    candidate = nil
    // A fix that was not good enough to end the search is better than none.
    if let best, Self.isExact(best) { return accept(best, &response, at: now) }
    failures += 1
    // Where it all begins.
    if lastKept == nil, resting.rest == nil, let best, (best.horizontalAccuracy ?? .infinity) <= Self.roughest {
      store(best, &response)
    }
    if resting.rest != nil {
      // Nothing better than networks: far away is away, and near is where it was.
      if let best, resting.isDeparture(best, chip, doubted: doubted, at: now) {
        depart(with: best, &response)
        store(best, &response)
      } else if !chip.isMoving {
        return sleepAgain()
      }
    } else if chip.isStill || (!chip.isThere && failures > 1) {
      hold(at: now)
      if let best { addToPlace(best) }
      return
    }
    phase = .waiting(until: now.addingTimeInterval(Self.backoff.pause(after: failures)))
  }

  /// A record, and what it says of stays.
  mutating func store(_ fix: Fix, _ response: inout PolicyResponse) {
    guard fix.time > (lastKept?.time ?? .distantPast) else { return }
    response.fixes.append(fix)
    lastKept = fix
    if let visit = stays.add(fix) { response.visits.append(visit) }
  }

  /// A chip that is not doubted is believed, unless this fix contradicts it; otherwise the fixes say whether it stands.
  private mutating func stands(_ fix: Fix) -> Bool {
    let standsByFixes = standsWithoutChip(fix)
    guard chip.isStill else { return standsByFixes }
    return !chip.isContradicted(by: fix) && (standsByFixes || !chip.isDoubted(at: fix.time))
  }

  /// A stop that a fix was sought at has ended: its place is recorded with the time that the distance and the speed say.
  private mutating func leaveStop(with fix: Fix, _ response: inout PolicyResponse) {
    defer { checkedStop = nil }
    guard let stop = checkedStop, let newest = lastKept, resting.rest == nil, (fix.speed ?? 0) > ChipMotion.certainSpeed else {
      return
    }
    let distance = GreatCircle.distance(stop.coordinate, fix.coordinate)
    guard distance > 30 + stop.accuracy else { return }
    let time = Self.departure(to: fix, over: distance)
    if time > newest.time.addingTimeInterval(5) { store(stop.fix(at: time), &response) }
  }

  /// Without a chip the fixes say whether it stands.
  private mutating func standsWithoutChip(_ fix: Fix) -> Bool {
    guard chip.isMoving else { return standstill.handle(fix) }
    standstill.end()
    return false
  }
}
