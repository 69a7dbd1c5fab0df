public import GodwitModel

/// The limits of the monitoring of regions by the system.
public struct RegionLimits: Sendable, Hashable, Codable {
  /// The number of regions that the system monitors for an app. Core Location's limit is 20.
  public var slots = 20
  /// The number of slots that are kept free for other regions of the SDK: the circle of the tracker that ends a pause.
  public var reserved = 1
  /// Maximum slots for beacon UUIDs.
  public var beaconSlots = 5
  /// Radius, metres, of the largest circle that the system accepts (`maximumRegionMonitoringDistance`). A larger geofence gets no
  /// slot: the horizon ends at its edge.
  public var largestRadius: Meters = 1_000_000
  /// Metres between the horizon and the nearest unmonitored edge, in addition to the uncertainty of the place. The system detects
  /// a crossing only that far beyond a boundary (50 to 100 m on iOS 18, rn-background-geolocation issues 2597 and 2353).
  public var margin: Meters = 100
  /// Seconds beyond a boundary after which the system reports a crossing (Apple's programming guide: 20 s). The horizon is
  /// smaller by the distance that the device moves in this time.
  public var delay = 20.0

  /// Radius, metres, of the smallest circle that the system monitors reliably (Apple's advice for phones without a good view of
  /// the sky). A smaller geofence is monitored by a circle of this size around its centre, and fixes inside the circle determine
  /// its entries. It is the documented minimum for which no entry is missed without fixes.
  public static let smallestRadius: Meters = 100

  public init() {}
}
