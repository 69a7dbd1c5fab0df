public import struct Foundation.Date

/// The UTC offsets of the time zones that schedules name, as a table, so that the engine needs no calendar.
public struct RegionZones: Sendable, Hashable, Codable {
  /// The device's own zone.
  public var device: Zone
  /// The zones by their names in the IANA database. A missing zone counts as the zone of the device.
  public var named: [String: Zone]

  /// The offsets of one zone.
  public struct Zone: Sendable, Hashable, Codable {
    /// Seconds east of UTC before the first change.
    public var offset: Int
    /// The coming changes, in order. Those of one year are sufficient.
    public var changes: [Change]

    /// A change of the offset, such as the start or end of summer time.
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

    /// Returns the seconds east of UTC at a time.
    func offset(at time: Date) -> Int { changes.last { $0.at <= time }?.offset ?? offset }

    /// Returns the time of the next change of the offset; `nil`: none is known.
    func nextChange(after time: Date) -> Date? { changes.first { $0.at > time }?.at }
  }

  public init(device: Zone = Zone(), named: [String: Zone] = [:]) {
    self.device = device
    self.named = named
  }

  func zone(_ name: String?) -> Zone { name.flatMap { named[$0] } ?? device }
}
