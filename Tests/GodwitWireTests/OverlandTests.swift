import Foundation
import GodwitModel
import GodwitText
import TestTexts
import Testing

@testable import GodwitWire

private func feature(_ properties: String, geometry: String = #"{"type":"Point","coordinates":[14.0181940,45.4525956]}"#)
  -> String
{
  #"{"type":"Feature","geometry":\#(geometry),"properties":{\#(properties)}}"#
}

private func read(_ features: String...) throws -> Overland.Request {
  try Overland.read(Array(#"{"locations":[\#(features.joined(separator: ","))]}"#.utf8))
}

private let stamp = #""timestamp":"2026-11-20T08:30:00Z""#

@Suite("Overland: decoding")
struct OverlandReadingTests {
  @Test("the example of the documentation is decoded")
  func example() throws {
    let request = try read(
      feature(
        """
        "timestamp": "2015-10-01T08:00:00-0700", "altitude": 0, "speed": 4, "horizontal_accuracy": 30,
        "vertical_accuracy": -1, "motion": ["driving","stationary"], "pauses": false, "activity": "other_navigation",
        "desired_accuracy": 100, "deferred": 1000, "significant_change": "disabled", "locations_in_payload": 1,
        "battery_state": "charging", "battery_level": 0.80, "device_id": "", "wifi": ""
        """, geometry: #"{"type":"Point","coordinates":[-122.030581, 37.331800]}"#))
    let record = try #require(request.records.first)
    guard case .fix(let fix) = record.kind else {
      Issue.record("no fix")
      return
    }
    #expect(fix.time == Date(timeIntervalSince1970: 1_443_711_600))
    #expect(fix.coordinate == Coordinate(latitude: 37.3318, longitude: -122.030581))
    #expect(fix.altitude == 0 && fix.speed == 4 && fix.horizontalAccuracy == 30)
    #expect(fix.verticalAccuracy == nil && fix.course == nil)
    #expect(record.context == DeviceContext(batteryLevel: 0.8, batteryState: .charging, motion: [.driving, .stationary]))
    #expect(
      record.extras
        == #"{"pauses": false,"activity": "other_navigation","desired_accuracy": 100,"deferred": 1000,"significant_change": "disabled","locations_in_payload": 1}"#
    )
  }

  @Test(
    "the time formats of apps are decoded",
    arguments: [
      (#""2026-11-20T08:30:00Z""#, 1_795_163_400_000), (#""2026-11-20T08:30:00.123Z""#, 1_795_163_400_123),
      (#""2026-11-20T10:30:00+02:00""#, 1_795_163_400_000), ("1795163400", 1_795_163_400_000),
      ("1795163400.5", 1_795_163_400_500), ("1795163400123", 1_795_163_400_123),
    ] as [(String, Int64)])
  func times(_ text: String, _ milliseconds: Int64) throws {
    let request = try read(feature("\"timestamp\":\(text)"))
    #expect(request.records.first?.time.millisecondsSince1970 == milliseconds)
  }

  @Test("the differences of the Android app are decoded")
  func android() throws {
    let request = try read(
      feature(
        #""timestamp":"2021-01-01T00:00:00.000Z","battery_state":true,"motion":["on_foot","in_vehicle","still"],"speed":"1.5","desired_accuracy":"10""#,
        geometry: #"{"type":"Point","coordinates":["14.5","45.5"]}"#))
    let record = try #require(request.records.first)
    #expect(record.context.batteryState == .charging)
    #expect(record.context.motion == [.walking, .driving, .stationary])
    guard case .fix(let fix) = record.kind else {
      Issue.record("\(record.kind)")
      return
    }
    #expect(fix.speed == 1.5 && fix.coordinate == Coordinate(latitude: 45.5, longitude: 14.5))
  }

  @Test("visits, trips and actions are decoded as their kinds")
  func kinds() throws {
    let place = feature(stamp)
    let request = try read(
      feature(stamp + #","action":"visit","arrival_date":"2026-11-20T07:00:00Z","departure_date":null,"horizontal_accuracy":20"#),
      feature(
        stamp
          + #","type":"trip","mode":"bicycle","start":"2026-11-20T08:00:00Z","end":"2026-11-20T08:30:00Z","start_location":\#(place),"end_location":null,"duration":1800,"distance":5000.5,"stopped_automatically":true,"steps":12"#
      ),
      #"{"type":"Feature","properties":{\#(stamp),"action":"will_terminate"}}"#,
      feature(stamp + #","action":"exited_pause_region""#, geometry: "null"))
    #expect(request.rejected.isEmpty && request.records.count == 4)
    guard case .visit(let visit) = request.records[0].kind, case .trip(let trip) = request.records[1].kind,
      case .action(let action) = request.records[2].kind
    else {
      Issue.record("\(request.records)")
      return
    }
    #expect(visit.arrival == RFC3339.date("2026-11-20T07:00:00Z") && visit.departure == nil)
    #expect(visit.horizontalAccuracy == 20)
    #expect(trip.mode == "bicycle" && trip.distance == 5000.5 && trip.duration == 1800 && trip.steps == 12)
    #expect(trip.stoppedAutomatically && trip.startFix != nil && trip.endFix == nil)
    #expect(action.name == "will_terminate" && action.coordinate == nil)
  }

  @Test(
    "properties of events are kept as extras of other kinds of records",
    arguments: [
      (#""distance":12.5,"steps":9,"duration":-1"#, #"{"distance":12.5,"steps":9,"duration":-1}"#),
      (
        #""start":"2026-11-20T08:00:00Z","other": 1,"end":1,"mode" : "walk","stopped_automatically":true"#,
        #"{"start":"2026-11-20T08:00:00Z","other": 1,"end":1,"mode" : "walk","stopped_automatically":true}"#
      ),
      (#""arrival_date":1795163400,"departure_date":null,"steps": null"#, #"{"arrival_date":1795163400}"#),
      (#""start_location":"home","end_location":{"a":1}"#, #"{"start_location":"home","end_location":{"a":1}}"#),
      (#""action":"visit","arrival_date":null,"distance":3"#, #"{"distance":3}"#),
      (#""action":"wake","arrival_date":5,"type":"trip""#, #"{"arrival_date":5,"type":"trip"}"#),
      (
        #""type":"trip","distance":3,"arrival_date":5,"start_location":[1],"end_location":null"#,
        #"{"arrival_date":5,"start_location":[1]}"#
      ),
    ])
  func eventProperties(_ properties: String, _ extras: String) throws {
    let request = try read(feature(stamp + "," + properties))
    #expect(request.rejected.isEmpty && request.records.count == 1)
    #expect(request.records.first?.extras == extras)
  }

  @Test("one invalid record is rejected by name and position, and the others are kept")
  func rejections() throws {
    let cases: [(String, String, String)] = [
      (
        feature(stamp, geometry: #"{"type":"Point","coordinates":[14,91]}"#), "latitude 91.0 is outside −90…90",
        "$.locations[1].geometry.coordinates[1]"
      ),
      (
        feature(stamp, geometry: #"{"type":"Point","coordinates":[181,0]}"#), "longitude 181.0 is outside −180…180",
        "$.locations[1].geometry.coordinates[0]"
      ),
      (
        feature(stamp, geometry: #"{"type":"Point","coordinates":["NaN",0]}"#), "expected a number of degrees",
        "$.locations[1].geometry.coordinates[0]"
      ),
      (
        feature(stamp, geometry: #"{"type":"Point","coordinates":[1e999,0]}"#), "longitude inf is outside −180…180",
        "$.locations[1].geometry.coordinates[0]"
      ),
      (
        feature(stamp, geometry: #"{"type":"Point","coordinates":[1]}"#), "expected [longitude, latitude]",
        "$.locations[1].geometry.coordinates"
      ),
      (feature(stamp, geometry: "null"), "there are no coordinates", "$.locations[1].geometry.coordinates"),
      (feature(#""speed":1"#), "there is no \"timestamp\"", "$.locations[1].properties.timestamp"),
      (
        feature(#""timestamp":"0000-01-01T00:00:00Z""#),
        "\"0000-01-01T00:00:00Z\" is not a time; expected one such as 2026-11-20T08:30:00Z", "$.locations[1].properties.timestamp"
      ),
      (
        feature(#""timestamp":"9999-12-31T23:59:59Z""#), "the time is outside the years 1970 to 2199",
        "$.locations[1].properties.timestamp"
      ),
      (feature(#""timestamp":null"#), "expected a time such as 2026-11-20T08:30:00Z", "$.locations[1].properties.timestamp"),
      (feature(stamp + "," + stamp), "\"timestamp\" is given twice", "$.locations[1].properties.timestamp"),
      ("17", "expected a GeoJSON feature", "$.locations[1]"),
      (#"{"type":"Feature"}"#, "there is no member \"properties\"", "$.locations[1]"),
    ]
    for (bad, reason, path) in cases {
      let request = try read(feature(stamp), bad, feature(stamp))
      #expect(request.records.count == 2)
      let rejection = try #require(request.rejected.first)
      #expect(rejection.index == 1 && rejection.reason == reason && rejection.place.path == path)
      #expect(String(decoding: rejection.raw, as: UTF8.self) == bad)
    }
  }

  @Test("an invalid value of a known property is kept in the extras")
  func oddValues() throws {
    let request = try read(feature(stamp + #","speed":"fast","battery_level":2,"wifi":7,"motion":["flying","walking"]"#))
    let record = try #require(request.records.first)
    #expect(record.extras == #"{"speed":"fast","battery_level":2,"wifi":7,"motion":["flying","walking"]}"#)
    #expect(record.context.motion == .walking)
  }

  @Test("members beside the batch are decoded")
  func beside() throws {
    let text =
      #"{"locations":[\#(feature(stamp))],"current":\#(feature(#""timestamp":"2026-11-20T09:00:00Z""#)),"trip":{"distance":12,"mode":"walk"},"other":[1]}"#
    let request = try Overland.read(Array(text.utf8))
    #expect(request.current?.time == RFC3339.date("2026-11-20T09:00:00Z"))
    #expect(request.trip == #"{"distance":12,"mode":"walk"}"#)
    let inString = try Overland.read(Array(#"{"locations":[],"trip":"{\"distance\":1}"}"#.utf8))
    #expect(inString.trip == #"{"distance":1}"#)
  }

  @Test("a bare feature and a bare array are batches too", arguments: [feature(stamp), "[\(feature(stamp))]"])
  func bare(_ text: String) throws {
    #expect(try Overland.read(Array(text.utf8)).records.count == 1)
  }

  @Test(
    "input that is not a request is rejected with the expected form",
    arguments: [
      ("", "the body is empty"), ("hello", "expected a JSON object"), ("{}", "no member \"locations\""),
      (#"{"locations":7}"#, "expected an array of locations"), ("{", "expected a string, but the text ends"),
    ])
  func noRequest(_ text: String, _ reason: String) {
    do {
      let request = try Overland.read(Array(text.utf8))
      Issue.record("\(request)")
    } catch {
      #expect(error.reason.contains(reason), "\(error)")
    }
  }

  @Test("truncated input keeps the records before the cut, and the rest unchanged")
  func truncated() throws {
    let first = #"{"locations":[\#(feature(stamp))"#
    let second = first + "," + feature(stamp + #","wifi":"é\n""#)
    let ends = [first.utf8.count, second.utf8.count]
    let whole = Array((second + "]}").utf8)
    for end in 0..<whole.count {
      do {
        let request = try Overland.read(Array(whole[..<end]))
        #expect(request.broken != nil)
        #expect(request.records.count == ends.count { $0 <= end })
        if let rejected = request.rejected.first { #expect(whole[..<end].suffix(rejected.raw.count).elementsEqual(rejected.raw)) }
      } catch {
        #expect(error.format == "Overland")
      }
    }
  }

  @Test("random damage does not crash the decoder, and decoded records have a valid time", arguments: [1, 2, 3, 4] as [UInt64])
  func mutated(_ seed: UInt64) {
    let whole = Array(
      #"{"locations":[\#(feature(stamp + #","speed":1.5,"motion":["walking"],"wifi":"Home","battery_level":0.5"#)),\#(feature(stamp))]}"#
        .utf8)
    // A FormatError is a valid result. Decoded records must have a valid time.
    let accepted = acceptedMutations(whole, changes: 5000, seed: seed) { body in
      for record in try Overland.read(body).records {
        #expect(TimestampParser.validTimes.contains(record.time.millisecondsSince1970))
      }
    }
    #expect(accepted > 0)
  }
}

@Suite("Overland: encoding")
struct OverlandWritingTests {
  private static let record = Record(
    id: RecordID(journal: 0x9F86_D081_884C_7D65, sequence: 17),
    kind: .fix(
      Fix(
        time: Date(millisecondsSince1970: 1_795_163_400_250),
        // Valid: inside the ranges.
        coordinate: Coordinate(latitude: 45.452595614, longitude: -14.018194094)!, horizontalAccuracy: 4.567,
        altitude: 753.329, speed: 1.4, course: 359.996)),
    context: DeviceContext(batteryLevel: 0.29, batteryState: .unplugged, motion: [.walking], wifi: "Ho\"me"),
    extras: #"{"pauses":false}"#)

  @Test("the precise form has an identifier, milliseconds and steps of 0.01, and no unknown values")
  func precise() {
    var bytes: [UInt8] = []
    Overland.write([Self.record], profile: .precise, into: &bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"locations":[{"type":"Feature","id":"9f86d081884c7d65-17","geometry":{"type":"Point","coordinates":[-14.018194094,45.452595614]},"properties":{"timestamp":"2026-11-20T08:30:00.250Z","altitude":753.33,"speed":1.4,"course":360,"horizontal_accuracy":4.57,"motion":["walking"],"battery_state":"unplugged","battery_level":0.29,"wifi":"Ho\"me","pauses":false}}]}"#
    )
  }

  @Test("exact form of the app: integers, coordinates cut to seven decimals, −1 for unknown values")
  func app() {
    var bytes: [UInt8] = []
    Overland.write([Self.record], profile: .app, into: &bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[-14.018194,45.4525956]},"properties":{"timestamp":"2026-11-20T08:30:00Z","altitude":753,"speed":1,"course":360,"horizontal_accuracy":5,"vertical_accuracy":-1,"speed_accuracy":-1,"course_accuracy":-1,"motion":["walking"],"battery_state":"unplugged","battery_level":0.29,"wifi":"Ho\"me","pauses":false}}]}"#
    )
  }

  @Test("records of every kind round-trip")
  func roundTrip() throws {
    let fix = Fix(
      time: Date(millisecondsSince1970: 1_795_163_400_000),
      coordinate: try #require(Coordinate(latitude: -89.999999999, longitude: 179.999999999)), horizontalAccuracy: 0,
      altitude: -12.34, verticalAccuracy: 3.2, speed: 0, speedAccuracy: 0.42, course: 0, courseAccuracy: 3.1)
    let kinds: [Record.Kind] = [
      .fix(fix),
      .visit(Visit(time: fix.time, coordinate: fix.coordinate, horizontalAccuracy: 20, arrival: nil, departure: fix.time)),
      .trip(
        Trip(
          start: fix.time.addingTimeInterval(-60), end: fix.time, mode: "bus", startFix: nil, endFix: fix, duration: 60,
          distance: 12.5, steps: 3, stoppedAutomatically: true)),
      .action(Action(time: fix.time, name: "paused_location_updates", coordinate: fix.coordinate)),
    ]
    for kind in kinds {
      let record = Record(
        id: RecordID(journal: 1, sequence: 2), kind: kind,
        context: DeviceContext(batteryLevel: 0, batteryState: .full, wifi: "é\u{1}\n", tripID: "t", deviceID: "d", uniqueID: "u"),
        extras: #"{"x":[1,{"y":"z"}]}"#)
      var bytes: [UInt8] = []
      Overland.write([record], profile: .precise, into: &bytes)
      let request = try Overland.read(bytes)
      #expect(request.records == [record], "\(String(decoding: bytes, as: UTF8.self)) \(request.rejected)")
    }
  }
}

@Suite("Overland: responses")
struct OverlandResponseTests {
  typealias Response = Overland.Response

  @Test("only {\"result\":\"ok\"} is a success, unless configured otherwise")
  func success() {
    func read(_ status: Int, _ text: String, any: Bool = false) -> Bool {
      if case .accepted = Response.read(status: status, body: Array(text.utf8), acceptsAny2xx: any) { true } else { false }
    }
    #expect(read(200, #"{"result":"ok"}"#) && read(201, #"{"result":"ok","saved":3}"#))
    for text in ["", "OK", "[]", "{}", #"{"result":true}"#, #"{"result":1}"#, #"{"result":"OK"}"#, "null", "{"] {
      #expect(!read(200, text), "\(text)")
      #expect(read(204, text, any: true), "\(text)")
    }
    #expect(!read(500, #"{"result":"ok"}"#) && !read(302, "", any: true))
  }

  @Test("a response round-trips, with its rejected records")
  func roundTrip() {
    var bytes: [UInt8] = []
    Overland.writeResponse(
      saved: 2, duplicates: 1, rejected: [(3, "latitude 91 \"is\" outside")], settings: #"{"send_interval":"1m"}"#, into: &bytes)
    guard case .accepted(let acceptance) = Response.read(status: 200, body: bytes, acceptsAny2xx: false) else {
      Issue.record("not accepted")
      return
    }
    #expect(acceptance.rejected == [Response.Rejection(index: 3, reason: "latitude 91 \"is\" outside")])
    #expect(acceptance.saved == 2)
    #expect(acceptance.settings == #"{"send_interval":"1m"}"#)
  }

  @Test("an error has the server's own text")
  func error() {
    #expect(
      Response.read(status: 503, body: Array(#"{"error":"full"}"#.utf8), acceptsAny2xx: true) == .rejected("full"))
    #expect(
      Response.read(status: 502, body: Array("<html>".utf8), acceptsAny2xx: false)
        == .rejected("The server answered with status 502."))
  }
}
