public import struct Foundation.Date

/// Why there is a fix in a minute, or why there is none. A run of minutes with the same reason is one line.
public struct LedgerEntry: Sendable, Hashable, Codable {
  /// In the order of what explains more: of all that happened in a minute the last one here is its reason.
  public enum Reason: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// Tracking was off.
    case off
    /// The program did not run, although tracking was on.
    case killed
    /// The system did not allow it.
    case noPermission = "no_permission"
    /// Only significant changes were asked for, and there was none.
    case notAsked = "not_asked"
    /// The device stood still, and only its leaving was watched for.
    case atRest = "at_rest"
    /// The system had paused updates.
    case paused
    /// Updates were asked for, and none came.
    case noSignal = "no_signal"
    /// What came was no place at all.
    case invalid
    /// Only trips are recorded, and there was none.
    case notOnTrip = "not_on_trip"
    /// What came was less accurate than the settings want.
    case tooInaccurate = "too_inaccurate"
    /// It came too soon after the last kept fix.
    case tooSoon = "too_soon"
    /// It was too near to the last kept fix.
    case tooNear = "too_near"
    /// There is a fix.
    case recorded
    /// More fixes came than could be taken: there are holes, whatever else there is.
    case lost

    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The beginning of its first minute.
  public var start: Date
  public var minutes: Int
  public var reason: Reason
  /// Fixes that were recorded.
  public var fixes: Int

  public init(start: Date, minutes: Int, reason: Reason, fixes: Int) {
    self.start = start
    self.minutes = minutes
    self.reason = reason
    self.fixes = fixes
  }

  public var end: Date { start.addingTimeInterval(Double(minutes) * 60) }
}
