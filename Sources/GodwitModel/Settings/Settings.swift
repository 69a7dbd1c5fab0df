/// What the owner of a tracker can decide. Each value has one entry in ``Settings/table``, from which its
/// name, its allowed values, its default and its place in files, answers, links, the panel and the reference come.
public struct Settings: Sendable, Hashable {
  /// Seconds between two sends; `nil`: nothing is sent but by hand.
  public var sendInterval: Double? = 300
  /// What the next trip is made with.
  public var tripMode = TripMode.bicycle
  public var main = LocationSettings()
  /// What holds instead while a trip is going on.
  public var trip = TripSettings()
  /// Whether a trip begins by itself when the motion chip sees the motion of its mode, and ends after a rest.
  public var startsTripsByMotion = false
  /// Seconds without that motion after which a trip that began by itself is over.
  public var tripRest: Double = 300
  /// Whether nothing but trips is recorded.
  public var recordsOnlyTrips = false
  /// Seconds that a record is kept while its endpoint cannot be reached: seconds that the tracker lives.
  public var retention: Double = 10 * 86400
  /// Bytes of the journal beyond which the oldest records are removed.
  public var maximumJournalSize: Double = Self.standardJournalSize
  /// The owner's name for the device, in every record.
  public var deviceID = ""
  /// Whether the device's own identifier goes into every record.
  public var includesUniqueID = false
  /// Whether any answer of 2xx means success, without Overland's `{"result":"ok"}`.
  public var acceptsAny2xx = false
  /// Whether records say how the tracker was set, and its pauses and launches are records too.
  public var includesTrackingStats = false
  /// Whether the person is told of pauses, trips and problems.
  public var notifies = false
  /// Networks in which the device is at a known place.
  public var wifiZones: [WifiZone] = []
  /// What of a record is kept at all.
  public var fields = CollectingFields.standard
  /// Which permission is asked for.
  public var authorization = WantedAuthorization.always
  /// Names, or beginnings of names, of settings that a server may change.
  public var remoteSettings = ["send_interval", "trip_mode", "main", "trip"]
  /// Whether a server may silence the device for good. Otherwise it is asked once in six hours.
  public var allowsRemoteShutdown = false

  public init() {}
}

/// What is asked of the location services, and what of their answers is kept.
public struct LocationSettings: Sendable, Hashable {
  /// Who decides what is asked for from moment to moment.
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
  /// Radius in metres of the region round the place of a pause; leaving it resumes. `nil`: there is none.
  public var resumeRadius: Meters?
  /// Metres from the last kept fix that the next one must be away; `nil`: any.
  public var minimumDistance: Meters?
  /// Seconds after the last kept fix. At 1, which is the least, every fix is kept: the app that this setting
  /// comes from filters only above it.
  public var minimumTime: Double = 1
  /// Fixes with a larger radius of uncertainty, metres, are dropped; `nil`: none.
  public var maximumAccuracy: Meters?

  public init() {}
}

/// What holds instead of ``LocationSettings`` while a trip is going on.
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
  /// Seconds; at 1 every fix is kept.
  public var minimumTime: Double = 1

  public init() {}
}

extension LocationSettings {
  /// These settings with those of a trip in force. A trip needs continuous updates, and ends with the person and
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

  /// Whether fixes come continuously, so that their absence means something.
  public var isContinuous: Bool { self == .standard || self == .both }
}

/// How exact the location services are asked to be: decides which radio is used.
public enum DesiredAccuracy: String, Sendable, Hashable, Codable, CaseIterable {
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
public enum ActivityType: String, Sendable, Hashable, Codable, CaseIterable {
  case other
  case automotive = "car"
  case fitness
  case otherNavigation = "nav"
  case airborne = "air"

  /// The word that Overland's records have for it.
  public var recordWord: String {
    switch self {
    case .other: "other"
    case .automotive: "automotive_navigation"
    case .fitness: "fitness"
    case .otherNavigation: "other_navigation"
    case .airborne: "airborne"
    }
  }
}

/// Which permission is asked for.
public enum WantedAuthorization: String, Sendable, Hashable, Codable, CaseIterable {
  case always
  case whenInUse = "when_in_use"
}

/// What of the queue is sent.
public enum LoggingMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// Everything, in batches.
  case all
  /// Of the fixes the newest only; visits and trips are sent as always.
  case latest
  /// As `latest`, in OwnTracks' format.
  case owntracks
}

/// With what a trip is made: Overland's words.
public enum TripMode: String, Sendable, Hashable, Codable, CodingKeyRepresentable, CaseIterable {
  case walk, run, bicycle, car, taxi, bus, tram, train, metro, gondola, monorail, sleigh, plane, boat, scooter

  /// What a motion chip sees of it; empty: nothing that it tells apart.
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
