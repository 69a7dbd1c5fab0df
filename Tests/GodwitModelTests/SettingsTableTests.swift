import Foundation
import GodwitModel
import Testing

/// The expected row of the table of settings, written manually from the documentation and not from the code.
struct SettingRow: CustomTestStringConvertible, Sendable {
  var name: String
  var standard: SettingValue
  /// Valid values, in order of size if there is one, with both ends of the range.
  var valid: [SettingValue]
  /// Values just outside of the range, of another type, and nonsense.
  var invalid: [SettingValue]
  /// Whether a server may change the setting.
  var isRemote = true
  var testDescription: String { name }

  private static let nonsense: [SettingValue] = [
    .other("null"), .other("an object"), .other("an array"), .list([]), .list(["off"]),
  ]

  static func words(_ name: String, _ standard: String, _ words: String, wrong: [String] = [], isRemote: Bool = true) -> Self {
    let valid = words.split(separator: " ").map(String.init)
    let wrong = wrong + ["", " " + valid[0], valid[0].uppercased() + "!", "nonsense"]
    return SettingRow(
      name: name, standard: .text(standard), valid: valid.map { .text($0) },
      invalid: wrong.map { .text($0) } + [.number(0), .number(1), .flag(true), .flag(false)] + nonsense, isRemote: isRemote)
  }

  static func flag(_ name: String, _ standard: Bool, isRemote: Bool = true) -> Self {
    SettingRow(
      name: name, standard: .flag(standard), valid: [.flag(true), .flag(false)],
      invalid: [.text("true"), .text("yes"), .text(""), .number(1), .number(0)] + nonsense, isRemote: isRemote)
  }

  static func batch(_ name: String) -> Self {
    SettingRow(
      name: name, standard: .number(200), valid: [50, 100, 200, 500, 1000].map { .number($0) },
      invalid: [49, 50.5, 51, 0, -50, 1001, 1e300, .nan, .infinity].map { .number($0) }
        + ["", "fifty", "50.0", "50 ", "0x32", "1001"].map { .text($0) } + [.flag(true)] + nonsense)
  }

  static let rows: [SettingRow] = [
    .words(
      "send_interval", "5m", "1s 5s 10s 15s 30s 1m 2m 5m 10m 30m 1h 3h 6h off", wrong: ["0s", "2s", "7h", "300", "never"]),
    .words(
      "trip_mode", "bicycle",
      "walk run bicycle car taxi bus tram train metro gondola monorail sleigh plane boat scooter", wrong: ["bike", "Walk"]),
    .flag("automatic_trips", false, isRemote: false),
    .words("trip_rest", "5m", "1m 2m 5m 10m 15m 30m", wrong: ["0m", "1h", "5"], isRemote: false),
    .flag("only_trips", false, isRemote: false),
    SettingRow(
      name: "device_id", standard: .text(""),
      valid: [.text(""), .text("van"), .text("owner/phone"), .text(String(repeating: "ä", count: 200))],
      invalid: [.text(String(repeating: "ä", count: 201)), .number(1), .flag(true), .list(["van"]), .other("null")],
      isRemote: false),
    .flag("unique_id", false, isRemote: false),
    .flag("tracking_stats", false, isRemote: false),
    .flag("success_2xx", false, isRemote: false),
    .flag("notifications", false, isRemote: false),
    SettingRow(
      name: "wifi_zones", standard: .list([]),
      valid: [.list([]), .list(["Home@52.5,13.25"]), .list(["a@b@-90.0,-180.0", "Work@90.0,180.0"])],
      invalid: [
        .list(["Home"]), .list(["@1,2"]), .list(["Home@91,0"]), .list(["Home@0,181"]), .list(["Home@nan,0"]),
        .list(["Home@1"]), .list(["Home@1,2,3"]), .list(["Home@52.5,13.25", "Work"]), .text("Home@52.5,13.25"), .flag(true),
        .number(1), .other("an array"),
      ], isRemote: false),
    .words("retention", "10d", "1d 10d 30d 365d", wrong: ["0d", "366d", "10"], isRemote: false),
    .words(
      "max_journal_size", "1GiB", "50MB 200MB 500MB 1GiB 4GiB", wrong: ["0MB", "1GB", "200000000"], isRemote: false),
    .words("authorization", "always", "always when_in_use", wrong: ["never", "whenInUse"], isRemote: false),
    SettingRow(
      name: "remote_settings", standard: .list(["send_interval", "trip_mode", "main", "trip"]),
      valid: [.list([]), .list(["main"]), .list(["main.min_distance", "send_interval"])],
      invalid: [.list(["mai"]), .list(["main."]), .list(["main", "colour"]), .list([""]), .text("main"), .flag(true)],
      isRemote: false),
    .flag("remote_shutdown", false, isRemote: false),
    .words("main.policy", "fixed", "fixed filtered by_motion two_state adaptive", wrong: ["best", "2"]),
    .words("main.tracking_mode", "standard", "off standard significant both", wrong: ["exclusive", "1"]),
    .flag("main.visit_tracking", false),
    .words("main.desired_accuracy", "100m", "nav best 10m 100m 1km 3km", wrong: ["1m", "4km", "-1"]),
    .words("main.activity_type", "other", "other car fitness nav air", wrong: ["automotive", "boat"]),
    .flag("main.background_indicator", false),
    .flag("main.pause_automatically", false),
    .words("main.logging_mode", "all", "all latest owntracks", wrong: ["none", "OwnTracks"]),
    .batch("main.batch_size"),
    .words("main.resume_with_geofence", "off", "off 100m 200m 500m 1km 2km", wrong: ["50m", "3km", "2000"]),
    .words("main.min_distance", "off", "off 1m 10m 50m 100m 500m", wrong: ["0m", "1km", "10"]),
    .words("main.min_time", "1s", "1s 5s 10s 30s 1m 2m 5m", wrong: ["0s", "off", "10m"]),
    .words("main.max_accuracy", "off", "off 10m 50m 100m 500m 1000m", wrong: ["5m", "1km"]),
    .words("trip.desired_accuracy", "100m", "nav best 10m 100m 1km 3km", wrong: ["1m", "4km"]),
    .words("trip.activity_type", "other", "other car fitness nav air", wrong: ["automotive"]),
    .flag("trip.background_indicator", true),
    .flag("trip.prevent_screen_lock", false),
    .words("trip.logging_mode", "all", "all latest owntracks", wrong: ["none"]),
    .batch("trip.batch_size"),
    .words("trip.min_distance", "off", "off 1m 10m 50m 100m 500m", wrong: ["0m", "1km"]),
    .words("trip.min_time", "1s", "1s 5s 10s 30s 1m 2m 5m", wrong: ["0s", "10m"]),
    .flag("fields.location", true, isRemote: false),
    .flag("fields.timestamp", true, isRemote: false),
    .flag("fields.horizontal_accuracy", true, isRemote: false),
    .flag("fields.vertical_accuracy", true, isRemote: false),
    .flag("fields.altitude", true, isRemote: false),
    .flag("fields.course", true, isRemote: false),
    .flag("fields.speed", true, isRemote: false),
    .flag("fields.network", false, isRemote: false),
    .flag("fields.advertising_id", false, isRemote: false),
    .flag("fields.battery", true, isRemote: false),
    .flag("fields.device_model", true, isRemote: false),
    .flag("fields.os_version", true, isRemote: false),
    .flag("fields.location_permission", true, isRemote: false),
    .flag("fields.motion", true, isRemote: false),
  ]
}

@Suite("The table of settings")
struct SettingsTableTests {
  @Test("the settings, their order and their defaults equal those of the documentation")
  func complete() throws {
    let (table, rows) = (Settings.table.map(\.name), SettingRow.rows.map(\.name))
    try #require(
      table == rows,
      """
      SettingRow.rows lacks \(Set(table).subtracting(rows).sorted()) and has \(Set(rows).subtracting(table).sorted()) too many; \
      its order is that of Settings.table
      """)
    #expect(Settings.table.map(\.standard) == SettingRow.rows.map(\.standard))
    #expect(Settings.table.map { $0.authority == .userAndServer } == SettingRow.rows.map(\.isRemote))
  }

  @Test("every valid value can be set, is read back, and changes nothing else", arguments: SettingRow.rows)
  func valid(_ row: SettingRow) throws {
    let entry = try #require(Settings.entry(row.name))
    for value in row.valid {
      var settings = Settings()
      try settings.set(row.name, to: value)
      #expect(entry.value(settings) == value)
      #expect(settings.changes.map(\.name) == (value == row.standard ? [] : [row.name]))
    }
  }

  @Test("every invalid value is rejected by name, and changes nothing", arguments: SettingRow.rows)
  func invalid(_ row: SettingRow) throws {
    let entry = try #require(Settings.entry(row.name))
    for value in row.invalid {
      var settings = Settings()
      let error = #expect(throws: SettingError.self) { try settings.set(row.name, to: value) }
      // The error for a list names only the invalid item, which is the last one in these rows. Other values are named as a whole.
      var named = value
      if case .list(let items) = value, let last = items.last { named = .list([last]) }
      #expect(error?.description == "\"\(row.name)\" cannot be \(named); expected \(entry.allowed).")
      #expect(settings == Settings())
    }
  }

  @Test("a server may change allowed settings as the user does, and gets a rejection for others", arguments: SettingRow.rows)
  func remote(_ row: SettingRow) throws {
    for value in row.valid {
      var (user, server) = (Settings(), Settings())
      try user.set(row.name, to: value)
      if row.isRemote {
        try server.set(row.name, to: value, by: .userAndServer)
        #expect(server == user)
      } else {
        #expect(throws: SettingError("\"\(row.name)\" can be changed by the user only.")) {
          try server.set(row.name, to: value, by: .userAndServer)
        }
        #expect(server == Settings())
      }
    }
  }

  @Test(
    "no allow-list lets a server change a setting that only the user may change",
    arguments: SettingRow.rows.filter { !$0.isRemote })
  func usersOnly(_ row: SettingRow) throws {
    var settings = Settings()
    settings.remoteSettings = [row.name, String(row.name.prefix { $0 != "." })]
    let before = settings
    #expect(throws: SettingError.self) { try settings.set(row.name, to: row.valid[0], by: .userAndServer) }
    #expect(settings == before)
  }

  @Test(
    "the allow-list allows a setting by its name or its group, and by nothing else", arguments: SettingRow.rows.filter(\.isRemote)
  )
  func allowList(_ row: SettingRow) throws {
    let group = String(row.name.prefix { $0 != "." })
    let lists: [([String], Bool)] = [
      ([], false), ([row.name], true), ([group], true), ([String(row.name.dropLast())], false), (["fields"], false),
      ([row.name + ".x"], false), (["device_id", row.name], true),
    ]
    for (list, isOpen) in lists {
      var settings = Settings()
      settings.remoteSettings = list
      let before = settings
      let value = try #require(row.valid.first { $0 != row.standard })
      if isOpen {
        try settings.set(row.name, to: value, by: .userAndServer)
        #expect(before.difference(to: settings).map(\.name) == [row.name])
      } else {
        let expected = SettingError("\"\(row.name)\" may not be changed by a server here: remote_settings does not name it.")
        #expect(throws: expected) { try settings.set(row.name, to: value, by: .userAndServer) }
        #expect(settings == before)
      }
    }
  }

  @Test("the difference names the changed settings with both values, and nothing else", arguments: SettingRow.rows)
  func difference(_ row: SettingRow) throws {
    for old in row.valid {
      for new in row.valid {
        var (before, after) = (Settings(), Settings())
        try before.set(row.name, to: old)
        try after.set(row.name, to: new)
        #expect(before.difference(to: after) == (old == new ? [] : [SettingChange(name: row.name, old: old, new: new)]))
      }
    }
  }

  @Test("settings with every value round-trip as JSON", arguments: SettingRow.rows)
  func coding(_ row: SettingRow) throws {
    for value in row.valid {
      var settings = Settings()
      try settings.set(row.name, to: value)
      let data = try JSONEncoder().encode(settings)
      #expect(try JSONDecoder().decode(Settings.self, from: data) == settings)
    }
  }

  @Test("numbers that are set in code and are not in the table round-trip too")
  func exact() throws {
    var settings = Settings()
    settings.sendInterval = 42
    settings.retention = 5.5 * 86400
    settings.main.minimumDistance = 37
    settings.main.minimumTime = 7
    settings.main.maximumAccuracy = 12.5
    settings.trip.batchSize = 123
    settings.trip.minimumDistance = 3
    let data = try JSONEncoder().encode(settings)
    #expect(try JSONDecoder().decode(Settings.self, from: data) == settings)
    settings.sendInterval = nil
    let off = try JSONEncoder().encode(settings)
    #expect(try JSONDecoder().decode(Settings.self, from: off) == settings)
  }

  @Test("a file with an invalid value is rejected, and the error names the setting")
  func badFile() throws {
    let file = Data(#"{"main.batch_size":500,"main.min_time":"2s"}"#.utf8)
    let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode(Settings.self, from: file) }
    guard case .dataCorrupted(let context)? = error else { throw CancellationError() }
    #expect(context.debugDescription.contains(#""main.min_time" cannot be "2s""#))
  }

  @Test(
    "every entry has texts for a form: title, sentence, section, valid values", arguments: Settings.table.map(\.name))
  func words(_ name: String) throws {
    let entry = try #require(Settings.entry(name))
    #expect(!entry.title.isEmpty && entry.summary.hasSuffix(".") && !entry.allowed.isEmpty)
    #expect(["main", "trip", "fields", "system"].contains(entry.section))
  }

  @Test(
    "accuracies have Core Location's values", arguments: zip(DesiredAccuracy.allCases, [-2.0, -1, 10, 100, 1000, 3000]))
  func accuracy(_ accuracy: DesiredAccuracy, _ meters: Double) {
    #expect(accuracy.meters == meters)
  }

  @Test("only the modes standard and both are continuous", arguments: zip(TrackingMode.allCases, [false, true, false, true]))
  func continuous(_ mode: TrackingMode, _ isContinuous: Bool) {
    #expect(mode.isContinuous == isContinuous)
  }
}

@Suite("Presets")
struct PresetTests {
  /// The presets, with the values of the documentation.
  static let table: [(Preset, [String: SettingValue])] = [
    (
      .highResolution,
      [
        "main.policy": .text("fixed"), "main.pause_automatically": .flag(false), "main.resume_with_geofence": .text("off"),
        "main.tracking_mode": .text("standard"), "main.activity_type": .text("other"),
        "main.desired_accuracy": .text("best"),
      ]
    ),
    (
      .batterySaving,
      [
        "main.policy": .text("fixed"), "main.pause_automatically": .flag(true), "main.resume_with_geofence": .text("500m"),
        "main.tracking_mode": .text("significant"), "main.activity_type": .text("other"),
        "main.desired_accuracy": .text("100m"),
      ]
    ),
    (
      .adaptive,
      [
        "main.policy": .text("adaptive"), "main.pause_automatically": .flag(false), "main.resume_with_geofence": .text("off"),
        "main.tracking_mode": .text("both"), "main.visit_tracking": .flag(true),
        "main.activity_type": .text("other"), "main.desired_accuracy": .text("best"),
        "main.batch_size": .number(1000), "send_interval": .text("3h"),
      ]
    ),
  ]

  @Test("each preset sets the documented values, from any former settings, and is recognised", arguments: table)
  func apply(_ preset: Preset, _ values: [String: SettingValue]) throws {
    #expect(Dictionary(uniqueKeysWithValues: preset.values) == values)
    for other in Preset.allCases {
      var settings = Settings()
      settings.deviceID = "van"
      settings.apply(other)
      settings.apply(preset)
      for (name, value) in values { #expect(try #require(Settings.entry(name)).value(settings) == value) }
      #expect(settings.preset == preset)
      #expect(settings.deviceID == "van")
    }
  }

  @Test("a changed preset is no longer recognised")
  func touched() throws {
    var settings = Settings()
    settings.apply(.adaptive)
    try settings.set("main.desired_accuracy", to: .text("100m"))
    #expect(settings.preset == nil)
    #expect(Settings().preset == nil)
  }
}

@Suite("The settings of a trip")
struct TripSettingsTests {
  @Test(
    "a trip has continuous updates, and keeps significant changes if they were on",
    arguments: zip(TrackingMode.allCases, [TrackingMode.standard, .standard, .both, .both]))
  func mode(_ before: TrackingMode, _ during: TrackingMode) {
    var settings = LocationSettings()
    settings.trackingMode = before
    #expect(settings.during(TripSettings()).trackingMode == during)
  }

  @Test("the trip's own values apply, and the other settings remain")
  func values() {
    var main = LocationSettings()
    main.tracksVisits = true
    main.pausesAutomatically = true
    main.resumeRadius = 500
    main.maximumAccuracy = 50
    var trip = TripSettings()
    trip.desiredAccuracy = .best
    trip.activityType = .airborne
    trip.showsBackgroundIndicator = false
    trip.loggingMode = .latest
    trip.batchSize = 50
    trip.minimumDistance = 10
    trip.minimumTime = 5
    let during = main.during(trip)
    #expect(during.desiredAccuracy == .best && during.activityType == .airborne && !during.showsBackgroundIndicator)
    #expect(during.loggingMode == .latest && during.batchSize == 50)
    #expect(during.minimumDistance == 10 && during.minimumTime == 5)
    #expect(during.tracksVisits && during.pausesAutomatically)
    #expect(during.resumeRadius == 500 && during.maximumAccuracy == 50)
  }
}
