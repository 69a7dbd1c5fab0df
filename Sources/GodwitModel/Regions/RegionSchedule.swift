/// When a region is active: windows of time on days of the week.
public struct RegionSchedule: Sendable, Hashable, Codable {
  /// At least one window; they may overlap.
  public var windows: [Window]
  /// Name of a time zone of the IANA database (`Europe/Ljubljana`); `nil` for the device's zone.
  public var timeZone: String?

  /// A window of time on some days of the week.
  public struct Window: Sendable, Hashable, Codable {
    /// Days on which the window starts.
    public var days: Set<Weekday>
    /// Start in minutes since midnight, 0 ..< 1440.
    public var from: Int
    /// End in minutes since midnight, 1 ... 1440. An end that is not after `from` is on the next day.
    public var to: Int

    /// - Parameters:
    ///   - days: Days on which the window starts.
    ///   - from: Start in minutes since midnight, 0 ..< 1440.
    ///   - to: End in minutes since midnight, 1 ... 1440. An end that is not after `from` is on the next day.
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
