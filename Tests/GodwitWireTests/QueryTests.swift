import Foundation
import GodwitModel
import GodwitText
import GodwitWire
import TestTexts
import Testing

@Suite("Records as URL queries and forms")
struct QueryTests {
  @Test("a fix is encoded as a query of OsmAnd: knots, percent, Unix seconds")
  func query() throws {
    #expect(
      QueryString.encoded(QueryString.items(try fullRecord()))
        == "id=anna%2Fphone&lat=45.4525956&lon=-14.0181941&timestamp=1795163400&accuracy=4.6&altitude=753.3&speed=2.82&bearing=359.5&batt=29&charge=true"
    )
  }

  @Test("unknown values are omitted from the query, and a device without a name uses its identifier")
  func minimum() throws {
    let fix = Fix(
      time: Date(timeIntervalSince1970: 1_795_163_400.9), coordinate: try #require(Coordinate(latitude: -33, longitude: 0)))
    var record = Record(kind: .fix(fix))
    #expect(QueryString.encoded(QueryString.items(record)) == "lat=-33&lon=0&timestamp=1795163400")
    record.context = DeviceContext(batteryLevel: 0, batteryState: .unknown, deviceID: "", uniqueID: "7F3A")
    #expect(QueryString.encoded(QueryString.items(record)) == "id=7F3A&lat=-33&lon=0&timestamp=1795163400&batt=0")
  }

  @Test("a fix is encoded as a Data Drop entry")
  func dataDrop() throws {
    let record = try fullRecord()
    #expect(
      written { DataDrop.write(record, into: &$0) }
        == "timestamp=2026-11-20T08%3A30%3A00.750Z&latitude=45.4525956&longitude=-14.0181941&horizontalAccuracy=4.6&altitude=753.3&verticalAccuracy=3.2&speed=1.45&course=359.5&device=anna%2Fphone&batteryLevel=0.29&record=9f86d081884c7d65-17"
    )
  }

  @Test("a visit as a Data Drop entry has its arrival and departure, if known")
  func dataDropVisit() throws {
    let time = Date(timeIntervalSince1970: 1_795_163_400)
    let visit = Visit(
      time: time, coordinate: try #require(Coordinate(latitude: 45, longitude: 14)), horizontalAccuracy: 20,
      arrival: time.addingTimeInterval(-3600))
    #expect(
      written { DataDrop.write(Record(kind: .visit(visit)), into: &$0) }
        == "timestamp=2026-11-20T08%3A30%3A00Z&latitude=45&longitude=14&horizontalAccuracy=20&arrival=2026-11-20T07%3A30%3A00Z")
  }

  @Test("no name has an underscore, which has another meaning in the Wolfram Language")
  func dataDropNames() throws {
    #expect(DataDrop.fields(try fullRecord()).allSatisfy { !$0.name.contains("_") })
  }

  @Test("any text round-trips through the form, and adds no field", arguments: textsToEscape)
  func hostile(_ hostile: String) throws {
    var record = try fullRecord()
    record.context.deviceID = hostile
    for (text, name) in [
      (written { DataDrop.write(record, into: &$0) }, "device"), (QueryString.encoded(QueryString.items(record)), "id"),
    ] {
      var components = URLComponents()
      components.percentEncodedQuery = text
      let items = try #require(components.queryItems)
      #expect(items.filter { $0.name == name }.map(\.value) == [hostile])
      #expect(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
      #expect(items.filter { $0.name.hasPrefix("lat") }.count == 1)
    }
  }

  @Test("a number that is not finite is omitted", arguments: invalidNumbers)
  func impossible(_ number: Double) throws {
    let record = try fullRecord(altitude: number, speed: number)
    let names = DataDrop.fields(record).map(\.name) + QueryString.items(record).map(\.name)
    #expect(!names.contains("altitude") && !names.contains("speed"))
  }
}

@Suite("URLs with placeholders")
struct URLTemplateTests {
  /// The example of Overland's documentation.
  private static let documented = "https://example.com/input?ts=%TS&lat=%LAT&lon=%LON&acc=%ACC&spd=%SPD&bat=%BAT&alt=%ALT"

  @Test("every placeholder of Overland's documentation is replaced by the newest position, escaped as in a query")
  func documented() throws {
    let template = try URLTemplate(Self.documented)
    #expect(template.hasPlaces)
    #expect(
      template.filled(with: try fullRecord())?.absoluteString
        == "https://example.com/input?ts=2026-11-20T08%3A30%3A00Z&lat=45.4525956&lon=-14.0181941&acc=4.6&spd=1.45&bat=0.29&alt=753.3"
    )
  }

  @Test("unknown values are empty, and an unknown speed is -1; before the first position all values are empty")
  func unknown() throws {
    let template = try URLTemplate(Self.documented)
    let fix = Fix(
      time: Date(timeIntervalSince1970: 1_795_163_400), coordinate: try #require(Coordinate(latitude: 1e-7, longitude: 0)))
    #expect(
      template.filled(with: Record(kind: .fix(fix)))?.absoluteString
        == "https://example.com/input?ts=2026-11-20T08%3A30%3A00Z&lat=0.0000001&lon=0&acc=&spd=-1&bat=&alt=")
    #expect(template.filled(with: nil)?.absoluteString == "https://example.com/input?ts=&lat=&lon=&acc=&spd=&bat=&alt=")
  }

  @Test(
    "placeholders may be anywhere and repeated, and escaped ones remain",
    arguments: [
      ("https://example.org/%LAT/%LON?a=%LAT", "https://example.org/45.4525956/-14.0181941?a=45.4525956"),
      ("https://example.org/a%20b?q=%e2%82%ac", "https://example.org/a%20b?q=%e2%82%ac"),
      ("https://example.org/?q=%25LAT", "https://example.org/?q=%25LAT"),
      ("https://example.org/?at=%LAT,%LON;%ALT", "https://example.org/?at=45.4525956,-14.0181941;753.3"),
      ("http://[::1]:8080/?b=%BAT", "http://[::1]:8080/?b=0.29"), ("https://example.org", "https://example.org"),
    ])
  func anywhere(_ text: String, _ filled: String) throws {
    #expect(try URLTemplate(text).filled(with: try fullRecord())?.absoluteString == filled)
  }

  @Test(
    "an unknown placeholder is an error when the template is created",
    arguments: [
      ("https://example.org/?t=%TIME", "\"%TIME\"", 23), ("https://example.org/?d=%DIR&lat=%LAT", "\"%DIR\"", 23),
      ("https://example.org/?b=%BATT", "\"%BATT\"", 23), ("https://example.org/?lat=%LATITUDE", "\"%LATITUDE\"", 25),
      ("https://example.org/?lat=%lat", "\"%lat\"", 25), ("https://example.org/?lat=%Lat", "\"%Lat\"", 25),
      ("https://example.org/?b=%BATTERY", "\"%BATTERY\"", 23), ("https://example.org/?a=%ACCURACY", "\"%ACCURACY\"", 23),
    ])
  func unknownPlace(_ text: String, _ name: String, _ byte: Int) {
    do {
      _ = try URLTemplate(text)
      Issue.record("accepted")
    } catch {
      #expect(error.reason.contains(name) && error.reason.contains("%TS %LAT %LON %ACC %SPD %ALT %BAT"), "\(error)")
      #expect(error.place.byte == byte)
    }
  }

  @Test(
    "an invalid URL is an error when the template is created",
    arguments: [
      "", "example.org", "ftp://example.org/", "https://", "https:///path", "file:///etc/passwd", "mailto:a@b.c",
      "https://example.org/100%", "https://example.org/%5", "https://example.org/% LAT",
    ])
  func noAddress(_ text: String) {
    #expect(throws: FormatError.self) { try URLTemplate(text) }
  }

  @Test("a template from a URL has no placeholders")
  func url() throws {
    let url = try #require(URL(string: "https://example.org/?q=%25LAT"))
    #expect(!URLTemplate(url).hasPlaces)
    #expect(URLTemplate(url).filled(with: try fullRecord()) == url)
  }
}
