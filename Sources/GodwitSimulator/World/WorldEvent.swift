public import GodwitModel

/// An event that the phone's hardware or surroundings report to the phone's system.
public enum WorldEvent: Sendable, Hashable {
  case position(Fix, PositionOrigin)
  /// The motion chip reports another motion, some seconds after its beginning.
  case motion(Motion)
  /// The beacons that were received in one scan, at least one.
  case beacons([RangedBeacon])
  case network(NetworkCondition)
  /// A transfer ended: it is complete, or the connection was lost.
  case transferred(Transfer, isComplete: Bool)
  /// A hazard of the script. The world has already applied its part of it.
  case hazard(Hazard)
  /// The system's restrictions at rest began (`true`) or ended. They suspend location, network and timers of apps.
  case idle(Bool)
  /// The battery is empty and everything is off.
  case died
}

/// Source of a position.
public enum PositionOrigin: String, Sendable, Hashable, Codable, CaseIterable {
  case satellites, wifi, cell
  /// An older position reported again.
  case cache
}

/// Identifies a transfer.
public struct Transfer: Sendable, Hashable {
  public let number: Int
}

/// A service of the system that monitors without location updates for the app.
public enum MonitoringService: Sendable, Hashable, CaseIterable {
  case visits, significantChanges, regionsFar, regionsNear
}

/// Use of beacons by the phone.
public enum BeaconUse: Sendable, Hashable, CaseIterable {
  case none, monitoring, ranging
}
