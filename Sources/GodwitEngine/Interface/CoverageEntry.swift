public import struct Foundation.Date

/// Why there is a fix in a minute, or why there is none. Consecutive minutes with the same reason are one line.
public struct CoverageEntry: Sendable, Hashable, Codable {
  /// By rising priority: the reason of a minute is the last one here of all that occurred.
  public enum Reason: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// Tracking was off.
    case off
    /// The program did not run, although tracking was on.
    case killed
    /// The system did not permit it.
    case noPermission = "no_permission"
    /// Only significant changes were requested, and there was none.
    case notAsked = "not_asked"
    /// The device stood still, and only its departure was watched.
    case atRest = "at_rest"
    /// The system had paused updates.
    case paused
    /// Updates were requested, and none arrived.
    case noSignal = "no_signal"
    /// The fixes had no valid position.
    case invalid
    /// Only trips are recorded, and there was none.
    case notOnTrip = "not_on_trip"
    /// The fixes were less accurate than the settings require.
    case tooInaccurate = "too_inaccurate"
    /// It came too soon after the last recorded fix.
    case tooSoon = "too_soon"
    /// It was too near to the last recorded fix.
    case tooNear = "too_near"
    /// There is a fix.
    case recorded
    /// More fixes arrived than could be processed: the minute has gaps, whatever else occurred.
    case lost

    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The start of its first minute.
  public var start: Date
  /// The number of consecutive minutes with the same reason.
  public var minutes: Int
  /// The reason of these minutes.
  public var reason: Reason
  /// Fixes that were recorded.
  public var fixes: Int

  /// - Parameters:
  ///   - start: the start of the first minute.
  ///   - minutes: the number of minutes.
  ///   - reason: the reason of all of them.
  ///   - fixes: the number of fixes that were recorded in them.
  public init(start: Date, minutes: Int, reason: Reason, fixes: Int) {
    self.start = start
    self.minutes = minutes
    self.reason = reason
    self.fixes = fixes
  }

  /// The end of the last minute.
  public var end: Date { start.addingTimeInterval(Double(minutes) * 60) }
}
