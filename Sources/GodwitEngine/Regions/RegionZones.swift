public import struct Foundation.Date

/// What clocks show in the time zones that schedules name: a table, so that nobody here has to ask a calendar.
public struct RegionZones: Sendable, Hashable, Codable {
  /// The device's own zone.
  public var device: Zone
  /// By name of the IANA database. A zone that is not here counts as the device's.
  public var named: [String: Zone]

  /// One zone's offsets.
  public struct Zone: Sendable, Hashable, Codable {
    /// Seconds east of UTC before the first change.
    public var offset: Int
    /// Coming changes, in order; who gives those of a year does enough.
    public var changes: [Change]

    /// Summer time begins or ends.
    public struct Change: Sendable, Hashable, Codable {
      /// The time of the change.
      public var at: Date
      /// Seconds east of UTC from then on.
      public var offset: Int

      /// - Parameters:
      ///   - at: the time of the change.
      ///   - offset: seconds east of UTC from then on.
      public init(at: Date, offset: Int) {
        self.at = at
        self.offset = offset
      }
    }

    /// - Parameters:
    ///   - offset: seconds east of UTC before the first change.
    ///   - changes: later changes, in order of time.
    public init(offset: Int = 0, changes: [Change] = []) {
      self.offset = offset
      self.changes = changes
    }

    /// Seconds east of UTC at a moment.
    func offset(at time: Date) -> Int { changes.last { $0.at <= time }?.offset ?? offset }

    /// When the offset changes next.
    func nextChange(after time: Date) -> Date? { changes.first { $0.at > time }?.at }
  }

  public init(device: Zone = Zone(), named: [String: Zone] = [:]) {
    self.device = device
    self.named = named
  }

  func zone(_ name: String?) -> Zone { name.flatMap { named[$0] } ?? device }
}
