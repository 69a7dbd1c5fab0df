public import GodwitModel

/// How near a beacon is, as Core Location reports it.
public enum BeaconProximity: Int, Sendable, Hashable, Codable, CaseIterable {
  /// In the order in which they are listed: nearest first.
  case immediate, near, far, unknown
}

extension BeaconProximity: Comparable {
  public static func < (a: BeaconProximity, b: BeaconProximity) -> Bool { a.rawValue < b.rawValue }
}

/// A beacon in an answer of ranging.
public struct BeaconSighting: Sendable, Hashable, Codable {
  /// With its major and minor numbers.
  public var identity: BeaconIdentity
  public var proximity: BeaconProximity
  /// Metres, ≥ 0; `nil`: not known.
  public var accuracy: Meters?
  /// dBm; 0: not heard since the answer before.
  public var rssi: Int

  public init(identity: BeaconIdentity, proximity: BeaconProximity, accuracy: Meters? = nil, rssi: Int = 0) {
    self.identity = identity
    self.proximity = proximity
    self.accuracy = accuracy
    self.rssi = rssi
  }

  /// Whether it was heard just now, and not only remembered by the system.
  var isGood: Bool { proximity != .unknown }
}

/// A beacon that is near, with what was heard of it last.
public struct CurrentBeacon: Sendable, Hashable {
  public var region: Region
  public var proximity: BeaconProximity
  /// Metres, ≥ 0; `nil`: not known.
  public var accuracy: Meters?
}
