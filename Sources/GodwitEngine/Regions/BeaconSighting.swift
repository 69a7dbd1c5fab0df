public import GodwitModel

/// How near a beacon is, as Core Location reports it.
public enum BeaconProximity: Int, Sendable, Hashable, Codable, CaseIterable {
  /// Ordered by distance: nearest first.
  case immediate, near, far, unknown
}

extension BeaconProximity: Comparable {
  public static func < (a: BeaconProximity, b: BeaconProximity) -> Bool { a.rawValue < b.rawValue }
}

/// A beacon in a result of ranging.
public struct BeaconSighting: Sendable, Hashable, Codable {
  /// The identity, with major and minor number.
  public var identity: BeaconIdentity
  public var proximity: BeaconProximity
  /// Accuracy of the distance, metres, ≥ 0; `nil`: unknown.
  public var accuracy: Meters?
  /// Signal strength, dBm; 0: no signal since the previous result.
  public var rssi: Int

  public init(identity: BeaconIdentity, proximity: BeaconProximity, accuracy: Meters? = nil, rssi: Int = 0) {
    self.identity = identity
    self.proximity = proximity
    self.accuracy = accuracy
    self.rssi = rssi
  }

  /// Whether the beacon was received now. Otherwise the system only lists it from an earlier result.
  var isGood: Bool { proximity != .unknown }
}

/// A beacon that is near, with its last signal.
public struct CurrentBeacon: Sendable, Hashable {
  public var region: Region
  public var proximity: BeaconProximity
  /// Accuracy of the distance, metres, ≥ 0; `nil`: unknown.
  public var accuracy: Meters?
}
