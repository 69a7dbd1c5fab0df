import Foundation
import GodwitModel
import GodwitWire
import TestTexts
import Testing

@Suite("OwnTracks: encoding")
struct OwnTracksTests {
  private func text(_ record: Record, topic: String = "owntracks/anna/phone") -> String {
    written { OwnTracks.write(record, topic: topic, into: &$0) }
  }

  @Test("a fix is encoded byte for byte")
  func golden() throws {
    #expect(
      text(try fullRecord())
        == #"{"_type":"location","lat":45.4525956,"lon":-14.0181941,"tst":1795163400,"acc":5,"alt":753,"vac":3,"vel":5,"cog":360,"batt":29,"bs":2,"tid":"ne","conn":"w","SSID":"Ho\"me","BSSID":"aa:bb:cc:dd:ee:ff","motionactivities":["stationary","walking"],"created_at":1795163402,"_id":"9f86d081884c7d65-17","topic":"owntracks/anna/phone"}"#
    )
  }

  @Test("a minimal location has the required members only")
  func minimum() throws {
    let fix = Fix(
      time: Date(timeIntervalSince1970: 1_795_163_400.9),
      coordinate: try #require(Coordinate(latitude: -0.00000001, longitude: 180)))
    #expect(
      text(Record(kind: .fix(fix)))
        == #"{"_type":"location","lat":0,"lon":180,"tst":1795163400,"acc":100,"tid":"ne","topic":"owntracks/anna/phone"}"#)
  }

  @Test("visits, actions and trips are not encoded")
  func carried() throws {
    let place = try #require(Coordinate(latitude: 1, longitude: 2))
    let time = Date(timeIntervalSince1970: 1_795_163_400)
    for kind in [
      Record.Kind.visit(Visit(time: time, coordinate: place)), .action(Action(time: time, name: "x", coordinate: place)),
      .trip(Trip(start: time, end: time, mode: "bus", duration: 0, distance: 0)),
    ] {
      #expect(!OwnTracks.carries(Record(kind: kind)) && text(Record(kind: kind)).isEmpty)
    }
  }

  /// A rule, a change of the record, and a condition for the encoded object.
  struct Rule: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var change: @Sendable (inout Record) -> Void = { _ in }
    var holds: @Sendable ([String: Any]) -> Bool = { _ in false }

    init(_ name: String) { testDescription = name }

    func with(_ change: @escaping @Sendable (inout DeviceContext) -> Void) -> Rule {
      var rule = self
      rule.change = { change(&$0.context) }
      return rule
    }

    func fix(_ change: @escaping @Sendable (inout Fix) -> Void) -> Rule {
      var rule = self
      rule.change = { record in
        guard case .fix(var fix) = record.kind else { return }
        change(&fix)
        record.kind = .fix(fix)
      }
      return rule
    }

    func gives(_ holds: @escaping @Sendable ([String: Any]) -> Bool) -> Rule {
      var rule = self
      rule.holds = holds
      return rule
    }
  }

  /// The requirements of Home Assistant for locations. Home Assistant ignores other messages without an error.
  static let rules: [Rule] = [
    Rule("one object with _type location").gives { $0["_type"] as? String == "location" },
    Rule("lat and lon are numbers").gives { $0["lat"] is Double && $0["lon"] is Double },
    Rule("tst is whole seconds of Unix time").fix { $0.time = Date(timeIntervalSince1970: 1_795_163_400.999) }
      .gives { $0["tst"] as? Int == 1_795_163_400 },
    Rule("tid is two characters").gives { ($0["tid"] as? String)?.count == 2 },
    Rule("acc is a whole number").fix { $0.horizontalAccuracy = 12.6 }.gives { $0["acc"] as? Int == 13 },
    Rule("acc is never 0, which is ignored").fix { $0.horizontalAccuracy = 0.2 }.gives { $0["acc"] as? Int == 1 },
    Rule("acc is never missing, which is ignored").fix { $0.horizontalAccuracy = nil }
      .gives { $0["acc"] as? Int == 100 },
    Rule("acc is a number if the receiver's accuracy is NaN").fix { $0.horizontalAccuracy = .nan }
      .gives { $0["acc"] as? Int == 100 },
    Rule("acc is a number if the receiver's accuracy is too large").fix { $0.horizontalAccuracy = 1e300 }
      .gives { $0["acc"] as? Int == 100 },
    Rule("batt is whole percent").with { $0.batteryLevel = 0.57 }.gives { $0["batt"] as? Int == 57 },
    Rule("batt of an empty battery is 0, not unknown").with { $0.batteryLevel = 0 }.gives { $0["batt"] as? Int == 0 },
    Rule("batt is omitted if unknown").with { $0.batteryLevel = nil }.gives { $0["batt"] == nil },
    Rule("vel is km/h").fix { $0.speed = 10 }.gives { $0["vel"] as? Int == 36 },
    Rule("topic has base, user and device").gives { ($0["topic"] as? String)?.split(separator: "/").count == 3 },
    Rule("t is c for an entry into a region").with { $0.trigger = .regionEntry }.gives { $0["t"] as? String == "c" },
    Rule("t is p for a background fetch").with { $0.trigger = .backgroundFetch }.gives { $0["t"] as? String == "p" },
    Rule("t is omitted for a passive position").with { $0.trigger = .passive }.gives { $0["t"] == nil },
    Rule("bs is 1 on battery").with { $0.batteryState = .unplugged }.gives { $0["bs"] as? Int == 1 },
    Rule("conn is omitted without a wifi network").with { $0.wifi = "" }
      .gives { $0["conn"] == nil && $0["SSID"] == nil && $0["BSSID"] == nil },
    Rule("driving is automotive").with { $0.motion = [.driving] }
      .gives { $0["motionactivities"] as? [String] == ["automotive"] },
    Rule("nothing is null").fix { ($0.altitude, $0.course, $0.speed) = (.nan, .infinity, nil) }.gives { object in
      !object.values.contains { $0 is NSNull } && object["alt"] == nil && object["cog"] == nil && object["vel"] == nil
    },
  ]

  @Test("messages meet Home Assistant's schema", arguments: rules)
  func homeAssistant(_ rule: Rule) throws {
    var record = try fullRecord()
    rule.change(&record)
    #expect(rule.holds(try parsed(text(record))), "\(text(record))")
  }

  /// A transition, and the members that Home Assistant requires.
  struct Transition: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var event: RegionEvent
    /// The encoded latitude and accuracy; `nil` if the latitude is null, and if the accuracy is absent.
    var latitude: Double?
    var accuracy: Int?
    init(
      _ name: String, _ kind: RegionEvent.Kind, at place: Coordinate? = nil, center: Coordinate? = nil, radius: Double? = nil,
      beacon: BeaconIdentity? = nil, _ latitude: Double?, _ accuracy: Int?
    ) {
      testDescription = name
      event = RegionEvent(
        time: Date(timeIntervalSince1970: 1_795_163_400), kind: kind,
        region: RegionMention(id: "door", name: "Door", center: center, radius: radius, beacon: beacon), coordinate: place,
        horizontalAccuracy: place == nil ? nil : 12)
      (self.latitude, self.accuracy) = (latitude, accuracy)
    }
  }

  static let transitions: [Transition] = {
    let (here, middle) = (Coordinate(latitude: 46.5, longitude: 14.5), Coordinate(latitude: 46.25, longitude: 14.5))
    let beacon = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2))
    return [
      Transition("into a circle, with a place", .entered, at: here, center: middle, radius: 80, 46.5, 12),
      Transition("out of a circle, with a place", .exited, at: here, 46.5, 12),
      Transition("into a circle without a place: its centre", .entered, center: middle, radius: 80, 46.25, 80),
      Transition("out of a circle of an unknown size", .exited, center: middle, 46.25, 100),
      Transition("into a beacon without a place: null", .entered, beacon: beacon, nil, nil),
      Transition("out of a beacon without a place: null", .exited, beacon: beacon, nil, nil),
      Transition("out of a beacon with a place", .exited, at: here, beacon: beacon, 46.5, 12),
      Transition("out of a region with only a name: null", .exited, nil, nil),
    ]
  }()

  /// The requirements of Home Assistant's handler of transitions, by its documentation and responses. If a member is missing, the
  /// handler fails and drops the event, although the response has status 200.
  @Test("transitions meet Home Assistant's schema", arguments: transitions)
  func homeAssistant(_ transition: Transition) throws {
    let message = try parsed(text(Record(kind: .region(transition.event))))
    #expect(message["_type"] as? String == "transition")
    #expect(["enter", "leave"].contains(message["event"] as? String))
    #expect(message["desc"] as? String == "Door", "the name is used to find the zone")
    #expect(message["tst"] is Int && (message["tid"] as? String)?.count == 2)
    // The third and the following parts are ignored.
    #expect((message["topic"] as? String)?.split(separator: "/").count ?? 0 >= 3)
    // The handler requires both members; null means no position.
    for name in ["lat", "lon"] { #expect(message[name] is Double || message[name] is NSNull, "\(name)") }
    #expect(message["lat"] as? Double == transition.latitude && message["acc"] as? Int == transition.accuracy)
    // An accuracy of 0 is skipped.
    #expect(message["acc"] as? Int != 0)
    #expect(message["t"] as? String == (transition.event.region.beacon == nil ? "c" : "b"), "this member distinguishes beacons")
    // The encoded transition can be decoded.
    let again = try OwnTracks.readTransition(Array(text(Record(kind: .region(transition.event))).utf8))
    guard case .region(let event) = again.kind else {
      Issue.record("no transition")
      return
    }
    #expect(event.kind == transition.event.kind && event.coordinate?.latitude == transition.latitude)
  }

  @Test(
    "the topic contains user and device, with any characters in them",
    arguments: [
      (nil, "phone", "owntracks/godwit/phone", "ne"), ("anna", "phone", "owntracks/anna/phone", "ne"),
      ("anna", "bert/tablet", "owntracks/bert/tablet", "et"), ("anna", "a/b/c", "owntracks/a/b/c", "bc"),
      ("", "", "owntracks/godwit/device", "ce"), (nil, "/", "owntracks/godwit/device", "ce"),
      ("anna", "x", "owntracks/anna/x", "ax"), ("anna", "phone/", "owntracks/anna/phone", "ne"),
      ("anna", "/phone", "owntracks/anna/phone", "ne"), (nil, "🚲", "owntracks/godwit/🚲", "t🚲"),
    ] as [(String?, String, String, String)])
  func topics(_ user: String?, _ device: String, _ topic: String, _ trackerID: String) {
    #expect(OwnTracks.topic(user: user, device: device) == topic)
    #expect(OwnTracks.trackerID(topic: topic) == trackerID)
  }

  @Test("any text is valid JSON and round-trips", arguments: textsToEscape)
  func hostile(_ hostile: String) throws {
    var record = try fullRecord()
    record.context.wifi = hostile
    let object = try parsed(text(record, topic: hostile))
    #expect(object["SSID"] as? String == hostile && object["topic"] as? String == hostile)
  }

  @Test(
    "a time beyond the calendar causes no error",
    arguments: [-62_135_769_600, 64_092_211_200, 1e18, .infinity, -.infinity, .nan] as [Double])
  func farTimes(_ seconds: Double) throws {
    let time = Date(timeIntervalSince1970: seconds)
    var record = try fullRecord()
    Rule("time").fix { $0.time = time }.change(&record)
    record.received = time
    #expect(try parsed(text(record))["tst"] is Int)
  }
}
