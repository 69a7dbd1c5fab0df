public import struct Foundation.Date

/// All that is asked here is pure: who asks says what the clocks on the wall show, which depends on the time zone and on the day.
extension RegionSchedule {
  private static let day = 86_400
  private static let week = 7 * day

  /// Whether the region counts at a time.
  /// - Parameters:
  ///   - time: When.
  ///   - utcOffset: Seconds by which the schedule's time zone is ahead of UTC then; west of Greenwich less than 0.
  public func isActive(at time: Date, utcOffset: Int) -> Bool {
    guard let second = Self.secondOfWeek(time, utcOffset) else { return false }
    return isActive(second)
  }

  /// When the region begins to count, or stops to, next.
  /// - Parameters:
  ///   - time: When to look from.
  ///   - utcOffset: Seconds by which the schedule's time zone is ahead of UTC; west of Greenwich less than 0. The answer holds as
  ///     long as that does: where the clocks are changed before, ask again from the time of the change on.
  /// - Returns: A time after `time`, within a week; `nil` where it always counts or never does.
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

  /// - Parameter second: Of the week, from Monday's first.
  private func isActive(_ second: Int) -> Bool {
    windows.contains { window in
      window.days.contains { Self.wrapped(second - window.start(on: $0)) < window.length }
    }
  }

  /// Seconds since Monday began on the clocks on the wall; nothing for a time that is no number or is out of this world.
  private static func secondOfWeek(_ time: Date, _ utcOffset: Int) -> Int? {
    guard abs(time.timeIntervalSince1970) < 1e15, abs(utcOffset) <= day else { return nil }
    // 1970 began on a Thursday.
    return wrapped(Int(time.timeIntervalSince1970.rounded(.down)) + utcOffset + 3 * day)
  }

  private static func wrapped(_ seconds: Int) -> Int { (seconds % week + week) % week }
}

extension RegionSchedule.Window {
  fileprivate func start(on day: RegionSchedule.Weekday) -> Int { (day.rawValue - 1) * 86_400 + from * 60 }

  /// Seconds that it lasts, up to a day.
  fileprivate var length: Int { (to > from ? to - from : to - from + 1440) * 60 }
}
