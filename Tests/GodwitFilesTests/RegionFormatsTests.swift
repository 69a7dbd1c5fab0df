import Foundation
import GodwitFiles
import GodwitModel
import GodwitText
import GodwitWire
import TestTexts
import Testing

/// A format in which regions are exported and imported.
enum RegionFormat: String, Sendable, CaseIterable {
  case own = "regions"
  case geoJSON = "GeoJSON"
  case kml = "KML"
  case ownTracks = "OwnTracks"

  func written(_ regions: [Region]) -> [UInt8] {
    var bytes: [UInt8] = []
    switch self {
    case .own: RegionJSON.write(regions, into: &bytes)
    case .geoJSON: RegionGeoJSON.write(regions, into: &bytes)
    case .kml: RegionKML.write(regions, into: &bytes)
    case .ownTracks: OwnTracks.writeWaypoints(regions, into: &bytes)
    }
    return bytes
  }
}

@Suite("Regions in every format")
struct RegionFormatsTests {
  @Test("random regions round-trip", arguments: RegionFormat.allCases, [11, 12] as [UInt64])
  func roundTrip(_ expected: RegionFormat, _ seed: UInt64) throws {
    var random = RandomRegions(seed: seed)
    let regions = try (0..<150).map { _ in try random.next() }
    let found = try RegionFile.read(expected.written(regions))
    #expect(found.format == expected.rawValue && found.skippedCount == 0)
    #expect(found.regions.count == regions.count)
    for (read, region) in zip(found.regions, regions) where read != region {
      Issue.record("\(String(decoding: expected.written([region]), as: UTF8.self)) became \(read)")
    }
    #expect(expected.written(found.regions) == expected.written(regions))
  }

  /// One region of each shape, in a short text, so that a random change often hits a significant byte.
  private static func few() throws -> [Region] {
    try RegionJSON.read(
      Array(
        #"""
        [{"id":"a","name":"N","center":{"latitude":1,"longitude":2},"radius":5,"tags":["t"],"dwell":9,
          "schedule":{"windows":[{"days":["monday"],"from":"09:00","to":"17:00"}]},"extras":{"x":"y"}},
         {"id":"b","polygons":[[[[0,0],[9,0],[9,9]],[[5,2],[6,3],[7,2]]]],"extras":{"x":1}},
         {"id":"c","beacon":{"uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1}}]
        """#.utf8))
  }

  // RegionJSONTests has this test for the JSON of Godwit.
  @Test(
    "truncated or randomly changed input never crashes and never adds a region",
    arguments: [RegionFormat.geoJSON, .kml, .ownTracks])
  func survives(_ expected: RegionFormat) throws {
    let taken = acceptedMutations(expected.written(try Self.few()), changes: 20_000, seed: 3) { bytes in
      let found = try RegionFile.read(bytes, defaultRadius: 50)
      for region in found.regions { try region.check() }
      #expect(Set(found.regions.map(\.id)).count == found.regions.count)
    }
    #expect(taken > 0 && taken < 20_000)
  }

  /// A document of another program in each format.
  static let otherTexts: [(String, String)] = [
    (
      "GeoJSON",
      #"{"type":"FeatureCollection","name":"x","features":[{"type":"Feature","properties":{"title":"Park","fill":"red","rank":7,"uuid":"none"},"geometry":{"type":"Polygon","coordinates":[[[0,0],[0,1],[1,1],[0,0]]]}},{"type":"Feature","id":7,"properties":{"name":"Home","radius":"25","tags":"a, b,,a"},"geometry":{"type":"Point","coordinates":[1,2,300]}},{"type":"Feature","properties":null,"geometry":{"type":"Point","coordinates":[3,4]}}]}"#
    ),
    (
      "KML",
      """
      <?xml version="1.0" encoding="ISO-8859-2"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>All</name><Folder>
      <Placemark id="p1"><name>
        A &amp; B
      </name><description><![CDATA[<b>bold</b>
      text]]></description><styleUrl>#x</styleUrl>
      <MultiGeometry><Point><coordinates>0.2,0.2,0</coordinates></Point><Polygon><outerBoundaryIs><LinearRing><coordinates>
        0,0,5
        1,0,5
        1,1,5
        0,0,5
      </coordinates></LinearRing></outerBoundaryIs></Polygon></MultiGeometry></Placemark>
      <Placemark><name>Dot</name><ExtendedData><Data name="colour"><displayName>c</displayName><value>red</value></Data>
      <SchemaData schemaUrl="#s"><SimpleData name="radius"> 12.5 </SimpleData><SimpleData name="n">1</SimpleData></SchemaData></ExtendedData>
      <Point><coordinates>14.5,46</coordinates></Point></Placemark>
      <Placemark><Point><coordinates>14.6,46</coordinates></Point></Placemark>
      </Folder></Document></kml>
      """
    ),
    (
      "OwnTracks",
      #"{"_type":"waypoints","_creator":"x","waypoints":[{"_type":"waypoint","desc":"Home","lat":51.5,"lon":-0.1,"rad":100,"tst":1700000000},{"_type":"waypoint","desc":"Door:F7826DA6-4FA2-4E98-8024-BC5B71E0893E:1:2","lat":1,"lon":2,"rad":0,"tst":1700000001,"rid":"d"},{"_type":"waypoint","desc":"Far","lat":1,"lon":2,"rad":50,"tst":1700000002,"rid":"f","face":[1],"uuid":"","major":null}]}"#
    ),
  ]

  @Test("a document of another program is the same after import, export and import", arguments: otherTexts)
  func otherPrograms(_ format: String, _ text: String) throws {
    let first = try RegionFile.read(Array(text.utf8), defaultRadius: 30)
    #expect(first.format == format && first.regions.count == 3 && first.skippedCount == 0)
    // A second import gives the same regions, including the generated ids.
    #expect(try RegionFile.read(Array(text.utf8), defaultRadius: 30) == first)
    for expected in RegionFormat.allCases {
      let again = try RegionFile.read(expected.written(first.regions))
      #expect(again.regions == first.regions, "through \(expected)")
    }
  }

  @Test(
    "the format is detected by the content, whatever precedes it",
    arguments: [
      ("[]", "regions"), (" \n{\"regions\":[]}", "regions"), ("\u{FEFF}[]", "regions"),
      ("\u{FEFF}{\"features\":[],\"type\":\"FeatureCollection\"}", "GeoJSON"), (#"{"waypoints":[]}"#, "OwnTracks"),
      (#"[{"desc":"a","lat":1,"lon":2,"rad":3}]"#, "OwnTracks"), ("\u{FEFF}<kml/>", "KML"),
      ("<?xml version=\"1.0\"?>\n<k:kml xmlns:k=\"x\"/>", "KML"),
    ])
  func guessed(_ text: String, _ format: String) throws {
    #expect(try RegionFile.read(Array(text.utf8)).format == format)
  }

  @Test("a KML document in UTF-16 is read")
  func wide() throws {
    var bytes: [UInt8] = [0xFF, 0xFE]
    for unit in #"<kml><Placemark id="ž"><Point><coordinates>1,2</coordinates></Point></Placemark></kml>"#.utf16 {
      bytes += [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
    }
    #expect(try RegionFile.read(bytes, defaultRadius: 5).regions.map(\.id) == ["ž"])
  }

  @Test(
    "a file of another format is rejected, and the error names the format if it is known",
    arguments: [
      ([], "it is empty"), (Array("  ".utf8), "it is empty"), (Array("lat,lon\n".utf8), "it begins with \"lat,lon\\n\""),
      ([0x50, 0x4B, 0x03, 0x04, 0], "zip archive"), ([0x1F, 0x8B, 8], "gzip"),
      (Array("<gpx><trk/></gpx>".utf8), "the document is \"gpx\" and not kml"), (Array("<kml".utf8), "unclosed token"),
    ] as [([UInt8], String)])
  func rejected(_ bytes: [UInt8], _ reason: String) throws {
    let error = try #require(throws: FormatError.self) { try RegionFile.read(bytes, name: "my file.txt") }
    #expect(error.reason.contains(reason), "\(error)")
  }

  @Test("an import of fifty million bytes is rejected with the limit", arguments: ["[", "<kml>"])
  func tooLarge(_ beginning: String) throws {
    let bytes = Array(beginning.utf8) + [UInt8](repeating: 0x20, count: 50_000_000)
    let error = try #require(throws: FormatError.self) { try RegionFile.read(bytes, name: "big.json") }
    #expect(
      error.description
        == "big.json, byte 33554432: there are \(bytes.count) bytes; at most 33554432 are read at once; send it in parts")
  }

  @Test("too many regions are rejected at the first one above the limit", arguments: RegionFormat.allCases)
  func tooMany(_ expected: RegionFormat) throws {
    var random = RandomRegions(seed: 1)
    let regions = try (0..<4).map { _ in try random.next() }
    let error = try #require(throws: FormatError.self) {
      try RegionFile.read(expected.written(regions), limits: RegionFileLimits(count: 3))
    }
    #expect(error.reason.contains("more than 3 regions") && error.place.path?.contains("3") == true, "\(error)")
  }
}
