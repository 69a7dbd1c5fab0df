import Foundation
import Godwit
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import GodwitWire
import Testing

@Suite("Settings in a response")
struct DesiredSettingTests {
  /// Passes the `set` of an Overland response to an engine. Returns the changed settings, and the rejected ones with their reasons.
  private func apply(_ set: String) throws -> (changes: [String: SettingValue], rejected: [String]) {
    let body = Array(#"{"result":"ok","set":\#(set)}"#.utf8)
    guard case .accepted(let accepted) = Overland.Response.read(status: 200, body: body, acceptsAny2xx: false) else {
      throw HTTPError("the response was not accepted")
    }
    var engine = Engine(settings: Settings(), endpoints: [EndpointID("home")])
    if let settings = accepted.settings {
      let desired = DesiredSetting.read(settings)
      _ = engine.handle(.settingsOffered(EndpointID("home"), desired), at: Date(timeIntervalSince1970: 1_800_000_000))
    }
    let changes = engine.settings.changes.map { ($0.name, $0.value) }
    return (Dictionary(uniqueKeysWithValues: changes), engine.rejectedSettings)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var group: String?
    var key: String
    /// A value in JSON, and the value of the changed setting; `nil`: the default, which is no change.
    var valid: [(json: String, value: SettingValue?)]
    var invalid: [String]
    var testDescription: String { name }
    var name: String { group.map { "\($0).\(key)" } ?? key }
    func json(_ value: String) -> String { group.map { #"{"\#($0)":{"\#(key)":\#(value)}}"# } ?? #"{"\#(key)":\#(value)}"# }
  }

  private static func words(_ group: String?, _ key: String, _ words: String, standard: String) -> Case {
    Case(
      group: group, key: key,
      valid: words.split(separator: "|").map { (#""\#($0)""#, $0 == standard ? nil : .text(String($0))) },
      invalid: [#""nonsense""#, #""""#, "1", "true", "null", "[]", #"["\#(standard)"]"#, #"{"a":1}"#])
  }

  private static func flag(_ group: String, _ key: String, standard: Bool) -> Case {
    Case(
      group: group, key: key, valid: [("true", standard ? nil : .flag(true)), ("false", standard ? .flag(false) : nil)],
      invalid: ["1", "0", #""true""#, #""yes""#, "null", "[]", "{}"])
  }

  private static func batch(_ group: String) -> Case {
    Case(
      group: group, key: "batch_size",
      valid: [50, 100, 200, 500, 1000].flatMap { size -> [(String, SettingValue?)] in
        let value: SettingValue? = size == 200 ? nil : .number(Double(size))
        return [("\(size)", value), (#""\#(size)""#, value), ("\(size).0", value)]
      }, invalid: ["49", "1001", "50.5", "0", "-50", "true", "null", #""fifty""#, "[50]"])
  }

  private static let accuracies = "nav|best|10m|100m|1km|3km"
  private static let activities = "other|car|fitness|nav|air"
  private static let distances = "off|1m|10m|50m|100m|500m"
  private static let times = "1s|5s|10s|30s|1m|5m"

  /// The settings and values of the documentation.
  static let cases: [Case] = [
    words(nil, "send_interval", "1s|5s|10s|15s|30s|1m|2m|5m|10m|30m|off", standard: "5m"),
    words(
      nil, "trip_mode", "walk|run|bicycle|car|taxi|bus|tram|train|metro|gondola|monorail|sleigh|plane|boat|scooter",
      standard: "bicycle"),
    words("main", "policy", "fixed|filtered|by_motion|two_state|adaptive", standard: "fixed"),
    words("main", "tracking_mode", "off|standard|significant|both", standard: "standard"),
    flag("main", "visit_tracking", standard: false),
    words("main", "desired_accuracy", accuracies, standard: "100m"),
    words("main", "activity_type", activities, standard: "other"),
    flag("main", "background_indicator", standard: false),
    flag("main", "pause_automatically", standard: false),
    words("main", "logging_mode", "all|latest|owntracks", standard: "all"),
    batch("main"),
    words("main", "resume_with_geofence", "off|100m|200m|500m|1km|2km", standard: "off"),
    words("main", "min_distance", distances, standard: "off"),
    words("main", "min_time", times, standard: "1s"),
    words("main", "max_accuracy", "off|10m|50m|100m|500m|1000m", standard: "off"),
    words("trip", "desired_accuracy", accuracies, standard: "100m"),
    words("trip", "activity_type", activities, standard: "other"),
    flag("trip", "background_indicator", standard: true),
    flag("trip", "prevent_screen_lock", standard: false),
    words("trip", "logging_mode", "all|latest|owntracks", standard: "all"),
    batch("trip"),
    words("trip", "min_distance", distances, standard: "off"),
    words("trip", "min_time", times, standard: "1s"),
  ]

  @Test("every documented value is accepted", arguments: cases)
  func valid(_ example: Case) throws {
    for (json, value) in example.valid {
      let (changes, rejected) = try apply(example.json(json))
      #expect(changes == (value.map { [example.name: $0] } ?? [:]), "\(json)")
      #expect(rejected.isEmpty, "\(json)")
    }
  }

  @Test("every other value is rejected by name, and the rest of the response is accepted", arguments: cases)
  func invalid(_ example: Case) throws {
    let good = example.name == "trip_mode" ? ("send_interval", "1s") : ("trip_mode", "walk")
    for json in example.invalid {
      let set = example.json(json).dropLast() + #","\#(good.0)":"\#(good.1)"}"#
      let (changes, rejected) = try apply(String(set))
      #expect(changes == [good.0: .text(good.1)], "\(json)")
      // If the value is an object, only the name of the setting is reported.
      #expect(rejected.count == 1 && rejected[0].contains("\"\(example.name)\""), "\(json): \(rejected)")
    }
  }

  @Test(
    "unknown settings are rejected by name",
    arguments: [
      (#"{"colour":"red"}"#, ["colour"]), (#"{"main":{"colour":"red"}}"#, ["main.colour"]), (#"{"main":"standard"}"#, ["main"]),
      (#"{"main":null}"#, ["main"]), (#"{"trip":5}"#, ["trip"]), (#"{"device_id":"x"}"#, ["device_id"]),
      (#"{"remote_settings":["fields"],"fields":{"network":true}}"#, ["fields.network", "remote_settings"]),
      (#"{"wifi_zones":[],"notifications":true,"unique_id":true}"#, ["notifications", "unique_id", "wifi_zones"]),
      (#"{"main":{"main":{"min_time":"5s"}}}"#, ["main.main.min_time"]),
    ] as [(String, [String])])
  func unknown(_ set: String, _ names: [String]) throws {
    let (changes, rejected) = try apply(set)
    #expect(changes.isEmpty)
    #expect(rejected.count == names.count)
    for (sentence, name) in zip(rejected, names) { #expect(sentence.contains("\"\(name)\""), "\(sentence)") }
  }

  @Test("an absent or invalid object changes nothing", arguments: ["{}", "null", "[]", "5", #""main""#, #"{"main":{}}"#])
  func nothing(_ set: String) throws {
    #expect(try apply(set).changes.isEmpty)
  }

  @Test("names may be nested or dotted")
  func dotted() throws {
    #expect(
      try apply(#"{"main.min_time":"5s","trip":{"min_time":"10s"}}"#).changes == [
        "main.min_time": .text("5s"), "trip.min_time": .text("10s"),
      ])
  }
}
