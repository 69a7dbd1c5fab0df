public import GodwitModel

public import struct Foundation.Date

/// A place where the device rests, as stored across relaunches.
public struct Rest: Sendable, Hashable, Codable {
  public var coordinate: Coordinate
  /// Metres.
  public var accuracy: Meters
  /// The time of arrival, as far as it is known.
  public var arrival: Date
  /// The time at which the device was last known to be there.
  public var seen: Date
}
