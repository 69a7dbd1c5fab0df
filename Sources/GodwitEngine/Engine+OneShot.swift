internal import GodwitModel

internal import struct Foundation.Date

/// Who waits for one position.
struct OneShot: Sendable, Hashable, Codable {
  /// Seconds that a position may take; a background launch has about thirty in all.
  static let patience = 20.0
  /// Seconds after which a known place is too old for somebody who opens the program. OpenLocate's figure.
  static let freshness = 15 * 60.0

  /// Background fetches.
  var fetches: [Int] = []
  /// Callers that want to know where they are, without a record.
  var callers: [Int] = []
  /// The program was opened and the known place was too old.
  var isForeground = false

  var isEmpty: Bool { fetches.isEmpty && callers.isEmpty && !isForeground }
  /// Whether the position is to be a record.
  var isRecording: Bool { !fetches.isEmpty || isForeground }
}

/// Positions that are asked for once: opened, in the background, by the program itself.
extension Engine {
  mutating func becameActive(cached: Fix?, at now: Date) -> [Effect] {
    guard isTracking else { return [] }
    // What was allowed once is over, and has to be asked for again.
    let question = authorization == .notDetermined ? askForPermission() : []
    if let cached, now.timeIntervalSince(cached.time) < OneShot.freshness {
      return question + passedBy(cached, at: now)
    }
    let wasEmpty = oneShot.isEmpty
    oneShot.isForeground = true
    return question + ask(if: wasEmpty, at: now)
  }

  mutating func backgroundFetch(_ number: Int, cached: Fix?, at now: Date) -> [Effect] {
    guard isTracking else { return [.fetchFinished(number, .noData)] }
    let effects = passedBy(cached, at: now)
    let wasEmpty = oneShot.isEmpty
    oneShot.fetches.append(number)
    return effects + ask(if: wasEmpty, at: now)
  }

  mutating func locationWanted(_ number: Int, at now: Date) -> [Effect] {
    if authorization == .denied || authorization == .restricted {
      return [.tellLocation(number, .problem(locationProblem ?? "The location may not be known."))]
    }
    let wasEmpty = oneShot.isEmpty
    oneShot.callers.append(number)
    let question: [Effect] = authorization == .notDetermined ? [.requestAuthorization(settings.authorization)] : []
    return question + ask(if: wasEmpty, at: now)
  }

  /// A place that the system knew anyway is worth a record, unless it is one already.
  mutating func passedBy(_ cached: Fix?, at now: Date) -> [Effect] {
    guard let cached, cached.time > (thinning.lastKept?.time ?? .distantPast) else { return [] }
    if policy != nil, isByPolicy { return tellPolicy(.fixes([cached]), .passive, at: now) }
    see(cached, at: now)
    return keep([cached], .passive, at: now)
  }

  private func ask(if isFirst: Bool, at now: Date) -> [Effect] {
    isFirst ? [.requestLocation, .setTimer(.oneShot, now.addingTimeInterval(OneShot.patience))] : []
  }

  /// - Parameters:
  ///   - fix: the place.
  ///   - isRecorded: it is in the journal: new data for whoever gave the program a moment in the background.
  ///   - now: the time.
  mutating func answerOneShots(with fix: Fix, isRecorded: Bool, at now: Date) -> [Effect] {
    guard !oneShot.isEmpty else { return [] }
    let record = settings.fields.filtering(
      Record(kind: .fix(fix), context: recordContext(.regular)), received: now)
    let effects =
      [Effect.cancelTimer(.oneShot)] + oneShot.callers.map { .tellLocation($0, .record(record)) }
      + oneShot.fetches.map { .fetchFinished($0, isRecorded ? .newData : .noData) }
    oneShot = OneShot()
    return effects
  }

  mutating func failOneShots(_ reason: String) -> [Effect] {
    guard !oneShot.isEmpty else { return [] }
    let effects =
      [Effect.cancelTimer(.oneShot)] + oneShot.callers.map { .tellLocation($0, .problem(reason)) }
      + oneShot.fetches.map { .fetchFinished($0, .failed) }
    oneShot = OneShot()
    return effects
  }
}
