/// When a region is active: on some days of the week, from one time of the day to another.
public struct RegionSchedule: Sendable, Hashable, Codable {
  /// At least one window; they may overlap.
  public var windows: [Window]
  /// Name of a time zone of the IANA database (`Europe/Ljubljana`); `nil`: the device's zone.
  public var timeZone: String?

  /// A time of the day on some days of the week.
  public struct Window: Sendable, Hashable, Codable {
    /// Days on which it begins.
    public var days: Set<Weekday>
    /// Minutes since midnight, 0 ..< 1440.
    public var from: Int
    /// Minutes since midnight, 1 ... 1440; if not after `from`: on the next day.
    public var to: Int

    /// - Parameters:
    ///   - days: the days on which the window begins.
    ///   - from: the start in minutes since midnight, 0 ..< 1440.
    ///   - to: the end in minutes since midnight, 1 ... 1440; if not after `from`: on the next day.
    public init(days: Set<Weekday> = Set(Weekday.allCases), from: Int, to: Int) {
      self.days = days
      self.from = from
      self.to = to
    }
  }

  /// A day of the week. The raw values are the numbers of ISO 8601: 1 is Monday, 7 is Sunday.
  public enum Weekday: Int, Sendable, Hashable, Codable, CaseIterable {
    case monday = 1
    case tuesday, wednesday, thursday, friday, saturday, sunday
  }

  public init(windows: [Window], timeZone: String? = nil) {
    self.windows = windows
    self.timeZone = timeZone
  }
}
