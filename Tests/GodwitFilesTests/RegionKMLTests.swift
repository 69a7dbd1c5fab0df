import GodwitFiles
import GodwitModel
import GodwitText
import GodwitWire
import TestTexts
import Testing

@Suite("Regions in KML")
struct RegionKMLTests {
  private static func document(_ placemarks: String) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document>\n\(placemarks)</Document></kml>\n"
  }

  private func read(_ text: String) throws -> [Region] { try RegionKML.read(Array(text.utf8)).regions }

  @Test("regions of each shape are read and written as expected, byte for byte")
  func golden() throws {
    let text = Self.document(
      #"<Placemark><name>Home &amp; "garden"</name><description>two&#10;lines</description><ExtendedData><Data name="id"><value>home</value></Data><Data name="radius"><value>100</value></Data><Data name="tags"><value>a,b</value></Data><Data name="dwell"><value>300</value></Data><Data name="schedule"><value>{"windows":[{"days":["monday"],"from":"09:00","to":"17:00"}]}</value></Data><Data name="colour"><value>red</value></Data></ExtendedData><Point><coordinates>14.5,46.05</coordinates></Point></Placemark>"#
        .replacing("\"garden\"", with: "&quot;garden&quot;")
        .replacing(
          #"{"windows":[{"days":["monday"],"from":"09:00","to":"17:00"}]}"#,
          with:
            "{&quot;windows&quot;:[{&quot;days&quot;:[&quot;monday&quot;],&quot;from&quot;:&quot;09:00&quot;,&quot;to&quot;:&quot;17:00&quot;}]}"
        )
        + "\n"
        + #"<Placemark><ExtendedData><Data name="id"><value>park</value></Data></ExtendedData><Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 1,0 1,1 0,0</coordinates></LinearRing></outerBoundaryIs><innerBoundaryIs><LinearRing><coordinates>0.5,0.2 0.7,0.4 0.8,0.2 0.5,0.2</coordinates></LinearRing></innerBoundaryIs></Polygon></Placemark>"#
        + "\n"
        + #"<Placemark><ExtendedData><Data name="id"><value>two</value></Data></ExtendedData><MultiGeometry><Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 1,0 1,1 0,0</coordinates></LinearRing></outerBoundaryIs></Polygon><Polygon><outerBoundaryIs><LinearRing><coordinates>5,5 6,5 5,6 5,5</coordinates></LinearRing></outerBoundaryIs></Polygon></MultiGeometry></Placemark>"#
        + "\n"
        + #"<Placemark><name>Door</name><ExtendedData><Data name="id"><value>door</value></Data><Data name="uuid"><value>F7826DA6-4FA2-4E98-8024-BC5B71E0893E</value></Data><Data name="major"><value>1</value></Data><Data name="minor"><value>2</value></Data></ExtendedData><Point><coordinates>14.5,46.05</coordinates></Point></Placemark>"#
        + "\n")
    let regions = try read(text)
    #expect(written { RegionKML.write(regions, into: &$0) } == text)
    #expect(regions[0].name == "Home & \"garden\"" && regions[0].tags == ["a", "b"] && regions[0].dwell == 300)
    #expect(regions[0].extras == #"{"colour":"red","description":"two\nlines"}"#)
    #expect(regions[0].schedule?.windows.first?.days == [.monday])
    #expect(regions[3].shape.beacon?.identity.minor == 2 && regions[3].shape.center?.latitude == 46.05)
  }

  @Test("tags with commas round-trip", arguments: [["a,b"], ["[x"], [" a"], ["a", "b c", "é"]])
  func tags(_ tags: [String]) throws {
    let center = try #require(Coordinate(latitude: 1, longitude: 2))
    let region = Region(id: "x", shape: .circle(Circle(center: center, radius: 1)), tags: tags)
    #expect(try read(written { RegionKML.write([region], into: &$0) }) == [region])
  }

  @Test("any text leaves the document well-formed", arguments: textsToEscape)
  func hostile(_ hostile: String) throws {
    let center = try #require(Coordinate(latitude: 1, longitude: 2))
    var region = Region(id: "x", name: String(hostile.prefix(200)), shape: .circle(Circle(center: center, radius: 1)))
    region.extras = written { bytes in
      bytes.append(UInt8(ascii: "{"))
      bytes += Array("\"a\":".utf8)
      bytes += Array(quoted(hostile).utf8)
      bytes.append(UInt8(ascii: "}"))
    }
    let back = try #require(try read(written { RegionKML.write([region], into: &$0) }).first)
    #expect(back.extras == region.extras)
    // XML cannot represent control characters.
    #expect(
      back.name
        == String(
          String.UnicodeScalarView(region.name.unicodeScalars.filter { $0.value >= 0x20 || "\t\n\r".unicodeScalars.contains($0) })
        ))
  }

  private func quoted(_ text: String) -> String {
    written {
      RegionJSON.write(
        Region(id: text, shape: .beacon(Beacon(identity: BeaconIdentity(uuid: ProximityUUID(high: 0, low: 0))))), into: &$0)
    }
    .replacing(#"{"id":"#, with: "").replacing(#","beacon":{"uuid":"00000000-0000-0000-0000-000000000000"}}"#, with: "")
  }

  @Test("a placemark that is not a region is skipped, with its line and the reason")
  func skipped() throws {
    let found = try RegionKML.read(
      Array(
        Self.document(
          """
          <Placemark><LineString><coordinates>0,0 1,1</coordinates></LineString></Placemark>
          <Placemark><name>nothing</name></Placemark>
          <Placemark><MultiGeometry><Point><coordinates>0,0</coordinates></Point><Point><coordinates>0,1</coordinates></Point></MultiGeometry></Placemark>
          <Placemark><Point><coordinates>0,0</coordinates></Point></Placemark>

          """
        ).utf8), defaultRadius: 20)
    #expect(found.regions.count == 1 && found.skippedCount == 3)
    #expect(
      found.skipped.map(\.place.line) == [3, 4, 5] && found.skipped.map(\.place.path) == (0..<3).map { "Placemark[\($0)]" })
    #expect(found.skipped[0].reason.hasPrefix("LineString is not a region"))
  }

  @Test(
    "invalid regions are rejected with their line and position",
    arguments: [
      ("<Point><coordinates>0,0</coordinates></Point>", 3, "Placemark[0].ExtendedData.radius", "needs a radius in metres"),
      ("<Point><coordinates>\n181,0</coordinates></Point>", 4, "Placemark[0].Point[0]", "longitude 181.0 is outside −180…180"),
      ("<Point><coordinates>NaN,0</coordinates></Point>", 3, "Placemark[0].Point[0]", "\"NaN,0\" is not a valid position"),
      ("<Point><coordinates>1, 2</coordinates></Point>", 3, "Placemark[0].Point[0]", "without spaces"),
      ("<Point><coordinates>1,2 3,4</coordinates></Point>", 3, "Placemark[0].Point", "a Point has one position; this one has 2"),
      (
        "<Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 1,0\n1,1</coordinates></LinearRing></outerBoundaryIs></Polygon>",
        4,
        "Placemark[0].LinearRing", "at least 4 positions"
      ),
      (
        "<Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 1,0\n1,1 0,1</coordinates></LinearRing></outerBoundaryIs></Polygon>",
        4, "Placemark[0].LinearRing", "not closed"
      ),
      (
        "<Polygon><outerBoundaryIs><LinearRing><coordinates>\n0,0\n1,1\n1,0\n0,1\n0,0</coordinates></LinearRing></outerBoundaryIs></Polygon>",
        6, "Placemark[0].Polygon", "meets the edge"
      ),
      ("<Polygon></Polygon>", 3, "Placemark[0].Polygon", "one outer boundary; this one has 0"),
      (
        "\n<ExtendedData><Data name=\"radius\"><value>-1</value></Data></ExtendedData><Point><coordinates>0,0</coordinates></Point>",
        4, "Placemark[0].ExtendedData.radius", "is not a valid radius"
      ),
      (
        "<ExtendedData><Data name=\"dwell\"><value>x</value></Data></ExtendedData>", 3, "Placemark[0].ExtendedData.dwell",
        "a number"
      ),
      (
        "<ExtendedData><Data name=\"schedule\"><value>{\"windows\":[]}</value></Data></ExtendedData>", 3,
        "Placemark[0].ExtendedData.schedule.windows", "at least one window"
      ),
      (
        "<ExtendedData><Data name=\"schedule\"><value>{} , \"id\":1</value></Data></ExtendedData>", 3,
        "Placemark[0].ExtendedData.schedule.windows", "at least one window"
      ),
      ("<name>\(String(repeating: "n", count: 257))</name>", 3, "Placemark[0].name", "at most 256 characters"),
      ("<Placemark/>", 3, nil, "a Placemark inside a Placemark"), ("\n</Point>", 4, nil, "mismatched tag"),
      ("&unknown;", 3, nil, "undefined entity"),
    ] as [(String, Int, String?, String)])
  func rejected(_ inside: String, _ line: Int, _ path: String?, _ reason: String) throws {
    let error = try #require(throws: FormatError.self) { try read(Self.document("<Placemark>\(inside)</Placemark>")) }
    #expect(error.format == "KML" && error.place.line == line && error.place.path == path, "\(error)")
    #expect(error.reason.contains(reason), "\(error)")
  }

  @Test("a second region with the same id is rejected, an identical one is skipped")
  func twice() throws {
    let circle =
      "<ExtendedData><Data name=\"radius\"><value>5</value></Data></ExtendedData><Point><coordinates>0,0</coordinates></Point>"
    let error = try #require(throws: FormatError.self) {
      try read(Self.document("<Placemark id=\"a\">\(circle)</Placemark>\n<Placemark id=\"a\">\(circle)</Placemark>"))
    }
    #expect(error.place.line == 4 && error.reason.contains("already used by Placemark[0], line 3"))
    let same = try RegionKML.read(Array(Self.document("<Placemark>\(circle)</Placemark><Placemark>\(circle)</Placemark>").utf8))
    #expect(same.regions.count == 1 && same.skippedCount == 1)
  }

  @Test("elements nested a thousand deep and expanding entities are rejected")
  func bombs() throws {
    let deep = "<kml>" + String(repeating: "<Folder>", count: 1000)
    #expect(try #require(throws: FormatError.self) { try read(deep) }.reason.contains("nested more than 200"))
    var bomb = "<?xml version=\"1.0\"?><!DOCTYPE kml [<!ENTITY a0 \"aaaaaaaaaa\">"
    for level in 1...12 { bomb += "<!ENTITY a\(level) \"" + String(repeating: "&a\(level - 1);", count: 10) + "\">" }
    bomb += "]><kml><Placemark><name>&a12;</name></Placemark></kml>"
    #expect(throws: FormatError.self) { try read(bomb) }
  }
}
