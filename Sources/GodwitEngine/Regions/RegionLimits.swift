public import GodwitModel

/// How much of the system's monitoring there is for regions.
public struct RegionLimits: Sendable, Hashable, Codable {
  /// Regions that the system monitors for an app, whoever in the app asked for them; Core Location's limit is 20.
  public var slots = 20
  /// How many of them are kept free for others of our own: the tracker's circle that ends a pause.
  public var reserved = 1
  /// At most so many for beacon UUIDs.
  public var beaconSlots = 5
  /// Metres of the largest circle that the system takes (`maximumRegionMonitoringDistance`). A larger geofence gets no slot: the
  /// horizon ends at its edge.
  public var largestRadius: Meters = 1_000_000
  /// Metres that the horizon stays away from the next edge that nobody monitors, beyond the uncertainty of the place: how far
  /// beyond a boundary the system sees a crossing (50 to 100 m on iOS 18, rn-background-geolocation issues 2597 and 2353).
  public var margin: Meters = 100
  /// Seconds beyond a boundary after which the system reports a crossing (Apple's programming guide: 20 s); the horizon is smaller
  /// by the way that a device goes meanwhile.
  public var delay = 20.0

  /// Metres of the smallest circle that the system sees reliably (Apple's advice for phones without a good view of the sky).
  /// A smaller geofence is monitored by a circle of this size round its centre and decided by fixes inside it; it is the
  /// documented minimum for which no entry is missed without fixes.
  public static let smallestRadius: Meters = 100

  public init() {}
}
