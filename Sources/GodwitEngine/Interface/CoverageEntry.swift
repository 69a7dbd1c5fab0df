public import struct Foundation.Date

/// The reason why there is a fix in a minute, or why there is none. Consecutive minutes with the same reason are one line.
public struct CoverageEntry: Sendable, Hashable, Codable {
  /// The reasons in ascending priority. If several reasons occur in a minute, the one with the highest priority applies.
  public enum Reason: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// Tracking was off.
    case off
    /// The program did not run, although tracking was on.
    case killed
    /// The system did not permit access to the location.
    case noPermission = "no_permission"
    /// Only significant changes were requested, and none occurred.
    case notAsked = "not_asked"
    /// The device was stationary, and only its departure was monitored.
    case atRest = "at_rest"
    /// The system had paused updates.
    case paused
    /// Updates were requested, and none arrived.
    case noSignal = "no_signal"
    /// The fixes had no valid position.
    case invalid
    /// Only trips are recorded, and no trip was running.
    case notOnTrip = "not_on_trip"
    /// The fixes were less accurate than the settings require.
    case tooInaccurate = "too_inaccurate"
    /// The fixes came too soon after the last recorded fix.
    case tooSoon = "too_soon"
    /// The fixes were too near to the last recorded fix.
    case tooNear = "too_near"
    /// At least one fix was recorded.
    case recorded
    /// More fixes arrived than could be processed. The minute has gaps, whatever else occurred in it.
    case lost

    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The start of the first minute.
  public var start: Date
  /// The number of consecutive minutes with the same reason.
  public var minutes: Int
  /// The reason of these minutes.
  public var reason: Reason
  /// The number of fixes that were recorded in these minutes.
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
