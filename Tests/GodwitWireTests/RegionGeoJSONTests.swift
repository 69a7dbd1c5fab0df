import GodwitModel
import GodwitText
import GodwitWire
import TestTexts
import Testing

@Suite("Regions in GeoJSON")
struct RegionGeoJSONTests {
  private static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
  private static let point = #"{"type":"Point","coordinates":[14.5,46.05]}"#

  private static func feature(_ properties: String, _ geometry: String, _ rest: String = "") -> String {
    #"{"type":"FeatureCollection","features":[{"type":"Feature"\#(rest),"geometry":\#(geometry),"properties":{\#(properties)}}]}"#
  }

  private func read(_ text: String) throws -> [Region] { try RegionGeoJSON.read(Array(text.utf8)).regions }

  @Test("regions of each shape are decoded and encoded byte for byte")
  func golden() throws {
    let text =
      "{\"type\":\"FeatureCollection\",\"features\":[\n"
      + #"{"type":"Feature","id":"home","geometry":{"type":"Point","coordinates":[14.5,46.05]},"properties":{"name":"Home","radius":100,"tags":["a"],"dwell":300,"schedule":{"windows":[{"days":["monday"],"from":"09:00","to":"17:00"}]},"fill":"red","rank":7}}"#
      + ",\n"
      + #"{"type":"Feature","id":"park","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]],[[0.5,0.2],[0.7,0.4],[0.8,0.2],[0.5,0.2]]]},"properties":{"name":""}}"#
      + ",\n"
      + #"{"type":"Feature","id":"two","geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]],[[[5,5],[6,5],[5,6],[5,5]]]]},"properties":{"name":""}}"#
      + ",\n"
      + #"{"type":"Feature","id":"door","geometry":{"type":"Point","coordinates":[14.5,46.05]},"properties":{"name":"Door","uuid":"\#(Self.uuid)","major":1,"minor":2}}"#
      + ",\n"
      + #"{"type":"Feature","id":"hall","geometry":null,"properties":{"name":"","uuid":"\#(Self.uuid)"}}"# + "\n]}\n"
    let regions = try read(text)
    #expect(written { RegionGeoJSON.write(regions, into: &$0) } == text)
    #expect(regions[0].dwell == 300 && regions[0].extras == #"{"fill":"red","rank":7}"#)
    guard case .polygons(let area) = regions[1].shape else { throw Unexpected(regions[1]) }
    #expect(area.polygons[0].rings.map(\.count) == [3, 3])
  }

  struct Unexpected: Error {
    var region: Region
    init(_ region: Region) { self.region = region }
  }

  @Test("rings are encoded with the orientation of RFC 7946, and keep their first corner")
  func winding() throws {
    for clockwise in ["[[0,0],[0,1],[1,1],[0,0]]", "[[179,0],[179,1],[-179,1],[179,0]]"] {
      let text = Self.feature("", #"{"type":"Polygon","coordinates":[\#(clockwise)]}"#, #","id":"p""#)
      let regions = try read(text)
      let out = written { RegionGeoJSON.write(regions, into: &$0) }
      #expect(out.contains("[[[0,0],[1,1],[0,1],[0,0]]]") || out.contains("[[[179,0],[-179,1],[179,1],[179,0]]]"), "\(out)")
      #expect(try read(out) == regions)
    }
  }

  @Test(
    "an id is that of the feature, or of the properties, or is computed from the contents",
    arguments: [
      (#","id":"f""#, #""id":"p","#, "f"), (#","id":17"#, "", "17"), ("", #""id":"p","#, "p"), ("", #""id":5,"#, "5"),
      (#","id":null"#, #""id":"p","#, "p"), ("", "", "shape-af6b9d1e5cd2d1a6"),
    ])
  func ids(_ member: String, _ property: String, _ id: String) throws {
    let region = try #require(try read(Self.feature(property + #""name":"n","radius":5"#, Self.point, member)).first)
    if id.hasPrefix("shape-") {
      #expect(region.id.hasPrefix("shape-") && region.id.utf8.count == 22)
      let other = try read(Self.feature(#""name":"m","radius":5"#, Self.point))
      let larger = try read(Self.feature(#""name":"n","radius":6"#, Self.point))
      let tagged = try read(Self.feature(#""name":"n","radius":5,"tags":["x"],"colour":1"#, Self.point))
      #expect(other[0].id != region.id && larger[0].id != region.id && tagged[0].id == region.id)
    } else {
      #expect(region.id == id)
    }
  }

  @Test("a single feature or geometry is decoded, and the reference system may be WGS 84")
  func alone() throws {
    let area = #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#
    #expect(try read(area).count == 1)
    #expect(try read(#"{"type":"Feature","properties":{"radius":5},"geometry":\#(Self.point)}"#).count == 1)
    #expect(try RegionGeoJSON.read(Array(Self.point.utf8), defaultRadius: 75).regions.first?.shape.enclosingCircle?.radius == 75)
    let named = Self.feature(#""radius":5"#, Self.point).replacing(
      #""features":"#, with: #""crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}},"features":"#)
    #expect(try read(named).count == 1)
    let other = try #require(throws: FormatError.self) { try read(named.replacing("CRS84", with: "EPSG::3857")) }
    #expect(other.place.path == "crs" && other.reason.contains("another system than WGS 84"))
  }

  @Test(
    "a point with a radius is a circle even with a uuid, and unknown members are kept",
    arguments: [
      (#""radius":5,"uuid":"\#(uuid)","major":7"#, #"{"uuid":"\#(uuid)","major":7}"#),
      (#""radius":5,"title":"T","name":"N""#, #"{"title":"T"}"#), (#""radius":5,"tags":{"a":"b"}"#, #"{"tags":{"a":"b"}}"#),
      (#""radius":5,"schedule":"Mo-Fr""#, #"{"schedule":"Mo-Fr"}"#), (#""radius":5,"x":null"#, #"{"x":null}"#),
      (#""radius":5,"extras":{"a":1}"#, #"{"a":1}"#), (#""radius":5,"extras":{"a":1},"b":2"#, #"{"b":2,"extras":{"a":1}}"#),
    ])
  func kept(_ properties: String, _ extras: String) throws {
    let region = try #require(try read(Self.feature(properties, Self.point)).first)
    #expect(region.extras == extras && region.shape.enclosingCircle?.radius == 5)
    #expect(try read(written { RegionGeoJSON.write([region], into: &$0) }) == [region])
  }

  @Test(
    "a feature that is not a region is skipped, with the reason",
    arguments: [
      (feature("", #"{"type":"LineString","coordinates":[[0,0],[1,1]]}"#), "LineString is not a region"),
      (feature("", "null"), "neither a geometry nor a beacon's uuid"),
      (feature("", #"{"type":"GeometryCollection","geometries":[]}"#), "GeometryCollection is not a region"),
    ])
  func skipped(_ text: String, _ reason: String) throws {
    let found = try RegionGeoJSON.read(Array(text.utf8))
    #expect(found.regions.isEmpty && found.skippedCount == 1)
    #expect(found.skipped.first?.place.path == "features[0]" && found.skipped.first?.reason.contains(reason) == true)
  }

  @Test("an identical region is skipped, and another one with the same id is rejected")
  func twice() throws {
    let one = #"{"type":"Feature","properties":{"radius":5},"geometry":\#(Self.point)}"#
    let found = try RegionGeoJSON.read(Array(#"{"type":"FeatureCollection","features":[\#(one),\#(one)]}"#.utf8))
    #expect(found.regions.count == 1 && found.skipped.first?.place.path == "features[1]")
    let named = one.replacing(#""properties""#, with: #""id":"a","properties""#)
    let error = try #require(throws: FormatError.self) {
      try read(#"{"type":"FeatureCollection","features":[\#(named),\#(named)]}"#)
    }
    #expect(error.place.path == "features[1].id" && error.reason.contains("already used by features[0]"))
  }

  @Test(
    "invalid input is rejected with its position",
    arguments: [
      (feature("", point), "features[0].properties.radius", "a point needs a radius in metres"),
      (feature(#""radius":-1"#, point), "features[0].properties.radius", "-1 is not a valid radius"),
      (feature(#""radius":"many""#, point), "features[0].properties.radius", "expected a number"),
      (
        feature(#""radius":5,"tags":"\#(String(repeating: "t", count: 65))""#, point), "features[0].properties.tags",
        "not a valid tag"
      ),
      (feature(#""dwell":-3,"radius":5"#, point), "features[0].properties.dwell", "-3 is not a valid dwell time"),
      (feature(#""schedule":{"windows":[]},"radius":5"#, point), "features[0].properties.schedule.windows", "at least one"),
      (feature(#""uuid":"\#(uuid)","major":70000"#, point), "features[0].properties.major", "0 to 65535"),
      (feature(#""uuid":"\#(uuid)","minor":7"#, point), "features[0].properties.minor", "needs a major one"),
      (feature(#""radius":5"#, point, #","id":"""#), "features[0].id", "1 to 128 characters"),
      (
        feature("", #"{"type":"Point","coordinates":[181,0]}"#), "features[0].geometry.coordinates[0]",
        "longitude 181 is outside"
      ),
      (
        feature("", #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1]]]}"#), "features[0].geometry.coordinates[0][2]",
        "not closed"
      ),
      (
        feature("", #"{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}"#),
        "features[0].geometry.coordinates[0][2]", "meets the edge"
      ),
      (
        feature("", #"{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]],[[[0,0],[1,0],[0,0]]]]}"#),
        "features[0].geometry.coordinates[1][0][0]", "needs at least 3 corners"
      ),
      (feature("", #"{"type":"Circle","coordinates":[0,0]}"#), "features[0].geometry.type", "not a geometry of GeoJSON"),
      (feature("", #"{"type":"Point"}"#), "features[0].geometry.coordinates", "there are no coordinates"),
      (#"{"type":"FeatureCollection"}"#, "features", "there are no features"),
      (#"{"type":"FeatureCollection","features":[{"type":"Point"}]}"#, "features[0].type", "expected a Feature"),
      (#"{"features":[]}"#, "type", "there is no type"),
      (feature(#""a":"\#(String(repeating: "x", count: 65_536))","radius":5"#, point), "features[0].properties", "65536 bytes"),
    ])
  func rejected(_ text: String, _ path: String, _ reason: String) throws {
    let error = try #require(throws: FormatError.self) { try read(text) }
    #expect(error.format == "GeoJSON" && error.place.path == path && error.reason.contains(reason), "\(error)")
  }
}
