public import struct Foundation.Date

/// These functions do not use time zone data. The caller passes the UTC offset of the time zone on that day.
extension RegionSchedule {
  private static let day = 86_400
  private static let week = 7 * day

  /// Returns whether the region is active at a time.
  /// - Parameters:
  ///   - time: The time.
  ///   - utcOffset: Seconds by which the schedule's time zone is ahead of UTC at that time; negative west of Greenwich.
  public func isActive(at time: Date, utcOffset: Int) -> Bool {
    guard let second = Self.secondOfWeek(time, utcOffset) else { return false }
    return isActive(second)
  }

  /// Returns the next time at which the region becomes active or inactive.
  /// - Parameters:
  ///   - time: The start of the search.
  ///   - utcOffset: Seconds by which the schedule's time zone is ahead of UTC; negative west of Greenwich. The result is valid
  ///     while the offset is constant. If it changes earlier, call the function again with the time of the change.
  /// - Returns: A time after `time`, within a week; `nil` if the region is always or never active, or if `time` is out of range.
  public func nextChange(after time: Date, utcOffset: Int) -> Date? {
    guard let now = Self.secondOfWeek(time, utcOffset) else { return nil }
    let isActiveNow = isActive(now)
    var soonest: Int?
    for window in windows {
      for day in window.days {
        let start = window.start(on: day)
        for bound in [start, start + window.length] {
          let wait = Self.wrapped(bound - now - 1) + 1
          if wait < soonest ?? .max, isActive(Self.wrapped(bound)) != isActiveNow { soonest = wait }
        }
      }
    }
    return soonest.map { Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down) + Double($0)) }
  }

  /// - Parameter second: Second of the week, from the start of Monday.
  private func isActive(_ second: Int) -> Bool {
    windows.contains { window in
      window.days.contains { Self.wrapped(second - window.start(on: $0)) < window.length }
    }
  }

  /// Seconds since the start of Monday in local time; `nil` for a time that is not finite or out of range.
  private static func secondOfWeek(_ time: Date, _ utcOffset: Int) -> Int? {
    guard abs(time.timeIntervalSince1970) < 1e15, abs(utcOffset) <= day else { return nil }
    // 1970 began on a Thursday.
    return wrapped(Int(time.timeIntervalSince1970.rounded(.down)) + utcOffset + 3 * day)
  }

  private static func wrapped(_ seconds: Int) -> Int { (seconds % week + week) % week }
}

extension RegionSchedule.Window {
  fileprivate func start(on day: RegionSchedule.Weekday) -> Int { (day.rawValue - 1) * 86_400 + from * 60 }

  /// Duration in seconds, at most a day.
  fileprivate var length: Int { (to > from ? to - from : to - from + 1440) * 60 }
}
