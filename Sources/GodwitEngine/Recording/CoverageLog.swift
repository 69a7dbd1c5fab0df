internal import GodwitModel

internal import struct Foundation.Date

/// The open end of the coverage log: the current minute, and the line before it, which may still grow.
struct CoverageLog: Sendable, Hashable, Codable {
  /// Minutes since 1970.
  private var minute: Int?
  private var reason: CoverageEntry.Reason?
  private var fixes = 0
  private var run: CoverageEntry?
  private var unwritten = 0
  /// The end, in minutes since 1970, of the lines that were written while the clock was ahead; `nil`: there are none.
  private var later: Int?

  /// Minutes after which an open line is written, so that a later launch knows how long the tracker ran.
  static let writtenEvery = 5

  /// Maximum minutes by which a clock may be set back before the log continues at the earlier time. Until then the log waits for the clock.
  private static let maximumWait = Int(DayLength.seconds / 60)

  /// Continues after the stored lines. - Parameter reason: the reason of the minutes between the stored lines and now.
  mutating func resume(after end: Date?, because reason: CoverageEntry.Reason, at now: Date) -> [CoverageEntry] {
    guard let end else {
      // The first start. A line without a minute stores the start, even if the program is killed in its first minutes.
      let present = Self.minute(now)
      minute = present
      return [CoverageEntry(start: Date(timeIntervalSince1970: Double(present) * 60), minutes: 0, reason: reason, fixes: 0)]
    }
    minute = Self.minute(end)
    return advance(to: now, standing: reason)
  }

  /// Records a reason in this minute.
  mutating func record(_ new: CoverageEntry.Reason, fixes count: Int = 0) {
    reason = max(reason ?? new, new)
    fixes += count
  }

  /// Advances to the present time. - Parameter standing: the reason of a minute without events.
  /// - Returns: the lines to write.
  mutating func advance(to now: Date, standing: CoverageEntry.Reason) -> [CoverageEntry] {
    let present = Self.minute(now)
    guard let minute else {
      minute = present
      return []
    }
    if minute - present > Self.maximumWait { return goBack(to: present, standing: standing) }
    // If the clock was set back a little, the log waits until the clock has caught up.
    guard present > minute else { return [] }
    if let later, present >= later { return leap(to: now, over: later, standing: standing) }
    var written: [CoverageEntry] = []
    written += extend(minute, 1, reason ?? standing, fixes)
    (reason, fixes) = (nil, 0)
    if present > minute + 1 { written += extend(minute + 1, present - minute - 1, standing, 0) }
    self.minute = present
    if unwritten >= Self.writtenEvery, let run = takeUnwritten() { written.append(run) }
    return written
  }

  /// Continues at the present after the clock was set back by more than ``maximumWait``. The journal cuts the line that includes
  /// the present.
  private mutating func goBack(to present: Int, standing: CoverageEntry.Reason) -> [CoverageEntry] {
    later = max(later ?? 0, minute ?? 0)
    (minute, reason, fixes, run, unwritten) = (present, nil, 0, nil, 0)
    return [CoverageEntry(start: Date(timeIntervalSince1970: Double(present) * 60), minutes: 0, reason: standing, fixes: 0)]
  }

  /// Skips the minutes that already have lines, after a clock that was behind is right again.
  private mutating func leap(to now: Date, over later: Int, standing: CoverageEntry.Reason) -> [CoverageEntry] {
    let written = takeUnwritten().map { [$0] } ?? []
    (self.later, minute, reason, fixes, run) = (nil, later, nil, 0, nil)
    return written + advance(to: now, standing: standing)
  }

  /// Returns the open line if it is not fully written.
  mutating func takeUnwritten() -> CoverageEntry? {
    guard unwritten > 0 else { return nil }
    unwritten = 0
    return run
  }

  /// The open line.
  var current: CoverageEntry? { run }

  private mutating func extend(_ minute: Int, _ count: Int, _ reason: CoverageEntry.Reason, _ fixes: Int) -> [CoverageEntry] {
    let start = Date(timeIntervalSince1970: Double(minute) * 60)
    if var run, run.reason == reason, run.end == start {
      run.minutes += count
      run.fixes += fixes
      self.run = run
      unwritten += count
      return []
    }
    let finished = run
    run = CoverageEntry(start: start, minutes: count, reason: reason, fixes: fixes)
    unwritten = count
    return finished.map { [$0] } ?? []
  }

  private static func minute(_ time: Date) -> Int { Int((time.timeIntervalSince1970 / 60).rounded(.down)) }
}
