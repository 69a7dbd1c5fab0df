import Foundation
import GodwitModel
import GodwitText
import GodwitWire
import TestTexts
import Testing

@Suite("OwnTracks: regions")
struct OwnTracksRegionTests {
  private static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  private static func circle(_ id: String, name: String = "", extras: String? = nil) throws -> Region {
    let center = try #require(Coordinate(latitude: 51.5, longitude: -0.1))
    return Region(id: id, name: name, shape: .circle(Circle(center: center, radius: 100)), extras: extras)
  }

  // MARK: Waypoints

  @Test("a waypoint of the app and a region are converted byte for byte, in both directions")
  func waypoint() throws {
    let text = #"{"_type":"waypoint","desc":"Home","rid":"6da9cf","lat":51.5,"lon":-0.1,"rad":100,"tst":1700000000}"#
    let found = try OwnTracks.readWaypoints(Array(text.utf8))
    #expect(found.regions == [try Self.circle("6da9cf", name: "Home", extras: #"{"tst":1700000000}"#)])
    #expect(
      written { OwnTracks.writeWaypoints(found.regions, into: &$0) }
        == "{\"_type\":\"waypoints\",\"waypoints\":[\n" + text + "]}\n")
  }

  @Test("the computed id of a waypoint without an id does not change with its position, and transitions refer to it")
  func computed() throws {
    func id(_ text: String) throws -> String { try #require(try OwnTracks.readWaypoints(Array(text.utf8)).regions.first).id }
    let first = try id(#"{"_type":"waypoint","desc":"Home","lat":51.5,"lon":-0.1,"rad":100,"tst":1700000000}"#)
    #expect(first.hasPrefix("waypoint-"))
    #expect(try id(#"{"_type":"waypoint","desc":"Home","lat":52,"lon":1,"rad":200,"tst":1700000000}"#) == first)
    #expect(try id(#"{"_type":"waypoint","desc":"Work","lat":51.5,"lon":-0.1,"rad":100,"tst":1700000000}"#) != first)
    #expect(try id(#"{"_type":"waypoint","desc":"Home","lat":51.5,"lon":-0.1,"rad":100,"tst":1700000001}"#) != first)
    let record = try OwnTracks.readTransition(
      Array(#"{"_type":"transition","event":"enter","desc":"Home","wtst":1700000000,"tst":1700000100}"#.utf8))
    guard case .region(let event) = record.kind else { throw FormatError(format: "", place: .init(byte: 0), reason: "no event") }
    #expect(event.region.id == first)
  }

  @Test(
    "a beacon is detected by its members or by its name",
    arguments: [
      (#""desc":"Door","uuid":"\#(uuid)","major":1,"minor":2"#, 1, 2), (#""desc":"Door:\#(uuid):1:2""#, 1, 2),
      (#""desc":"Door:\#(uuid):1""#, 1, nil), (#""desc":"Door:\#(uuid)""#, nil, nil),
    ] as [(String, UInt16?, UInt16?)])
  func beacons(_ members: String, _ major: UInt16?, _ minor: UInt16?) throws {
    let uuid = try #require(ProximityUUID(Self.uuid))
    let identity = major.map { BeaconIdentity(uuid: uuid, major: $0, minor: minor) } ?? BeaconIdentity(uuid: uuid)
    for place in ["", #","lat":1,"lon":2"#, #","lat":1,"lon":2,"rad":0"#] {
      let text = #"{"_type":"waypoint",\#(members)\#(place),"tst":1700000000}"#
      let region = try #require(try OwnTracks.readWaypoints(Array(text.utf8)).regions.first)
      #expect(region.name == "Door" && region.shape.beacon?.identity == identity)
      #expect((region.shape.center == nil) == place.isEmpty)
      let again = try OwnTracks.readWaypoints(Array(written { OwnTracks.writeWaypoints([region], into: &$0) }.utf8))
      #expect(again.regions == [region])
    }
  }

  @Test(
    "a name that only resembles that of a beacon is a plain name",
    arguments: ["a:b", "Door:\(uuid):x", "Door:\(uuid):1:2:3", "Door:\(uuid):70000", ":", "12:30"])
  func names(_ name: String) throws {
    let text = #"{"_type":"waypoint","desc":"\#(name)","lat":1,"lon":2,"rad":5,"tst":1700000000}"#
    let region = try #require(try OwnTracks.readWaypoints(Array(text.utf8)).regions.first)
    #expect(region.name == name && region.shape.beacon == nil)
  }

  @Test("the command to set waypoints round-trips")
  func command() throws {
    var region = try Self.circle("home")
    (region.tags, region.dwell) = (["a"], 5)
    let corners = try [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)].map { try #require(Coordinate(latitude: $0.0, longitude: $0.1)) }
    let area = Region(id: "park", name: "Park", shape: .polygons(try #require(MultiPolygon([try Polygon(outer: corners)]))))
    let text = written { OwnTracks.writeSetWaypoints([region, area], into: &$0) }
    #expect(
      text.hasPrefix(
        #"{"_type":"cmd","action":"setWaypoints","waypoints":{"_type":"waypoints","waypoints":[{"_type":"waypoint","desc":"home","tst":"#
      ))
    #expect(
      text.contains(#","rid":"home","lat":51.5,"lon":-0.1,"rad":100},{"#) && !text.contains("polygons") && text.hasSuffix("}]}}"))
    let found = try OwnTracks.readWaypoints(Array(text.utf8)).regions
    #expect(found.map(\.id) == ["home", "park"] && found[1].shape.enclosingCircle?.radius == area.shape.enclosingCircle?.radius)
    let made = try Self.circle("x", extras: #"{"tst":1700000000}"#)
    let kept = try parsed(written { OwnTracks.writeSetWaypoints([made], into: &$0) })
    let waypoints = try #require((kept["waypoints"] as? [String: Any])?["waypoints"] as? [[String: Any]])
    #expect(waypoints.first?["tst"] as? Int == 1_700_000_000)
  }

  @Test("waypoints without a radius, and invalid waypoints of an app, are skipped")
  func skipped() throws {
    let text =
      #"{"_type":"waypoints","waypoints":[{"desc":"Mark","lat":1,"lon":2,"rad":0},{"desc":"Bad","lat":1,"lon":181,"rad":5},{"desc":"Good","lat":1,"lon":2,"rad":5},{"desc":"None"}]}"#
    let found = try OwnTracks.readWaypoints(Array(text.utf8), isLenient: true)
    #expect(found.regions.map(\.name) == ["Good"] && found.skippedCount == 3)
    #expect(found.skipped.map(\.place.path) == ["waypoints[0]", "waypoints[1].lon", "waypoints[3]"])
    #expect(found.skipped.map(\.isWrong) == [false, true, false])
    #expect(found.skipped[1].reason == "longitude 181 is outside −180…180")
    let error = try #require(throws: FormatError.self) { try OwnTracks.readWaypoints(Array(text.utf8)) }
    #expect(error.place.path == "waypoints[1].lon")
  }

  @Test(
    "invalid input is rejected with its position",
    arguments: [
      (#"{"_type":"waypoint","desc":"a","lat":1,"lon":2,"rad":-1}"#, "rad", "-1 is not a valid radius"),
      (#"{"_type":"waypoint","desc":"a","lat":"1","lon":2,"rad":1}"#, "lat", "expected a number"),
      (#"{"_type":"waypoint","desc":"a","lat":1,"lon":2,"rad":1,"tst":1e30}"#, "tst", "1e30 is not a time"),
      (#"{"_type":"waypoint","desc":"a","rid":"","lat":1,"lon":2,"rad":1}"#, "rid", "1 to 128 characters"),
      (#"{"_type":"location","lat":1,"lon":2}"#, "_type", "\"location\" is not a waypoint"),
      (#"{"_type":"cmd","waypoints":{"_type":"x","waypoints":[]}}"#, "waypoints", "expected waypoints"),
      (#"{"waypoints":[{"uuid":"\#(uuid)","minor":1}]}"#, "waypoints[0].minor", "needs a major one"),
      (#"{"waypoints":7}"#, "waypoints", "expected an array"), ("7", nil, "expected a waypoint"),
      (
        #"[{"rid":"a","lat":1,"lon":2,"rad":1},{"rid":"a","lat":1,"lon":2,"rad":1}]"#, "[1].rid", "already used by [0]"
      ),
    ] as [(String, String?, String)])
  func rejected(_ text: String, _ path: String?, _ reason: String) throws {
    let error = try #require(throws: FormatError.self) { try OwnTracks.readWaypoints(Array(text.utf8)) }
    #expect(error.format == "OwnTracks" && error.place.path == path && error.reason.contains(reason), "\(error)")
  }

  // MARK: Transitions

  @Test("a transition of the app is a region event, with unknown members kept")
  func transition() throws {
    let text =
      #"{"_type":"transition","event":"leave","desc":"Home","rid":"6da9cf","lat":51.5,"lon":-0.1,"tst":1700000000,"wtst":1600000000,"acc":12.5,"tid":"ne","t":"c"}"#
    let place = try #require(Coordinate(latitude: 51.5, longitude: -0.1))
    let event = RegionEvent(
      time: Date(timeIntervalSince1970: 1_700_000_000), kind: .exited, region: RegionMention(id: "6da9cf", name: "Home"),
      coordinate: place, horizontalAccuracy: 12.5)
    let record = try OwnTracks.readTransition(Array(text.utf8))
    #expect(record == Record(kind: .region(event), extras: #"{"wtst":1600000000,"tid":"ne","t":"c"}"#))
  }

  @Test(
    "an invalid transition is rejected with its position",
    arguments: [
      (#"{"_type":"location","event":"enter"}"#, "_type", "expected a transition"),
      (#"{"_type":"transition","tst":1,"desc":"a"}"#, "event", "needs an event"),
      (#"{"_type":"transition","event":"dwell","tst":1,"desc":"a"}"#, "event", "\"dwell\" is not an event"),
      (#"{"_type":"transition","event":"enter","desc":"a"}"#, "tst", "needs a time"),
      (#"{"_type":"transition","event":"enter","desc":"a","tst":-5}"#, "tst", "-5 is not a time"),
      (#"{"_type":"transition","event":"enter","tst":5}"#, "desc", "needs a desc or a rid"),
      (#"{"_type":"transition","event":"enter","desc":"a","tst":5,"lat":91}"#, "lat", "latitude 91 is outside"),
      ("[]", nil, "expected an object"),
    ] as [(String, String?, String)])
  func badTransitions(_ text: String, _ path: String?, _ reason: String) throws {
    let error = try #require(throws: FormatError.self) { try OwnTracks.readTransition(Array(text.utf8)) }
    #expect(error.place.path == path && error.reason.contains(reason), "\(error)")
  }

  private static func record(_ kind: RegionEvent.Kind, beacon: Bool = false, place: Coordinate? = nil, accuracy: Double? = nil)
    throws -> Record
  {
    var region = RegionMention(id: "home", name: "Home")
    if beacon { region.beacon = BeaconIdentity(uuid: try #require(ProximityUUID(uuid)), major: 1) }
    return Record(
      id: RecordID(journal: 0x9F86_D081_884C_7D65, sequence: 17),
      kind: .region(
        RegionEvent(
          time: Date(timeIntervalSince1970: 1_795_163_400.9), kind: kind, region: region, coordinate: place,
          horizontalAccuracy: accuracy)))
  }

  @Test("a region event is encoded as a transition, byte for byte")
  func golden() throws {
    let place = try #require(Coordinate(latitude: 45.45259561, longitude: -14.01819414))
    let record = try Self.record(.entered, place: place, accuracy: 4.5)
    let text = written { OwnTracks.write(record, topic: "owntracks/anna/phone", into: &$0) }
    #expect(
      text
        == #"{"_type":"transition","event":"enter","desc":"Home","rid":"home","wtst":1587889774,"tst":1795163400,"lat":45.4525956,"lon":-14.0181941,"acc":5,"tid":"ne","t":"c","_id":"9f86d081884c7d65-17","topic":"owntracks/anna/phone/event"}"#
    )
  }

  @Test("entries and exits round-trip, and other events are not encoded", arguments: RegionEvent.Kind.allCases, [false, true])
  func back(_ kind: RegionEvent.Kind, _ isBeacon: Bool) throws {
    let record = try Self.record(kind, beacon: isBeacon)
    let isCarried = kind == .entered || kind == .exited
    #expect(OwnTracks.carries(record) == isCarried)
    var bytes: [UInt8] = []
    OwnTracks.write(record, topic: "owntracks/anna/phone", into: &bytes)
    guard isCarried else {
      #expect(bytes.isEmpty)
      return
    }
    #expect(try OwnTracks.type(bytes) == "transition")
    guard case .region(let event) = try OwnTracks.readTransition(bytes).kind else {
      Issue.record("no event")
      return
    }
    #expect(event.kind == kind && event.region.id == "home" && event.coordinate == nil)
    #expect(try parsed(String(decoding: bytes, as: UTF8.self))["t"] as? String == (isBeacon ? "b" : "c"))
  }

  @Test("a truncated or randomly changed transition never crashes")
  func survives() throws {
    var bytes: [UInt8] = []
    OwnTracks.write(
      try Self.record(.exited, place: Coordinate(latitude: 1, longitude: 2), accuracy: 5), topic: "owntracks/a/b", into: &bytes)
    let taken = acceptedMutations(bytes, changes: 20_000, seed: 9) { bytes in
      guard case .region(let event) = try OwnTracks.readTransition(bytes).kind else { return }
      #expect(!event.region.id.isEmpty && event.horizontalAccuracy ?? 0 >= 0)
    }
    #expect(taken > 0 && taken < 20_000)
  }

  @Test("the type of a message is reported", arguments: ["location", "transition", "cmd"])
  func types(_ type: String) throws {
    #expect(try OwnTracks.type(Array(#" {"a":[{"_type":"x"}],"_type":"\#(type)"} "#.utf8)) == type)
    #expect(throws: FormatError.self) { try OwnTracks.type(Array(#"{"a":1}"#.utf8)) }
    #expect(throws: FormatError.self) { try OwnTracks.type(Array(#"{"_type":"a"} x"#.utf8)) }
    #expect(throws: FormatError.self) { try OwnTracks.type(Array("[]".utf8)) }
  }
}
