internal import struct Foundation.Date

/// The ledger's present: the minute that is going on, and the run before it.
struct Ledger: Sendable, Hashable, Codable {
  /// Minutes since 1970.
  private var minute: Int?
  private var reason: LedgerEntry.Reason?
  private var fixes = 0
  private var run: LedgerEntry?
  private var unwritten = 0

  /// Minutes after which a run that goes on is written, so that a later launch knows how long the tracker lived.
  static let writtenEvery = 5

  /// Goes on from what was written before: the time since is explained by `reason`.
  mutating func resume(after end: Date?, because reason: LedgerEntry.Reason, at now: Date) -> [LedgerEntry] {
    guard let end else {
      // The very first: a line without a minute yet, so that a program killed in its first minutes knows since when it
      // has to explain them.
      let present = Self.minute(now)
      minute = present
      return [LedgerEntry(start: Date(timeIntervalSince1970: Double(present) * 60), minutes: 0, reason: reason, fixes: 0)]
    }
    minute = Self.minute(end)
    return advance(to: now, standing: reason)
  }

  /// Something happened in this minute.
  mutating func note(_ new: LedgerEntry.Reason, fixes count: Int = 0) {
    reason = max(reason ?? new, new)
    fixes += count
  }

  /// Time has passed. - Parameter standing: what explains a minute in which nothing happened.
  /// - Returns: lines to write.
  mutating func advance(to now: Date, standing: LedgerEntry.Reason) -> [LedgerEntry] {
    let present = Self.minute(now)
    guard let minute else {
      minute = present
      return []
    }
    // A clock that was set back waits here until it has caught up.
    guard present > minute else { return [] }
    var written: [LedgerEntry] = []
    written += extend(minute, 1, reason ?? standing, fixes)
    (reason, fixes) = (nil, 0)
    if present > minute + 1 { written += extend(minute + 1, present - minute - 1, standing, 0) }
    self.minute = present
    if unwritten >= Self.writtenEvery, let run = takeUnwritten() { written.append(run) }
    return written
  }

  /// The run that goes on, if not all of it is written.
  mutating func takeUnwritten() -> LedgerEntry? {
    guard unwritten > 0 else { return nil }
    unwritten = 0
    return run
  }

  /// The run that goes on.
  var current: LedgerEntry? { run }

  private mutating func extend(_ minute: Int, _ count: Int, _ reason: LedgerEntry.Reason, _ fixes: Int) -> [LedgerEntry] {
    let start = Date(timeIntervalSince1970: Double(minute) * 60)
    if var run, run.reason == reason, run.end == start {
      run.minutes += count
      run.fixes += fixes
      self.run = run
      unwritten += count
      return []
    }
    let finished = run
    run = LedgerEntry(start: start, minutes: count, reason: reason, fixes: fixes)
    unwritten = count
    return finished.map { [$0] } ?? []
  }

  private static func minute(_ time: Date) -> Int { Int((time.timeIntervalSince1970 / 60).rounded(.down)) }
}
