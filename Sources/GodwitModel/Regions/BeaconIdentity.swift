/// What an iBeacon says of itself. Without a minor number it stands for all of its UUID and major number, without either for
/// all of the UUID.
public struct BeaconIdentity: Sendable, Hashable, Codable {
  public var uuid: ProximityUUID
  public private(set) var major: UInt16?
  /// Only where there is a major number.
  public private(set) var minor: UInt16?

  /// All beacons of a UUID.
  public init(uuid: ProximityUUID) { self.uuid = uuid }

  /// - Parameters:
  ///   - uuid: the proximity UUID.
  ///   - major: the first number.
  ///   - minor: the second one; `nil`: all of them.
  public init(uuid: ProximityUUID, major: UInt16, minor: UInt16? = nil) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
  }

  /// Whether what is meant here includes the other.
  public func includes(_ other: BeaconIdentity) -> Bool {
    uuid == other.uuid && (major == nil || major == other.major) && (minor == nil || minor == other.minor)
  }
}
