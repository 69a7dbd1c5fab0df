/// The settings of a tracker: what it records, when it sends, and which permission it requests.
///
///     var settings = Settings()
///     settings.apply(.adaptive)  // precise while the device moves, almost no energy while it rests
///     settings.sendInterval = 600
///     settings.fields = .standard
///
/// ``main`` holds what applies outside of trips, ``trip`` what replaces it during one. A tracker gets its settings with its
/// configuration, and changes them with `Tracker.change(_:)`; the user's changes and those of servers outlast launches.
/// Each value has one entry in ``Settings/table``, from which its name, its allowed values,
/// its default and its place in files, responses, links, the panel and the reference come.
public struct Settings: Sendable, Hashable {
  /// Seconds between two uploads; `nil`: only on request.
  public var sendInterval: Double? = 300
  /// The mode of the next trip.
  public var tripMode = TripMode.bicycle
  public var main = LocationSettings()
  /// The settings while a trip is running.
  public var trip = TripSettings()
  /// Whether a trip starts automatically when the motion chip reports the motion of its mode, and ends after a rest.
  public var startsTripsByMotion = false
  /// Seconds without that motion after which an automatically started trip ends.
  public var tripRest: Double = 300
  /// Whether only trips are recorded.
  public var recordsOnlyTrips = false
  /// Seconds that a record is stored while its endpoint cannot be reached, in the running time of the tracker.
  public var retention: Double = 10 * 86400
  /// Bytes of the journal beyond which the oldest records are removed.
  public var maximumJournalSize: Double = Self.standardJournalSize
  /// The configured name of the device, in every record.
  public var deviceID = ""
  /// Whether every record has the device's own identifier.
  public var includesUniqueID = false
  /// Whether any 2xx response means success, without Overland's `{"result":"ok"}`.
  public var acceptsAny2xx = false
  /// Whether records contain the tracker's settings, and pauses and launches are records too.
  public var includesTrackingStats = false
  /// Whether the user is notified of pauses, trips and problems.
  public var notifies = false
  /// Networks whose position is known.
  public var wifiZones: [WifiZone] = []
  /// The fields of a record that are collected.
  public var fields = CollectingFields.standard
  /// The permission that is requested.
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
  /// Radius in metres of the region round the place of a pause; leaving it resumes updates. `nil`: none.
  public var resumeRadius: Meters?
  /// Minimum metres from the last recorded fix; `nil`: none.
  public var minimumDistance: Meters?
  /// Minimum seconds after the last recorded fix. At 1, the minimum, every fix is recorded: the app that this setting
  /// comes from filters only above it.
  public var minimumTime: Double = 1
  /// Fixes with a larger radius of uncertainty, metres, are dropped; `nil`: none.
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
  /// Metres; `nil`: any.
  public var minimumDistance: Meters?
  /// Seconds; at 1 every fix is recorded.
  public var minimumTime: Double = 1

  public init() {}
}

extension LocationSettings {
  /// Returns these settings with those of a trip in force. A trip needs continuous updates, and ends with the user and
  /// not with the system's pause.
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

/// Which location service runs continuously.
public enum TrackingMode: String, Sendable, Hashable, Codable, CaseIterable {
  case off, standard, significant, both

  /// Whether fixes arrive continuously, so that missing fixes are significant.
  public var isContinuous: Bool { self == .standard || self == .both }
}

/// The requested accuracy of the location services: it decides which radio is used.
public enum DesiredAccuracy: String, Sendable, Hashable, Codable, CaseIterable {
  case navigation = "nav"
  case best
  case tenMeters = "10m"
  case hundredMeters = "100m"
  case kilometer = "1km"
  case threeKilometers = "3km"

  /// Core Location's value: −2 and −1 for the two best, else metres.
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

/// The activity of the user: a hint to the location services when to pause.
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

/// The permission that is requested.
public enum WantedAuthorization: String, Sendable, Hashable, Codable, CaseIterable {
  case always
  case whenInUse = "when_in_use"
}

/// The part of the queue that is sent.
public enum LoggingMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// Everything, in batches.
  case all
  /// Only the newest of the fixes; visits and trips are sent as always.
  case latest
  /// As `latest`, in OwnTracks' format.
  case owntracks
}

/// The mode of a trip: Overland's values. ``motion`` is what starts and ends such a trip automatically.
public enum TripMode: String, Sendable, Hashable, Codable, CodingKeyRepresentable, CaseIterable {
  case walk, run, bicycle, car, taxi, bus, tram, train, metro, gondola, monorail, sleigh, plane, boat, scooter

  /// The motion that a motion chip reports for it; empty: none.
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
