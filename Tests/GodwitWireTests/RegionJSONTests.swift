import Foundation
import GodwitModel
import GodwitText
import GodwitWire
import TestTexts
import Testing

@Suite("Regions in Godwit's JSON")
struct RegionJSONTests {
  private static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
  private static let circle = #""center":{"latitude":46.05,"longitude":14.5},"radius":100"#

  /// Canonical texts, which are encoded as they were decoded.
  static let canonicalTexts = [
    #"{"id":"home","name":"Home","center":{"latitude":46.05,"longitude":14.5},"radius":100,"tags":["a","b"],"dwell":300,"schedule":{"windows":[{"days":["monday","friday"],"from":"09:00","to":"17:30"},{"days":["sunday"],"from":"22:00","to":"24:00"}],"time_zone":"Europe/Ljubljana"},"extras":{"color":"red","n":[1,2]}}"#,
    #"{"id":"small","center":{"latitude":-0.000001,"longitude":1e-7},"radius":0.5}"#,
    #"{"id":"edge","center":{"latitude":90,"longitude":-180},"radius":1000000,"dwell":2592000}"#,
    #"{"id":"park","polygons":[[[[14.5,46],[14.6,46],[14.6,46.1],[14.5,46.1]],[[14.52,46.02],[14.55,46.02],[14.55,46.05]]],[[[0,0],[1,0],[0,1]]]]}"#,
    #"{"id":"door","name":"Dör \"1\"","beacon":{"uuid":"\#(uuid)","major":1,"minor":65535},"center":{"latitude":1,"longitude":2}}"#,
    #"{"id":"hall","beacon":{"uuid":"\#(uuid)"}}"#,
  ]

  @Test("a canonical text round-trips byte for byte", arguments: canonicalTexts)
  func unchanged(_ text: String) throws {
    let region = try #require(try RegionJSON.read(Array(text.utf8)).first)
    #expect(written { RegionJSON.write(region, into: &$0) } == text)
  }

  @Test("all members are decoded")
  func values() throws {
    let region = try #require(try RegionJSON.read(Array(Self.canonicalTexts[0].utf8)).first)
    #expect(region.id == "home" && region.name == "Home" && region.tags == ["a", "b"] && region.dwell == 300)
    let center = try #require(Coordinate(latitude: 46.05, longitude: 14.5))
    #expect(region.shape == .circle(Circle(center: center, radius: 100)))
    #expect(region.extras == #"{"color":"red","n":[1,2]}"#)
    let schedule = try #require(region.schedule)
    #expect(schedule.timeZone == "Europe/Ljubljana" && schedule.windows.count == 2)
    #expect(schedule.windows[0] == RegionSchedule.Window(days: [.monday, .friday], from: 540, to: 1050))
    #expect(schedule.windows[1] == RegionSchedule.Window(days: [.sunday], from: 1320, to: 1440))
  }

  @Test(
    "one region, an array of them, and an object with them are accepted",
    arguments: [
      #"{"id":"a",\#(circle)}"#, #" [ {"id":"a",\#(circle)} ] "#, "{\"regions\":\n[{\"id\":\"a\",\(circle)}]}",
      #"{"radius":100,"extras":{},"dwell":null,"revision":17,"tags":[],"id":"a","center":{"longitude":14.5,"latitude":46.05},"name":""}"#,
      #"{"i\u0064":"a",\#(circle)}"#,
    ])
  func documents(_ text: String) throws {
    let center = try #require(Coordinate(latitude: 46.05, longitude: 14.5))
    #expect(try RegionJSON.read(Array(text.utf8)) == [Region(id: "a", shape: .circle(Circle(center: center, radius: 100)))])
  }

  @Test("an empty list has no regions", arguments: ["[]", #"{"regions":[]}"#])
  func none(_ text: String) throws {
    #expect(try RegionJSON.read(Array(text.utf8)).isEmpty)
  }

  @Test("a last corner equal to the first is dropped, and so is white space in extras")
  func tidied() throws {
    let text = #"{"id":"p","polygons":[[[[0,0],[1,0],[0,1],[0,0]]]],"extras":{ "a b" : [ 1 , "\" {" ] }}"#
    let region = try #require(try RegionJSON.read(Array(text.utf8)).first)
    #expect(
      written { RegionJSON.write(region, into: &$0) }
        == #"{"id":"p","polygons":[[[[0,0],[1,0],[0,1]]]],"extras":{"a b":[1,"\" {"]}}"#)
  }

  /// A text, and the expected path, text at the byte, and part of the reason.
  struct Rejection: Sendable, CustomTestStringConvertible {
    var text: String
    var path: String?
    var at: String
    var reason: String
    var testDescription: String { "\(path ?? "-"): \(reason)" }

    /// - Parameter members: The members of a second region, after a valid one.
    init(_ members: String, _ path: String, at: String, _ reason: String) {
      text = #"{"regions":[{"id":"first",\#(circle)},{\#(members)}]}"#
      self.path = "regions[1]" + path
      self.at = at
      self.reason = reason
    }

    init(whole text: String, _ path: String?, at: String, _ reason: String) {
      (self.text, self.path, self.at, self.reason) = (text, path, at, reason)
    }
  }

  private static func round(_ latitude: String, _ longitude: String, _ radius: String) -> String {
    #""id":"x","center":{"latitude":\#(latitude),"longitude":\#(longitude)},"radius":\#(radius)"#
  }
  private static func scheduled(_ windows: String, _ rest: String = "") -> String {
    #""id":"x",\#(circle),"schedule":{"windows":\#(windows)\#(rest)}"#
  }

  static let rejections: [Rejection] = [
    Rejection(round("46", "14", "-1"), ".radius", at: "-1", "-1 is not a valid radius"),
    Rejection(round("46", "14", "0"), ".radius", at: "0}", "0 is not a valid radius"),
    Rejection(
      round("46", "14", "1e9"), ".radius", at: "1e9",
      "1e9 is not a valid radius; expected metres more than 0, at most 1000000"),
    Rejection(round("46", "14", "1e999"), ".radius", at: "1e999", "1e999 is not a valid radius"),
    Rejection(round("46", "14", "NaN"), ".radius", at: "NaN", "JSON has no NaN"),
    Rejection(round("46", "14", "Infinity"), ".radius", at: "Infinity", "JSON has no NaN and no Infinity"),
    Rejection(round("-Infinity", "14", "1"), ".center.latitude", at: "-Infinity", "JSON has no NaN and no Infinity"),
    Rejection(round("46", "181", "1"), ".center.longitude", at: "181", "longitude 181 is outside −180…180"),
    Rejection(round("-90.0001", "1", "1"), ".center.latitude", at: "-90.0001", "latitude -90.0001 is outside −90…90"),
    Rejection(round("\"46\"", "1", "1"), ".center.latitude", at: "\"46\"", "expected a number"),
    Rejection(round("null", "1", "1"), ".center.latitude", at: "null", "expected a number"),
    Rejection(#""id":"x","center":[14.5,46],"radius":1"#, ".center", at: "[14.5", "expected {\"latitude\":…"),
    Rejection(#""id":"x","center":{"lat":46,"lon":14},"radius":1"#, ".center.lat", at: "\"lat\"", "did you mean \"latitude\"?"),
    Rejection(#""id":"x","center":{"latitude":46},"radius":1"#, ".center", at: "{\"latitude\":46}", "a latitude and a longitude"),
    Rejection(
      #""id":"x",\#(circle),"radios":7"#, ".radios", at: "\"radios\"", "unknown field \"radios\"; did you mean \"radius\"?"),
    Rejection(#""id":"x",\#(circle),"colour":7"#, ".colour", at: "\"colour\"", "unknown field \"colour\""),
    Rejection(
      #""id":"x",\#(circle),"deleted":true"#, ".deleted", at: "{\"id\":\"x\"",
      "a deleted region is not expected "
        + "here; remove it"),
    Rejection(#""id":"x",\#(circle),"id":"y""#, ".id", at: "\"id\":\"y\"", "given twice"),
    Rejection(#""id":"first",\#(circle)"#, ".id", at: "{\"id\":\"first\",\(circle)}]", "already used by regions[0]"),
    Rejection(circle, ".id", at: "{\"center\"", "a region needs an id"),
    Rejection(#""id":"",\#(circle)"#, ".id", at: "\"\"", "1 to 128 characters"),
    Rejection(#""id":null,\#(circle)"#, ".id", at: "null", "expected a string"),
    Rejection(#""id":17,\#(circle)"#, ".id", at: "17", "expected a string"),
    Rejection(#""id":"a\u0007b",\#(circle)"#, ".id", at: "\"a\\u0007b\"", "none of them a control character"),
    Rejection(#""id":"a\u0085b",\#(circle)"#, ".id", at: "\"a\\u0085b\"", "none of them a control character"),
    Rejection(
      #""id":"\#(String(repeating: "é", count: 129))",\#(circle)"#, ".id", at: "\"éé", "1 to 128 characters"),
    Rejection(
      #""id":"x","name":"\#(String(repeating: "n", count: 257))",\#(circle)"#, ".name", at: "\"nn", "at most 256 characters"),
    Rejection(#""id":"x""#, "", at: "{\"id\":\"x\"}", "needs a center and a radius, polygons, or a beacon"),
    Rejection(#""id":"x","radius":5"#, "", at: "{\"id\":\"x\"", "a circle needs a center"),
    Rejection(#""id":"x","center":{"latitude":1,"longitude":2}"#, "", at: "{\"id\":\"x\"", "a circle needs a radius"),
    Rejection(#""id":"x",\#(circle),"beacon":{"uuid":"\#(uuid)"}"#, "", at: "{\"id\":\"x\"", "one shape"),
    Rejection(
      #""id":"x","polygons":[[[[0,0],[1,0],[0,1]]]],"center":{"latitude":1,"longitude":2}"#, "", at: "{\"id\":\"x\"",
      "polygons have no center"),
    Rejection(#""id":"x","polygons":[]"#, ".polygons", at: "[]", "no polygon"),
    Rejection(#""id":"x","polygons":[[]]"#, ".polygons[0]", at: "[]]", "outer ring"),
    Rejection(#""id":"x","polygons":[[[[0,0],[1,0]]]]"#, ".polygons[0][0][0]", at: "[0,0]", "needs at least 3 corners"),
    Rejection(
      #""id":"x","polygons":[[[[0,0],[9,0],[0,9]]],[[[0,0],[1,0],[0,1]],[[0.1,0.1],[0.1,91]]]]"#, ".polygons[1][1][1][1]",
      at: "91]", "latitude 91 is outside"),
    Rejection(#""id":"x","polygons":[[[[0,0],[1],[0,1]]]]"#, ".polygons[0][0][1]", at: "[1]", "expected [longitude, latitude]"),
    Rejection(#""id":"x","polygons":[[[[0,0],[1,2,3,4]]]]"#, ".polygons[0][0][1][3]", at: "4]", "two or three numbers"),
    Rejection(#""id":"x","polygons":[[[0,0],[1,0]]]"#, ".polygons[0][0][0]", at: "0,0", "expected an array"),
    Rejection(
      #""id":"x","polygons":[[[[0,0],[1,1],[1,0],[0,1]]]]"#, ".polygons[0][0][2]", at: "[1,0],[0,1]",
      "the edge from corner 2 of the outer ring meets the edge from corner 0"),
    Rejection(
      #""id":"x","polygons":[[[[0,0],[9,0],[0,9]],[[20,1],[21,1],[20,2]]]]"#, ".polygons[0][1][0]", at: "[20,1]",
      "corner 0 of hole 1 is not inside the outer ring"),
    Rejection(
      #""id":"x","polygons":[[[[0,0],[9,0],[0,9]]],[[[0,0],[1,0], [2,0] ]]]"#, ".polygons[1][0][0]", at: "[0,0],[1,0], ",
      "has no area"),
    Rejection(#""id":"x","polygons":[[[[0,0],[90,0],[0,60]]]]"#, ".polygons[0][0][1]", at: "[90,0]", "is 5000 km"),
    Rejection(#""id":"x","polygons":[[[[0,0],[1,0],[1,1],[1,0]]]]"#, ".polygons[0][0][3]", at: "[1,0]]", "the same place"),
    Rejection(#""id":"x","beacon":{"uuid":"F7826DA6"}"#, ".beacon.uuid", at: "\"F7826DA6\"", "\"F7826DA6\" is not a UUID"),
    Rejection(#""id":"x","beacon":{"major":1}"#, ".beacon", at: "{\"major\"", "needs a uuid"),
    Rejection(#""id":"x","beacon":{"uuid":"\#(uuid)","minor":1}"#, ".beacon.minor", at: "{\"uuid\"", "needs a major one"),
    Rejection(#""id":"x","beacon":{"uuid":"\#(uuid)","major":65536}"#, ".beacon.major", at: "65536", "0 to 65535"),
    Rejection(#""id":"x","beacon":{"uuid":"\#(uuid)","major":1.5}"#, ".beacon.major", at: "1.5", "0 to 65535"),
    Rejection(#""id":"x",\#(circle),"dwell":0"#, ".dwell", at: "0}]", "0 is not a valid dwell time"),
    Rejection(#""id":"x",\#(circle),"dwell":2592001"#, ".dwell", at: "2592001", "(30 days)"),
    Rejection(#""id":"x",\#(circle),"tags":"a,b""#, ".tags", at: "\"a,b\"", "expected an array"),
    Rejection(#""id":"x",\#(circle),"tags":["a",""]"#, ".tags[1]", at: "\"\"]", "1 to 64 characters"),
    Rejection(#""id":"x",\#(circle),"tags":["a","b","a"]"#, ".tags[2]", at: "\"a\"]}]", "given twice"),
    Rejection(
      #""id":"x",\#(circle),"tags":["\#(String(repeating: "t", count: 65))"]"#, ".tags[0]", at: "\"tt", "1 to 64 characters"),
    Rejection(
      #""id":"x",\#(circle),"tags":[\#((0...64).map { "\"t\($0)\"" }.joined(separator: ","))]"#, ".tags[64]", at: "\"t64\"",
      "at most 64 tags"),
    Rejection(#""id":"x",\#(circle),"extras":[1]"#, ".extras", at: "[1]", "expected an object"),
    Rejection(
      #""id":"x",\#(circle),"extras":{"a":"\#(String(repeating: "x", count: 65530))"}"#, ".extras", at: "{\"a\"",
      "at most 65536 bytes"),
    Rejection(scheduled("[]"), ".schedule.windows", at: "{\"windows\"", "at least one window"),
    Rejection(
      scheduled(#"[{"from":"25:00","to":"26:00"}]"#), ".schedule.windows[0].from", at: "\"25:00\"", "not a time of the day"),
    Rejection(
      scheduled(#"[{"from":"24:00","to":"24:00"}]"#), ".schedule.windows[0].from", at: "\"24:00\"", "not a time of the day"),
    Rejection(scheduled(#"[{"from":"9:00","to":"10:00"}]"#), ".schedule.windows[0].from", at: "\"9:00\"", "such as \"09:30\""),
    Rejection(
      scheduled(#"[{"from":"09:00","to":"09:60"}]"#), ".schedule.windows[0].to", at: "\"09:60\"", "not a time of the day"),
    Rejection(
      scheduled(#"[{"from":"09:00","to":"24:01"}]"#), ".schedule.windows[0].to", at: "\"24:01\"", "not a time of the day"),
    Rejection(scheduled(#"[{"from":"09:00"}]"#), ".schedule.windows[0]", at: "{\"from\"", "needs from and to"),
    Rejection(
      scheduled(#"[{"days":["mon"],"from":"09:00","to":"10:00"}]"#), ".schedule.windows[0].days[0]", at: "\"mon\"",
      "did you mean \"monday\"?"),
    Rejection(
      scheduled(#"[{"days":[],"from":"09:00","to":"10:00"}]"#), ".schedule.windows[0].days", at: "[],", "at least one day"),
    Rejection(
      scheduled(#"[{"from":"09:00","to":"10:00"}]"#, #","time_zone":"Mars/Olympus""#), ".schedule.time_zone",
      at: "\"Mars/Olympus\"", "not a valid time zone"),
    Rejection(whole: "", nil, at: "", "the text is empty"),
    Rejection(whole: "hello", nil, at: "hello", "expected a region"),
    Rejection(whole: "[1]", "regions[0]", at: "1", "expected a region: an object"),
    Rejection(whole: "{\"regions\":7}", "regions", at: "7", "expected an array of regions"),
    Rejection(whole: "{\"regions\":[],\"cursor\":1}", nil, at: "\"cursor\"", "unknown field \"cursor\""),
    Rejection(whole: "[] []", nil, at: "[]", "there is text after"),
    Rejection(whole: #"{"id":"x","radius":-1}"#, "radius", at: "-1", "-1 is not a valid radius"),
    Rejection(whole: #"[{"id":"x",]"#, "regions[0]", at: "]", "expected a string"),
  ]

  @Test("invalid input is rejected with its path, its byte and the reason", arguments: rejections)
  func rejected(_ rejection: Rejection) throws {
    let bytes = Array(rejection.text.utf8)
    do {
      let regions = try RegionJSON.read(bytes)
      Issue.record("\(regions)")
    } catch {
      #expect(error.format == "regions" && error.place.path == rejection.path && error.place.line == nil)
      #expect(error.reason.contains(rejection.reason), "\(error)")
      #expect(bytes.dropFirst(error.place.byte).starts(with: rejection.at.utf8), "\(error)")
    }
  }

  @Test("the line is in the error of a text with several lines")
  func line() throws {
    let text = "[\n{\"id\":\"a\",\(Self.circle)},\n{\"id\":\"b\",\n\"radius\":-1}]"
    let error = try #require(throws: FormatError.self) { try RegionJSON.read(Array(text.utf8)) }
    #expect(error.place.line == 4 && "\(error)".hasPrefix("regions, regions[1].radius, line 4, byte 9"))
  }

  @Test("input over a limit is rejected as a whole, with the limit")
  func limits() throws {
    let one = #"{"id":"a",\#(Self.circle)}"#
    let bytes = try #require(throws: FormatError.self) {
      try RegionJSON.read(Array(one.utf8), limits: RegionFileLimits(bytes: one.utf8.count - 1))
    }
    #expect(
      bytes.reason == "there are \(one.utf8.count) bytes; at most \(one.utf8.count - 1) are read at once; send it in parts")
    #expect(try RegionJSON.read(Array(one.utf8), limits: RegionFileLimits(bytes: one.utf8.count)).count == 1)
    let large = [UInt8](repeating: 0x20, count: 50_000_000)
    let rejected = try #require(throws: FormatError.self) { try RegionJSON.read(large) }
    #expect(rejected.reason.contains("50000000 bytes; at most 33554432"))
    let two = "[\(one),\(one.replacing("\"a\"", with: "\"b\""))]"
    let count = try #require(throws: FormatError.self) {
      try RegionJSON.read(Array(two.utf8), limits: RegionFileLimits(count: 1))
    }
    #expect(count.place.path == "regions[1]" && count.reason.contains("more than 1 regions"))
  }

  @Test("a region whose id is in the path needs no id, and must not have another one")
  func named() throws {
    #expect(try RegionJSON.read(Array("{\(Self.circle)}".utf8), id: "home").id == "home")
    #expect(try RegionJSON.read(Array(#"{"id":"home",\#(Self.circle)}"#.utf8), id: "home").id == "home")
    let other = try #require(throws: FormatError.self) {
      try RegionJSON.read(Array(#"{"id":"away",\#(Self.circle)}"#.utf8), id: "home")
    }
    #expect(other.place.path == "id" && other.reason == #"the id is "away", expected "home""#)
    let empty = try #require(throws: FormatError.self) { try RegionJSON.read(Array("{\(Self.circle)}".utf8), id: "") }
    #expect(empty.place.path == "id")
  }

  @Test("stored text is read without errors for members of a newer version")
  func stored() throws {
    let text =
      #"{"id":"a",\#(Self.circle),"layer":{"x":[1]},"schedule":{"windows":[{"from":"00:00","to":"00:00","x":1}],"time_zone":"New/Zone"}}"#
    let region = try RegionJSON.readStored(Array(text.utf8))
    #expect(region.schedule?.timeZone == "New/Zone" && region.schedule?.windows.first?.to == 1440)
    #expect(throws: FormatError.self) { try RegionJSON.readStored(Array(#"{"id":"a","radius":-1}"#.utf8)) }
  }

  @Test("random regions round-trip, alone and in a list", arguments: [1, 2, 3] as [UInt64])
  func roundTrip(_ seed: UInt64) throws {
    var random = RandomRegions(seed: seed)
    let regions = try (0..<300).map { _ in try random.next() }
    var bytes: [UInt8] = []
    RegionJSON.write(regions, into: &bytes)
    #expect(try RegionJSON.read(bytes) == regions)
    for region in regions {
      let text = written { RegionJSON.write(region, into: &$0) }
      let read = try RegionJSON.readStored(Array(text.utf8))
      #expect(read == region && RegionJSON.canonicalBytes(of: read) == Array("\(region.id)\0\(text)".utf8))
      _ = try parsed(text)
    }
  }

  @Test("any text is valid JSON and round-trips", arguments: textsToEscape)
  func hostile(_ hostile: String) throws {
    let center = try #require(Coordinate(latitude: 1, longitude: 2))
    var region = Region(id: "x", name: String(hostile.prefix(200)), shape: .circle(Circle(center: center, radius: 1)))
    let text = written { RegionJSON.write(region, into: &$0) }
    #expect(try parsed(text)["name"] as? String == region.name)
    #expect(try RegionJSON.readStored(Array(text.utf8)) == region)
    region.extras = hostile
    #expect(try parsed(written { RegionJSON.write(region, into: &$0) })["extras"] == nil)
  }

  @Test(
    "numbers have the fewest digits that round-trip, in the form of ECMAScript",
    arguments: [
      (1, "1"), (0.1, "0.1"), (14.018194094, "14.018194094"), (100_000, "100000"), (0.0001, "0.0001"), (0.00001234, "0.00001234"),
      (0.000001, "0.000001"), (1.5e-7, "1.5e-7"), (1e-7, "1e-7"), (0.30000000000000004, "0.30000000000000004"),
      (333333.33333333329, "333333.3333333333"),
    ] as [(Double, String)])
  func numbers(_ value: Double, _ text: String) throws {
    let center = try #require(Coordinate(latitude: 0, longitude: -0.0))
    let region = Region(id: "x", shape: .circle(Circle(center: center, radius: value)))
    #expect(
      written { RegionJSON.write(region, into: &$0) }
        == #"{"id":"x","center":{"latitude":0,"longitude":0},"radius":\#(text)}"#)
  }

  @Test(
    "truncated or randomly changed input never crashes and never adds a region", arguments: [1, 2, 3, 4] as [UInt64])
  func survives(_ seed: UInt64) throws {
    let whole = Array("{\"regions\":[\(Self.canonicalTexts.joined(separator: ",\n"))]}".utf8)
    let taken = acceptedMutations(whole, changes: 5000, seed: seed) { bytes in
      for region in try RegionJSON.read(bytes) {
        if case .circle(let circle) = region.shape { #expect(circle.radius > 0 && circle.radius <= 1_000_000) }
        #expect(!region.id.isEmpty)
        // A decoded region round-trips.
        let text = written { RegionJSON.write(region, into: &$0) }
        #expect(try RegionJSON.read(Array(text.utf8)) == [region])
      }
    }
    #expect(taken > 0 && taken < 5000)
  }
}
