public import GodwitModel

/// The identifier by which the system monitors a region of the SDK. It contains the purpose, so that a relaunched app can
/// distinguish the regions of the SDK from other regions, and valid ones from outdated ones.
public enum RegionIdentifier: Sendable, Hashable {
  /// The horizon: the selection is made again when the device leaves this circle.
  case horizon
  /// A geofence, and the version of its circle when monitoring began.
  case geofence(String, version: UInt32)
  /// All beacons of a UUID.
  case beacons(ProximityUUID)
}

extension RegionIdentifier: LosslessStringConvertible {
  /// The prefix of all identifiers of the SDK.
  public static let prefix = "godwit.region."
  private static let (geofence, beacon) = ("fence.", "beacon.")

  /// `nil`: not an identifier of the SDK.
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

/// A region that the system is requested to monitor.
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

  /// Whether entries are reported. They are not needed for the horizon, which contains the device when it is created.
  public var notifiesOnEntry: Bool { identifier != RegionIdentifier.horizon.description }

  /// Creates the region of the horizon.
  init(horizon: Circle) {
    identifier = RegionIdentifier.horizon.description
    shape = .circle(horizon)
  }

  /// Creates the region of a geofence.
  init(geofence id: String, circle: Circle) {
    identifier = RegionIdentifier.geofence(id, version: Self.version(of: circle)).description
    shape = .circle(circle)
  }

  /// Creates the region of a beacon UUID.
  init(_ uuid: ProximityUUID) {
    identifier = RegionIdentifier.beacons(uuid).description
    shape = .beacons(uuid)
  }

  /// Returns a hash that is the same on every machine: FNV-1a over the bits of the numbers (Fowler, Noll and Vo, 1991).
  static func version(of circle: Circle) -> UInt32 {
    var hash: UInt32 = 2_166_136_261
    for number in [circle.center.latitude, circle.center.longitude, circle.radius] {
      let bits = number.bitPattern
      for byte in 0..<8 { hash = (hash ^ UInt32(truncatingIfNeeded: bits >> (8 * byte) & 255)) &* 16_777_619 }
    }
    return hash
  }
}
