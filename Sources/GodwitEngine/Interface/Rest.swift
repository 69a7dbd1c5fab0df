public import GodwitModel

public import struct Foundation.Date

/// A place at which the device rests, as it is remembered over a relaunch.
public struct Rest: Sendable, Hashable, Codable {
  public var coordinate: Coordinate
  /// Metres.
  public var accuracy: Meters
  /// When the device came here, as far as that is known.
  public var arrival: Date
  /// When it was last known to be here.
  public var seen: Date
}
