/// The settings of a tracker: what it records, when it sends, and which permission it requests.
///
///     var settings = Settings()
///     settings.apply(.adaptive)  // precise while the device moves, almost no energy while it rests
///     settings.sendInterval = 600
///     settings.fields = .standard
///
/// ``main`` applies outside of trips, and ``trip`` replaces some of its values during a trip. A tracker gets its settings with its
/// configuration, and `Tracker.change(_:)` changes them. Changes by the user and by servers persist across launches. Each value has
/// one entry in ``Settings/table``, which defines its name, its permitted values, its default, and its use in files, responses,
/// links, the panel and the reference.
public struct Settings: Sendable, Hashable {
  /// Seconds between two uploads; `nil` to upload only on request.
  public var sendInterval: Double? = 300
  /// The mode of transport of the next trip.
  public var tripMode = TripMode.bicycle
  public var main = LocationSettings()
  /// The settings during a trip.
  public var trip = TripSettings()
  /// Whether a trip starts automatically when the motion chip reports the motion of its mode, and ends after a rest.
  public var startsTripsByMotion = false
  /// Seconds without that motion after which an automatically started trip ends.
  public var tripRest: Double = 300
  /// Whether only trips are recorded.
  public var recordsOnlyTrips = false
  /// Seconds that a record is stored while its endpoint is unreachable. Only the running time of the tracker counts.
  public var retention: Double = 10 * 86400
  /// Maximum size of the journal in bytes. Beyond it the oldest records are deleted.
  public var maximumJournalSize: Double = Self.standardJournalSize
  /// The configured name of the device, in every record.
  public var deviceID = ""
  /// Whether every record has the device's own identifier.
  public var includesUniqueID = false
  /// Whether any 2xx response means success, without Overland's `{"result":"ok"}`.
  public var acceptsAny2xx = false
  /// Whether records contain the tracker's settings, and pauses and launches are recorded too.
  public var includesTrackingStats = false
  /// Whether the user is notified of pauses, trips and problems.
  public var notifies = false
  /// Wifi networks with a known position.
  public var wifiZones: [WifiZone] = []
  /// The fields of a record that are collected.
  public var fields = CollectingFields.standard
  /// The permission to request.
  public var authorization = WantedAuthorization.always
  /// Names, or prefixes of names, of settings that a server may change.
  public var remoteSettings = ["send_interval", "trip_mode", "main", "trip"]
  /// Whether a server may disable uploads permanently. Otherwise the device contacts it every six hours.
  public var allowsRemoteShutdown = false

  public init() {}
}

/// The request to the location services, and the filter of fixes.
public struct LocationSettings: Sendable, Hashable {
  /// The policy that chooses the sensors.
  public var policy = TrackingPolicy.fixed
  public var trackingMode = TrackingMode.standard
  /// Whether stays at places are recorded.
  public var tracksVisits = false
  public var desiredAccuracy = DesiredAccuracy.hundredMeters
  public var activityType = ActivityType.other
  public var showsBackgroundIndicator = false
  public var pausesAutomatically = false
  public var loggingMode = LoggingMode.all
  /// Records in one request.
  public var batchSize = 200
  /// Radius in metres of the region around the place of a pause. Leaving the region resumes updates. `nil` for no region.
  public var resumeRadius: Meters?
  /// Minimum distance in metres from the last recorded fix; `nil` for no minimum.
  public var minimumDistance: Meters?
  /// Minimum seconds after the last recorded fix. At 1, the minimum, every fix is recorded, because Overland, from which this
  /// setting comes, filters only above 1.
  public var minimumTime: Double = 1
  /// Maximum horizontal accuracy in metres of a recorded fix; `nil` for no maximum.
  public var maximumAccuracy: Meters?

  public init() {}
}

/// The settings that replace ``LocationSettings`` while a trip is running.
public struct TripSettings: Sendable, Hashable {
  public var desiredAccuracy = DesiredAccuracy.hundredMeters
  public var activityType = ActivityType.other
  public var showsBackgroundIndicator = true
  /// Whether the screen stays on.
  public var preventsScreenLock = false
  public var loggingMode = LoggingMode.all
  /// Records in one request.
  public var batchSize = 200
  /// Minimum distance in metres from the last recorded fix; `nil` for no minimum.
  public var minimumDistance: Meters?
  /// Minimum seconds after the last recorded fix. At 1 every fix is recorded.
  public var minimumTime: Double = 1

  public init() {}
}

extension LocationSettings {
  /// Returns these settings with those of a trip applied. A trip needs continuous updates, and is ended by the user and not by a
  /// pause of the system.
  public func during(_ trip: TripSettings) -> LocationSettings {
    var settings = self
    settings.trackingMode = trackingMode == .significant || trackingMode == .both ? .both : .standard
    settings.desiredAccuracy = trip.desiredAccuracy
    settings.activityType = trip.activityType
    settings.showsBackgroundIndicator = trip.showsBackgroundIndicator
    settings.loggingMode = trip.loggingMode
    settings.batchSize = trip.batchSize
    settings.minimumDistance = trip.minimumDistance
    settings.minimumTime = trip.minimumTime
    return settings
  }
}

/// The location service that runs continuously.
public enum TrackingMode: String, Sendable, Hashable, Codable, CaseIterable {
  case off, standard, significant, both

  /// Whether fixes arrive continuously, so that their absence is significant.
  public var isContinuous: Bool { self == .standard || self == .both }
}

/// The requested accuracy of the location services. It determines which receivers are used.
public enum DesiredAccuracy: String, Sendable, Hashable, Codable, CaseIterable {
  case navigation = "nav"
  case best
  case tenMeters = "10m"
  case hundredMeters = "100m"
  case kilometer = "1km"
  case threeKilometers = "3km"

  /// The value in Core Location: −2 and −1 for the two best accuracies, otherwise metres.
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

/// The activity of the user: a hint to the location services for pauses.
public enum ActivityType: String, Sendable, Hashable, Codable, CaseIterable {
  case other
  case automotive = "car"
  case fitness
  case otherNavigation = "nav"
  case airborne = "air"

  /// The value in Overland's records.
  public var recordName: String {
    switch self {
    case .other: "other"
    case .automotive: "automotive_navigation"
    case .fitness: "fitness"
    case .otherNavigation: "other_navigation"
    case .airborne: "airborne"
    }
  }
}

/// The permission to request.
public enum WantedAuthorization: String, Sendable, Hashable, Codable, CaseIterable {
  case always
  case whenInUse = "when_in_use"
}

/// The part of the queue that is sent.
public enum LoggingMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// All records, in batches.
  case all
  /// Only the newest fix. Visits and trips are sent as usual.
  case latest
  /// Like `latest`, in OwnTracks' format.
  case owntracks
}

/// The mode of transport of a trip, with Overland's values. ``motion`` starts and ends such a trip automatically.
public enum TripMode: String, Sendable, Hashable, Codable, CodingKeyRepresentable, CaseIterable {
  case walk, run, bicycle, car, taxi, bus, tram, train, metro, gondola, monorail, sleigh, plane, boat, scooter

  /// The motion that a motion chip reports for this mode; empty if there is none.
  public var motion: Motion {
    switch self {
    case .walk: .walking
    case .run: .running
    case .bicycle: .cycling
    case .car, .taxi, .bus, .tram, .train, .metro: .driving
    case .gondola, .monorail, .sleigh, .plane, .boat, .scooter: []
    }
  }
}
