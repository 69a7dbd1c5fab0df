/// The identity of an iBeacon. Without a minor number it includes all beacons with the UUID and major number. Without both numbers
/// it includes all beacons with the UUID.
public struct BeaconIdentity: Sendable, Hashable, Codable {
  public var uuid: ProximityUUID
  public private(set) var major: UInt16?
  /// Set only with a major number.
  public private(set) var minor: UInt16?

  /// Creates the identity of all beacons with a UUID.
  public init(uuid: ProximityUUID) { self.uuid = uuid }

  /// - Parameters:
  ///   - uuid: The proximity UUID.
  ///   - major: The major number.
  ///   - minor: The minor number; `nil` for all.
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
