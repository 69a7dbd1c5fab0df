public import GodwitModel

public import struct Foundation.Date

/// A place where the device rests, as stored over relaunches.
public struct Rest: Sendable, Hashable, Codable {
  public var coordinate: Coordinate
  /// Metres.
  public var accuracy: Meters
  /// The arrival of the device, as far as it is known.
  public var arrival: Date
  /// When the device was last known to be there.
  public var seen: Date
}
