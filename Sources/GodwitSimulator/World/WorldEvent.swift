public import GodwitModel

/// What the phone's hardware and surroundings report to the phone's system.
public enum WorldEvent: Sendable, Hashable {
  case position(Fix, PositionOrigin)
  /// The motion chip sees something else, some seconds after it began.
  case motion(Motion)
  /// Beacons that were received in one scan, at least one.
  case beacons([RangedBeacon])
  case network(NetworkCondition)
  /// A transfer has ended: everything came through, or the connection was lost.
  case transferred(Transfer, isComplete: Bool)
  /// Of the script. The world has done its part of it already.
  case hazard(Hazard)
  /// By the system's rules at rest, location, network and timers of apps wait from now on, or no longer.
  case idle(Bool)
  /// The battery is empty: everything is off.
  case died
}

/// What a position was made from.
public enum PositionOrigin: String, Sendable, Hashable, Codable, CaseIterable {
  case satellites, wifi, cell
  /// An older position reported again.
  case cache
}

/// Names a transfer.
public struct Transfer: Sendable, Hashable {
  public let number: Int
}

/// A service of the system that watches without positions for the app.
public enum MonitoringService: Sendable, Hashable, CaseIterable {
  case visits, significantChanges, regionsFar, regionsNear
}

/// What a phone does with beacons.
public enum BeaconUse: Sendable, Hashable, CaseIterable {
  case none, monitoring, ranging
}
