extension Settings {
  private static let distances: [(String, Meters?)] = [
    ("off", nil), ("1m", 1), ("10m", 10), ("50m", 50), ("100m", 100), ("500m", 500),
  ]
  // Overland's screen has 2m and its remote settings have 5m.
  private static let times: [(String, Double)] = [
    ("1s", 1), ("5s", 5), ("10s", 10), ("30s", 30), ("1m", 60), ("2m", 120), ("5m", 300),
  ]
  // A computer has space for years of records. On a phone the space is shared with other apps.
  #if canImport(Glibc) || canImport(Musl)
    static let standardJournalSize = 1_073_741_824.0
  #else
    static let standardJournalSize = 200e6
  #endif
  private static let batches = [50, 100, 200, 500, 1000]

  /// All settings.
  public static let table: [SettingEntry] = general + whileTracking + whileOnTrip + collecting

  private static let general: [SettingEntry] = [
    .choice(
      "send_interval", "Send interval", "Interval between uploads; off sends only manually.", \.sendInterval,
      [
        ("1s", 1), ("5s", 5), ("10s", 10), ("15s", 15), ("30s", 30), ("1m", 60), ("2m", 120), ("5m", 300),
        ("10m", 600), ("30m", 1800), ("1h", 3600), ("3h", 10800), ("6h", 21600), ("off", nil),
      ]),
    .word("trip_mode", "Trip mode", "Mode of transport of the next trip.", \.tripMode),
    .flag(
      "automatic_trips", "Automatic trips",
      "Whether a trip starts automatically when you move in its mode (walk, run, bicycle, a vehicle), and ends after a rest.",
      \.startsTripsByMotion, authority: .user),
    .choice(
      "trip_rest", "Trip rest", "Time in another mode after which an automatic trip ends.", \.tripRest,
      [("1m", 60), ("2m", 120), ("5m", 300), ("10m", 600), ("15m", 900), ("30m", 1800)], authority: .user),
    .flag(
      "only_trips", "Only trips", "Whether only trips are recorded.", \.recordsOnlyTrips, authority: .user),
    .text("device_id", "Device ID", "Your name for the device, in every record.", \.deviceID),
    .flag(
      "unique_id", "Unique ID in records", "Whether the device's own identifier is in every record.",
      \.includesUniqueID, authority: .user),
    .flag(
      "tracking_stats", "Include tracking stats",
      "Whether records contain the tracker's settings, and pauses and launches are recorded too.",
      \.includesTrackingStats, authority: .user),
    .flag(
      "success_2xx", "Any 2xx is success",
      "Whether any 2xx response counts as success without {\"result\":\"ok\"}; data is lost if the server is wrong.",
      \.acceptsAny2xx, authority: .user),
    .flag(
      "notifications", "Notifications", "Whether notifications report pauses, trips, missing positions and problems.", \.notifies,
      authority: .user),
    .list(
      "wifi_zones", "Wifi zones", "Wi-Fi networks with a known place, which replaces the receiver's position.",
      \.wifiZones, of: "NAME@LATITUDE,LONGITUDE"),
    .choice(
      "retention", "Retention",
      "How long a record is kept while its endpoint is unreachable. Only the tracker's running time counts.", \.retention,
      [("1d", 86400), ("10d", 864_000), ("30d", 2_592_000), ("365d", 31_536_000)], authority: .user),
    .choice(
      "max_journal_size", "Largest journal", "Maximum size of the journal; beyond it the oldest records are deleted.",
      \.maximumJournalSize,
      [("50MB", 50e6), ("200MB", 200e6), ("500MB", 500e6), ("1GiB", 1_073_741_824), ("4GiB", 4_294_967_296)],
      authority: .user),
    .word(
      "authorization", "Permission", "The requested permission; when_in_use records far less.",
      \.authorization, authority: .user),
    .list(
      "remote_settings", "Remote settings", "Settings that a server may change: names or prefixes.",
      \.remoteSettings, of: "names such as main or main.min_distance",
      isAllowed: { name in table.contains { $0.name == name || $0.name.hasPrefix(name + ".") } }),
    .flag(
      "remote_shutdown", "Allow remote shutdown",
      "Whether a server may turn uploads off completely; otherwise the device checks in every six hours.",
      \.allowsRemoteShutdown, authority: .user),
  ]

  private static let whileTracking: [SettingEntry] = [
    .word(
      "main.policy", "Policy",
      "What determines the demands on location services: these settings (fixed), or a policy that follows the motion.",
      \.main.policy),
    .word("main.tracking_mode", "Tracking mode", "Which location service runs.", \.main.trackingMode),
    .flag("main.visit_tracking", "Visit tracking", "Whether stays at places are recorded.", \.main.tracksVisits),
    .word(
      "main.desired_accuracy", "Desired accuracy", "Requested accuracy of the location services.",
      \.main.desiredAccuracy),
    .word(
      "main.activity_type", "Activity type", "A hint to the location services when to pause.", \.main.activityType),
    .flag(
      "main.background_indicator", "Background indicator",
      "Whether the system shows that location is used in the background.", \.main.showsBackgroundIndicator),
    .flag(
      "main.pause_automatically", "Pause automatically", "Whether the system may pause updates that seem useless.",
      \.main.pausesAutomatically),
    .word(
      "main.logging_mode", "Logging mode",
      "Part of the queue that is sent: everything, only the newest fix, or the newest fix in OwnTracks' "
        + "format.", \.main.loggingMode),
    .number(
      "main.batch_size", "Locations per batch", "Records in one request; a full batch is sent at once.", \.main.batchSize,
      batches,
      unit: "records"),
    .choice(
      "main.resume_with_geofence", "Resume with geofence",
      "Radius around the place of a pause; leaving it resumes tracking.", \.main.resumeRadius,
      [("off", nil), ("100m", 100), ("200m", 200), ("500m", 500), ("1km", 1000), ("2km", 2000)]),
    .choice(
      "main.min_distance", "Min distance", "Fixes closer than this to the last recorded one are dropped.",
      \.main.minimumDistance, distances),
    .choice(
      "main.min_time", "Min time", "Fixes sooner than this after the last recorded one are dropped; 1s records all.",
      \.main.minimumTime, times),
    .choice(
      "main.max_accuracy", "Max accuracy", "Fixes with a larger radius of uncertainty are dropped.",
      \.main.maximumAccuracy,
      [("off", nil), ("10m", 10), ("50m", 50), ("100m", 100), ("500m", 500), ("1000m", 1000)]),
  ]

  private static let whileOnTrip: [SettingEntry] = [
    .word(
      "trip.desired_accuracy", "Desired accuracy", "Requested accuracy of the location services during a trip.",
      \.trip.desiredAccuracy),
    .word("trip.activity_type", "Activity type", "The hint to the location services during a trip.", \.trip.activityType),
    .flag(
      "trip.background_indicator", "Background indicator",
      "Whether the system shows during a trip that location is used in the background.", \.trip.showsBackgroundIndicator),
    .flag(
      "trip.prevent_screen_lock", "Prevent screen lock", "Whether the screen stays on during a trip.",
      \.trip.preventsScreenLock),
    .word("trip.logging_mode", "Logging mode", "Part of the queue that is sent during a trip.", \.trip.loggingMode),
    .number(
      "trip.batch_size", "Locations per batch", "Records in one request during a trip.", \.trip.batchSize, batches,
      unit: "records"),
    .choice(
      "trip.min_distance", "Min distance", "Minimum distance between recorded fixes during a trip.", \.trip.minimumDistance,
      distances),
    .choice(
      "trip.min_time", "Min time", "Minimum time between recorded fixes during a trip; 1s records all.", \.trip.minimumTime,
      times),
  ]

  private static let collecting: [SettingEntry] = CollectingFields.names.map { field, name, summary in
    .field(field, name, summary)
  }
}
