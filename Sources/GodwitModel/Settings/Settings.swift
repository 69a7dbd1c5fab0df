/// What the owner of a tracker can decide. Each value has one entry in ``Settings/table``, from which its
/// name, its allowed values, its default and its place in files and answers come.
public struct Settings: Sendable, Hashable {
  /// Seconds between two sends; `nil`: nothing is sent but by hand.
  public var sendInterval: Double? = 300
  public var main = LocationSettings()
  /// Seconds that a record is kept when it cannot be delivered.
  public var retention: Double = 10 * 86400
  /// The owner's name for the device, in every record.
  public var deviceID = ""
  /// Whether the device's own identifier goes into every record.
  public var includesUniqueID = false
  /// Whether any answer of 2xx means success, without Overland's `{"result":"ok"}`.
  public var acceptsAny2xx = false

  public init() {}
}

/// What is asked of the location services, and what of their answers is kept.
public struct LocationSettings: Sendable, Hashable {
  public var trackingMode = TrackingMode.standard
  public var desiredAccuracy = DesiredAccuracy.hundredMeters
  public var activityType = ActivityType.other
  /// Metres from the last kept fix that the next one must be away; `nil`: any.
  public var minimumDistance: Meters?
  /// Seconds after the last kept fix. At 1, which is the least, every fix is kept: the app that this setting
  /// comes from filters only above it.
  public var minimumTime: Double = 1
  /// Records in one request.
  public var batchSize = 200
  public var pausesAutomatically = false
  public var showsBackgroundIndicator = false

  public init() {}
}

/// Which location service runs continuously.
public enum TrackingMode: String, Sendable, Hashable, CaseIterable {
  case off, standard, significant, both
}

/// How exact the location services are asked to be: decides which radio is used.
public enum DesiredAccuracy: String, Sendable, Hashable, CaseIterable {
  case navigation = "nav"
  case best
  case tenMeters = "10m"
  case hundredMeters = "100m"
  case kilometer = "1km"
  case threeKilometers = "3km"

  /// Core Location's number: −2 and −1 for the two best, else metres.
  public var meters: Meters {
    switch self {
    case .navigation: -2
    case .best: -1
    case .tenMeters: 10
    case .hundredMeters: 100
    case .kilometer: 1000
    case .threeKilometers: 3000
    }
  }
}

/// What the owner is doing: a hint to the location services when to pause.
public enum ActivityType: String, Sendable, Hashable, CaseIterable {
  case other
  case automotive = "car"
  case fitness
  case otherNavigation = "nav"
  case airborne = "air"
}
