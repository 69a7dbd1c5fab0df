internal import GodwitModel

internal import struct Foundation.Date

/// Single positions: on activation of the app, for a background fetch, or on request of the program.
extension Engine {
  mutating func becameActive(cached: Fix?, at now: Date) -> [Effect] {
    guard isTracking else { return [] }
    // A one-time permission has expired and must be requested again.
    let prompt = authorization == .notDetermined ? recorder.permission.ask(for: settings.authorization) : []
    if let cached, abs(now.timeIntervalSince(cached.time)) < OneShot.freshness {
      return prompt + recordCached(cached, at: now)
    }
    return prompt + oneShot.addForeground(at: now)
  }

  mutating func backgroundFetch(_ number: Int, cached: Fix?, at now: Date) -> [Effect] {
    guard isTracking else { return [.fetchFinished(number, .noData)] }
    let effects = recordCached(cached, at: now)
    return effects + oneShot.add(fetch: number, at: now)
  }

  mutating func locationWanted(_ number: Int, at now: Date) -> [Effect] {
    guard !recorder.permission.isMissing else {
      return [.reportLocation(number, .problem(locationProblem ?? "Access to the location is not allowed."))]
    }
    let prompt: [Effect] = authorization == .notDetermined ? [.requestAuthorization(settings.authorization)] : []
    return prompt + oneShot.add(caller: number, at: now)
  }

  /// Records a position that the system already had, unless it is already recorded.
  mutating func recordCached(_ cached: Fix?, at now: Date) -> [Effect] {
    guard let cached, recorder.thinning.lastKept.map({ cached.replaces($0, at: now) }) ?? true else { return [] }
    if policy.state != nil, isByPolicy { return notifyPolicy(.fixes([cached]), .passive, at: now) }
    recorder.updateLastFix(cached, at: now)
    return recorder.record([cached], .passive, at: now)
  }

  /// - Parameters:
  ///   - fix: the position.
  ///   - isRecorded: whether the position is in the journal.
  ///   - now: the time.
  mutating func completeOneShots(with fix: Fix, isRecorded: Bool, at now: Date) -> [Effect] {
    guard !oneShot.isEmpty else { return [] }
    let record = settings.fields.filtering(Record(kind: .fix(fix), context: recorder.recordContext(.regular)), received: now)
    return oneShot.respond(record, isRecorded: isRecorded)
  }
}
