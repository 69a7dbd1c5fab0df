import Foundation
import GodwitModel
import GodwitWire
import TestTexts
import Testing

@Suite("Overland: encoding of edge cases")
struct OverlandShapesTests {
  private func text(_ record: Record, _ profile: Overland.Profile) -> String {
    written { Overland.write([record], profile: profile, into: &$0) }
  }

  private func properties(_ text: String) throws -> [String: Any] {
    let features = try #require(try parsed(text)["locations"] as? [[String: Any]])
    return try #require(features.first?["properties"] as? [String: Any])
  }

  @Test(
    "in the app's form coordinates, battery, speed and course accuracy are truncated, and other numbers are rounded",
    arguments: [
      (0.29, 0.299, "0.29", "0.29"), (0.3, 0.57, "0.57", "0.3"), (0.999, 0.999, "0.99", "0.99"), (1, 0, "0", "1"),
    ] as [(Double, Double, String, String)])
  func app(_ accuracy: Double, _ battery: Double, _ batteryText: String, _ accuracyText: String) throws {
    var record = try fullRecord(coordinate: Coordinate(latitude: 45.45259569, longitude: -14.01819499))
    guard case .fix(var fix) = record.kind else {
      Issue.record("\(record.kind)")
      return
    }
    fix.speedAccuracy = accuracy
    record.kind = .fix(fix)
    record.context.batteryLevel = battery
    let text = text(record, .app)
    #expect(text.contains(#""coordinates":[-14.0181949,45.4525956]"#), "\(text)")
    #expect(text.contains(#""speed_accuracy":\#(accuracyText),"#), "\(text)")
    #expect(text.contains(#""battery_level":\#(batteryText),"#), "\(text)")
    #expect(text.contains(#""speed":1,"#) && text.contains(#""horizontal_accuracy":5,"#))
  }

  @Test(
    "a coordinate with seven decimals keeps all of them",
    arguments: [0.0000003, 45.4525956, -14.0181949, 179.9999999, -180, 89.9999999] as [Double])
  func decimals(_ degrees: Double) throws {
    let place = try #require(Coordinate(latitude: degrees / 2, longitude: degrees))
    let object = try parsed(text(try fullRecord(coordinate: place), .app))
    let geometry = try #require((object["locations"] as? [[String: Any]])?.first?["geometry"] as? [String: Any])
    #expect((geometry["coordinates"] as? [Double])?.first == degrees)
  }

  @Test("unknown values are −1 in the app's form, and absent in Godwit's")
  func unknown() throws {
    let fix = Fix(
      time: Date(timeIntervalSince1970: 1_795_163_400), coordinate: try #require(Coordinate(latitude: 0, longitude: 0)))
    #expect(
      text(Record(kind: .fix(fix)), .app)
        == #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[0,0]},"properties":{"timestamp":"2026-11-20T08:30:00Z","altitude":-1,"speed":-1,"course":-1,"horizontal_accuracy":-1,"vertical_accuracy":-1,"speed_accuracy":-1,"course_accuracy":-1,"motion":[],"battery_state":"unknown","battery_level":-1,"wifi":""}}]}"#
    )
    #expect(
      text(Record(kind: .fix(fix)), .precise)
        == #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[0,0]},"properties":{"timestamp":"2026-11-20T08:30:00Z"}}]}"#
    )
  }

  @Test("a device without a name has no device_id", arguments: [Overland.Profile.app, .precise])
  func nameless(_ profile: Overland.Profile) throws {
    var record = try fullRecord()
    record.context.deviceID = ""
    record.context.uniqueID = ""
    let properties = try properties(text(record, profile))
    #expect(properties["device_id"] == nil && properties["unique_id"] == nil)
  }

  @Test("a number that is not finite is unknown", arguments: invalidNumbers)
  func impossible(_ number: Double) throws {
    var record = try fullRecord(altitude: number, speed: number)
    record.context.batteryLevel = number
    let precise = try properties(text(record, .precise))
    #expect(precise["altitude"] == nil && precise["speed"] == nil && precise["battery_level"] == nil)
    let app = try properties(text(record, .app))
    #expect(app["altitude"] as? Int == -1 && app["speed"] as? Int == -1 && app["battery_level"] as? Int == -1)
  }

  @Test("any text is valid JSON and round-trips", arguments: textsToEscape)
  func hostile(_ hostile: String) throws {
    var record = try fullRecord()
    record.context.wifi = hostile
    record.context.deviceID = hostile
    for profile in [Overland.Profile.app, .precise] {
      let properties = try properties(text(record, profile))
      #expect(properties["wifi"] as? String == hostile && properties["device_id"] as? String == hostile)
    }
    record.kind = .action(Action(time: Date(timeIntervalSince1970: 0), name: hostile))
    #expect(try properties(text(record, .precise))["action"] as? String == hostile)
  }

  @Test("empty extras are omitted", arguments: [nil, "{}", "{ }", "{\n}"])
  func noExtras(_ extras: String?) throws {
    var record = try fullRecord()
    let plain = text(record, .precise)
    record.extras = extras
    #expect(text(record, .precise) == plain)
  }

  @Test("a trip without positions is encoded in both forms")
  func trip() throws {
    let start = Date(timeIntervalSince1970: 1_795_163_400)
    let trip = Record(
      kind: .trip(
        Trip(start: start, end: start.addingTimeInterval(90.25), mode: "bicycle", duration: 90.25, distance: 512.345)))
    #expect(
      text(trip, .precise)
        == #"{"locations":[{"type":"Feature","geometry":null,"properties":{"timestamp":"2026-11-20T08:31:30.250Z","type":"trip","mode":"bicycle","start":"2026-11-20T08:30:00Z","end":"2026-11-20T08:31:30.250Z","start_location":null,"end_location":null,"duration":90.25,"distance":512.35,"stopped_automatically":false,"steps":0}}]}"#
    )
    #expect(
      Overland.trip(start: start, mode: "walk", distance: 0, startFix: nil, currentFix: nil, profile: .app)
        == #"{"mode":"walk","start":"2026-11-20T08:30:00Z","distance":0,"start_location":null,"current_location":null}"#)
  }
}

@Suite("Region events in Overland's format")
struct OverlandRegionTests {
  private static let uuid = ProximityUUID(high: 0xF782_6DA6_4FA2_4E98, low: 0x8024_BC5B_71E0_893E)
  private static let time = Date(timeIntervalSince1970: 1_795_163_400)
  private static let place = Coordinate(latitude: 46.05, longitude: 14.5)

  private static let events: [RegionEvent] = [
    RegionEvent(
      time: time, kind: .entered,
      region: RegionMention(id: "home", name: "Home", tags: ["family", "night"], center: place, radius: 100),
      coordinate: place, horizontalAccuracy: 12),
    RegionEvent(
      time: time, kind: .exited, region: RegionMention(id: "home"), entered: Date(timeIntervalSince1970: 1_795_160_000)),
    RegionEvent(
      time: time, kind: .dwelled,
      region: RegionMention(id: "door", name: "\"Door\"", beacon: BeaconIdentity(uuid: uuid, major: 1, minor: 65_535)),
      entered: Date(timeIntervalSince1970: 1_795_160_000)),
    RegionEvent(time: time, kind: .entered, region: RegionMention(id: "x", beacon: BeaconIdentity(uuid: uuid))),
  ]

  @Test("region events round-trip", arguments: events)
  func returns(_ event: RegionEvent) throws {
    let record = Record(id: RecordID(journal: 7, sequence: 3), kind: .region(event))
    var bytes: [UInt8] = []
    Overland.write([record], profile: .precise, into: &bytes)
    #expect(try Overland.read(bytes).records == [record])
  }

  @Test("a member named region in other features is kept unchanged")
  func kept() throws {
    let text =
      #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[14.5,46]},"properties":"#
      + #"{"timestamp":1795163400,"region":{"id":"home"}}}]}"#
    let record = try #require(try Overland.read(Array(text.utf8)).records.first)
    #expect(record.extras == #"{"region":{"id":"home"}}"#)
    guard case .fix = record.kind else {
      Issue.record("no fix")
      return
    }
  }
}
