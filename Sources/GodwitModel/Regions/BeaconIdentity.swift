/// The identity in the signal of an iBeacon. Without a minor number it includes all of its UUID and major number,
/// without either all of the UUID.
public struct BeaconIdentity: Sendable, Hashable, Codable {
  public var uuid: ProximityUUID
  public private(set) var major: UInt16?
  /// Only with a major number.
  public private(set) var minor: UInt16?

  /// All beacons of a UUID.
  public init(uuid: ProximityUUID) { self.uuid = uuid }

  /// - Parameters:
  ///   - uuid: the proximity UUID.
  ///   - major: the major number.
  ///   - minor: the minor number; `nil`: all of them.
  public init(uuid: ProximityUUID, major: UInt16, minor: UInt16? = nil) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
  }

  /// Returns whether this identity includes another.
  public func includes(_ other: BeaconIdentity) -> Bool {
    uuid == other.uuid && (major == nil || major == other.major) && (minor == nil || minor == other.minor)
  }
}
