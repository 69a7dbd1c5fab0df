public import GodwitModel

/// The name under which the system monitors a region of ours. It says what it is for, so that a relaunched app can tell its own
/// regions from other people's, and what is still right from what is not.
public enum RegionIdentifier: Sendable, Hashable {
  /// The circle that is left when the time has come to choose again.
  case horizon
  /// A geofence, and which circle it was when monitoring began.
  case geofence(String, version: UInt32)
  /// Everything of a beacon UUID.
  case beacons(ProximityUUID)
}

extension RegionIdentifier: LosslessStringConvertible {
  /// How all of ours begin.
  public static let prefix = "godwit.region."
  private static let (geofence, beacon) = ("fence.", "beacon.")

  /// Nothing where it is not one of ours.
  public init?(_ description: String) {
    guard description.hasPrefix(Self.prefix) else { return nil }
    let rest = description.dropFirst(Self.prefix.count)
    if rest == "horizon" {
      self = .horizon
    } else if rest.hasPrefix(Self.beacon), let uuid = ProximityUUID(String(rest.dropFirst(Self.beacon.count))) {
      self = .beacons(uuid)
    } else if rest.hasPrefix(Self.geofence) {
      let name = rest.dropFirst(Self.geofence.count)
      guard let dot = name.lastIndex(of: "."), let version = UInt32(name[name.index(after: dot)...], radix: 16) else {
        return nil
      }
      self = .geofence(String(name[..<dot]), version: version)
    } else {
      return nil
    }
  }

  public var description: String {
    switch self {
    case .horizon: Self.prefix + "horizon"
    case .geofence(let id, let version): Self.prefix + Self.geofence + id + "." + String(version, radix: 16)
    case .beacons(let uuid): Self.prefix + Self.beacon + uuid.description
    }
  }
}

/// What the system is asked to monitor.
public struct MonitoredRegion: Sendable, Hashable, Codable {
  public var identifier: String
  public var shape: Shape

  /// The area or the beacons that the system monitors.
  public enum Shape: Sendable, Hashable, Codable {
    /// A circle on the earth: a geofence, or the horizon.
    case circle(Circle)
    /// All beacons of a UUID.
    case beacons(ProximityUUID)
  }

  /// Entries are of no use for the horizon, which one is inside of when it is made.
  public var notifiesOnEntry: Bool { identifier != RegionIdentifier.horizon.description }

  /// The horizon.
  init(horizon: Circle) {
    identifier = RegionIdentifier.horizon.description
    shape = .circle(horizon)
  }

  /// The circle of a geofence.
  init(geofence id: String, circle: Circle) {
    identifier = RegionIdentifier.geofence(id, version: Self.version(of: circle)).description
    shape = .circle(circle)
  }

  /// A beacon UUID.
  init(_ uuid: ProximityUUID) {
    identifier = RegionIdentifier.beacons(uuid).description
    shape = .beacons(uuid)
  }

  /// The same on every machine: FNV-1a over the bits of the numbers (Fowler, Noll and Vo, 1991).
  static func version(of circle: Circle) -> UInt32 {
    var hash: UInt32 = 2_166_136_261
    for number in [circle.center.latitude, circle.center.longitude, circle.radius] {
      let bits = number.bitPattern
      for byte in 0..<8 { hash = (hash ^ UInt32(truncatingIfNeeded: bits >> (8 * byte) & 255)) &* 16_777_619 }
    }
    return hash
  }
}
