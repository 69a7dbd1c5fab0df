internal import GodwitModel

internal import struct Foundation.Date

/// The moving part of the policy: when the receiver is on, and which of its fixes are recorded.
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
    // Fixes that waited while the program was suspended are still recorded. Fixes that are older than the last record are not.
    for earlier in [last, lastKept].compactMap(\.self) where fix.time <= earlier.time {
      guard fix.follows(earlier, at: now) else { return }
      discardFutureDates()
    }
    switch phase {
    case .seeking(let since, _):
      guard fix.time >= since.addingTimeInterval(-1) else { return }
      if Self.isExact(fix) { consider(fix, &response, at: now) } else { handleNetworkPosition(fix, &response, at: now) }
    case .waiting:
      guard Self.isExact(fix) else { return handleNetworkPosition(fix, &response, at: now) }
      // After an unsuccessful search, the first fix is inaccurate: a search follows.
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

  /// Discards the fixes whose dates are ahead of the clock. Otherwise later fixes would be dropped until these dates.
  private mutating func discardFutureDates() {
    (last, lastKept, doubted, candidate) = (nil, nil, nil, nil)
    standstill.end()
    chip.endDoubt()
    stays = ReportedStays()
    if let rest = resting.rest { stays.resume(rest) }
  }

  /// Whether a fix comes from satellites. Fixes of satellites contain a speed; positions of networks do not.
  static func isExact(_ fix: Fix) -> Bool {
    let accuracy = fix.horizontalAccuracy ?? goodAccuracy
    return accuracy <= worstAccuracy && (fix.speed != nil || accuracy <= goodAccuracy)
  }

  /// Decides whether a fix ends the search. The first fixes of a search are inaccurate and improve each second. The first fix
  /// that is accurate, or that is hardly better than the previous one, is accepted.
  private mutating func consider(_ fix: Fix, _ response: inout PolicyResponse, at now: Date) {
    let accuracy = fix.horizontalAccuracy ?? Self.goodAccuracy
    if accuracy > Self.goodAccuracy {
      let before = candidate.flatMap { Self.isExact($0) ? $0.horizontalAccuracy : nil } ?? .infinity
      candidate = fix
      if accuracy < 0.9 * before { return }
    }
    accept(fix, &response, at: now)
  }

  /// Records an exact fix. A fix that is too far from the last one is doubted until the next fix confirms it.
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

  /// Whether the distance between two fixes is larger than their speeds and accuracies permit.
  private func isJump(from before: Fix, to fix: Fix) -> Bool {
    let seconds = max(1, fix.time.timeIntervalSince(before.time))
    guard let speed = fix.speed, let earlier = before.speed, seconds <= 2 * Pace.maximum else { return false }
    let doubt = (before.horizontalAccuracy ?? 0) + (fix.horizontalAccuracy ?? 0)
    return GreatCircle.distance(before.coordinate, fix.coordinate) > 2 * (max(speed, earlier) + 2) * seconds + 2 * doubt
  }

  /// Handles a position of networks. It is recorded only if there has been no better position for ``roughAfter`` seconds.
  private mutating func handleNetworkPosition(_ fix: Fix, _ response: inout PolicyResponse, at now: Date) {
    response.reason = .tooInaccurate
    let accuracy = fix.horizontalAccuracy ?? .infinity
    if accuracy < (candidate?.horizontalAccuracy ?? .infinity) { candidate = fix }
    guard case .waiting = phase, failures > 0, accuracy <= Self.maximumNetworkAccuracy, resting.rest == nil else { return }
    guard let newest = lastKept else { return store(fix, &response) }
    let seconds = fix.time.timeIntervalSince(newest.time)
    let distance = GreatCircle.distance(newest.coordinate, fix.coordinate) - accuracy
    if seconds >= Self.roughAfter, distance <= chip.topSpeed * seconds { store(fix, &response) }
  }

  /// Ends a search without an accurate fix.
  mutating func endSearchWithoutFix(_ response: inout PolicyResponse, at now: Date) {
    let best = candidate
    candidate = nil
    // An exact fix that was not accurate enough to end the search is better than none.
    if let best, Self.isExact(best) { return accept(best, &response, at: now) }
    failures += 1
    // The first record of all may be a position of networks.
    if lastKept == nil, resting.rest == nil, let best, (best.horizontalAccuracy ?? .infinity) <= Self.maximumNetworkAccuracy {
      store(best, &response)
    }
    if resting.rest != nil {
      // The device rests, and there are only positions of networks. A position far away is a departure; otherwise the rest continues.
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

  /// Records a fix, and the arrival or departure that follows from it.
  mutating func store(_ fix: Fix, _ response: inout PolicyResponse) {
    guard fix.time > (lastKept?.time ?? .distantPast) else { return }
    response.fixes.append(fix)
    lastKept = fix
    if let visit = stays.add(fix) { response.visits.append(visit) }
  }

  /// Whether the device stands still. A chip that is not doubted determines this, unless this fix contradicts it. Otherwise the
  /// fixes determine it.
  private mutating func stands(_ fix: Fix) -> Bool {
    let standsByFixes = standsWithoutChip(fix)
    guard chip.isStill else { return standsByFixes }
    return !chip.isContradicted(by: fix) && (standsByFixes || !chip.isDoubted(at: fix.time))
  }

  /// Ends a stop at which a fix was sought. The place of the stop is recorded with the time of departure, computed from distance and speed.
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

  /// Whether the device stands still according to the fixes alone.
  private mutating func standsWithoutChip(_ fix: Fix) -> Bool {
    guard chip.isMoving else { return standstill.handle(fix) }
    standstill.end()
    return false
  }
}
