import CExpat
import Foundation
import GodwitModel
import Testing

@testable import GodwitFiles
@testable import GodwitText
@testable import GodwitTracks

private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()
private let shared = root.deletingLastPathComponent().appendingPathComponent("shared/data")
private let fixtures = root.appendingPathComponent("Tests/GodwitFilesTests/Fixtures")

private func files(_ folder: URL, _ suffix: String) -> [String] {
  (FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []).filter { $0.hasSuffix(suffix) }
    .sorted().map { folder.appendingPathComponent($0).path }
}

/// All points that a parser returns for some bytes, and its error.
private func parse(_ parser: some TrackParser, _ pieces: [[UInt8]]) -> (points: [TrackPoint], error: FormatError?) {
  var parser = parser
  var points: [TrackPoint] = []
  do throws(FormatError) {
    for piece in pieces {
      try piece.withUnsafeBufferPointer { bytes throws(FormatError) in try parser.feed(bytes, into: &points) }
    }
    try parser.finish(into: &points)
    return (points, nil)
  } catch { return (points, error) }
}

/// The points that expat alone finds; `nil` if it rejects the bytes.
private func expat(_ bytes: [UInt8]) -> [TrackPoint]? {
  let reader = ExpatReader()
  var builder = GPXBuilder()
  do throws(FormatError) {
    try bytes.withUnsafeBufferPointer { bytes throws(FormatError) in try reader.feed(bytes, isLast: true, to: &builder) }
    return builder.points
  } catch { return nil }
}

@Suite("Reading GPX")
struct GPXTests {
  @Test("the GPX parser and expat return the same points", arguments: files(fixtures, ".gpx"))
  func fixture(_ path: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let (points, error) = parse(GPXParser(), [bytes])
    #expect(error == nil, "\(error?.description ?? "")")
    #expect(points == expat(bytes))
    let counted = String(decoding: bytes, as: UTF8.self).components(separatedBy: "<trkpt").count - 1
    #expect(points.count == counted)
  }

  @Test(
    "the GPX parser and expat return the same points for every shared file that expat accepts",
    .enabled(if: FileManager.default.fileExists(atPath: shared.path), "the shared tracks are not beside this checkout"),
    arguments: ["gpsbabel", "sports", "reitti", "graphhopper", "coregpx", "dawarich"])
  func others(_ folder: String) throws {
    var compared = 0
    for path in files(shared.appendingPathComponent(folder), ".gpx") {
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      guard let expected = expat(bytes) else { continue }
      let (points, error) = parse(GPXParser(), [bytes])
      #expect(error == nil, "\(path): \(error?.description ?? "")")
      #expect(points == expected, "\(path)")
      compared += 1
    }
    #expect(compared > 0)
  }

  private static let small = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!-- a > comment <trkpt> -->
    <g:gpx version='1.0' xmlns:g="http://www.topografix.com/GPX/1/0"><g:trk><g:name>a &amp; b</g:name><g:trkseg/><g:trkseg>
    <g:trkpt lon="14.5" lat = "45.25"><g:ele><![CDATA[12.5]]></g:ele><g:time> 2026-11-20T08:30:00.5+01:00 </g:time><g:speed>1&#46;5</g:speed></g:trkpt>
    <g:trkpt lat="1" lon="2"/><g:trkpt lat="91" lon="2"></g:trkpt>
    </g:trkseg></g:trk></g:gpx>

    """

  @Test("prefixes, comments, CDATA, entities, empty segments and empty points are read")
  func oddities() throws {
    var parser = GPXParser()
    var points: [TrackPoint] = []
    try Array(Self.small.utf8).withUnsafeBufferPointer { bytes throws(FormatError) in
      try parser.feed(bytes, into: &points)
    }
    try parser.finish(into: &points)
    #expect(points.count == 2)
    #expect(points[0].coordinate == Coordinate(latitude: 45.25, longitude: 14.5))
    #expect(points[0].altitude == 12.5 && points[0].speed == 1.5 && points[0].segment == 1)
    #expect(points[0].time == RFC3339.date("2026-11-20T07:30:00.5Z"))
    #expect(points[1].time == nil)
    #expect(parser.skipped.count == 1)
    #expect(parser.skipped.first.first?.reason.contains("lat=91.0") == true)
    #expect(parser.skipped.first.first?.place.line == 5)
  }

  @Test("a file in two pieces gives the same points as the whole file, for every cut")
  func pieces() {
    let bytes = Array(Self.small.utf8)
    let whole = parse(GPXParser(), [bytes]).points
    for cut in 1..<bytes.count {
      let (points, error) = parse(GPXParser(), [Array(bytes[..<cut]), Array(bytes[cut...])])
      #expect(points == whole && error == nil, "cut at \(cut): \(error?.description ?? "")")
    }
  }

  @Test("a truncated file has at most its points, and an error with a line")
  func truncated() {
    let bytes = Array(Self.small.utf8)
    for end in 1..<(bytes.count - 1) {
      let (points, error) = parse(GPXParser(), [Array(bytes[..<end])])
      #expect(points.count <= 2)
      if end < bytes.count - 10 { #expect(error?.place.line != nil, "cut at \(end)") }
    }
  }

  @Test(
    "any encoding that the document declares is read",
    arguments: [
      ("UTF-16", String.Encoding.utf16LittleEndian, [0xFF, 0xFE]), ("UTF-16", .utf16BigEndian, [0xFE, 0xFF]),
      ("ISO-8859-2", .isoLatin2, []), ("windows-1250", .windowsCP1250, []), ("ISO-8859-1", .isoLatin1, []),
      ("US-ASCII", .ascii, []), ("UTF-8", .utf8, [0xEF, 0xBB, 0xBF]),
    ] as [(String, String.Encoding, [UInt8])])
  func encodings(_ name: String, _ encoding: String.Encoding, _ byteOrderMark: [UInt8]) throws {
    let text = """
      <?xml version="1.0" encoding="\(name)"?><gpx version="1.1"><trk><name>\(encoding == .ascii || encoding == .isoLatin1 ? "Z" : "Ž")</name>
      <trkseg><trkpt lat="45.25" lon="14.5"><time>2026-11-20T08:30:00Z</time></trkpt></trkseg></trk></gpx>
      """
    let bytes = byteOrderMark + [UInt8](try #require(text.data(using: encoding)))
    let (points, error) = parse(GPXParser(), [bytes])
    #expect(error == nil, "\(error?.description ?? "")")
    #expect(points.count == 1 && points.first?.time != nil)
  }

  @Test(
    "malformed XML is rejected with its line",
    arguments: [
      ("<gpx><trk></gpx>", "does not match"), ("<gpx", "ends inside a tag"), ("<gpx><trk>", "ends inside 2 open"),
      ("<gpx a=1></gpx>", "quotation mark"), ("<gpx a></gpx>", "expected an attribute"),
    ])
  func malformed(_ text: String, _ reason: String) {
    let error = parse(GPXParser(), [Array(text.utf8)]).error
    #expect(error?.reason.contains(reason) == true, "\(error?.description ?? "accepted")")
  }

  @Test("written files are read with equal contents")
  func roundTrip() throws {
    let points = try (0..<500).map { i in
      TrackPoint(
        coordinate: try #require(Coordinate(latitude: 45 + Double(i) * 1.23456789e-4, longitude: -179.999999999)),
        time: i % 7 == 0 ? nil : Date(millisecondsSince1970: 1_795_163_400_000 + Int64(i) * 1001),
        altitude: i % 3 == 0 ? nil : Double(i) / 4, speed: i % 5 == 0 ? 1.25 : nil, course: i % 5 == 0 ? 90 : nil,
        segment: i / 100)
    }
    var bytes: [UInt8] = []
    var writer = GPXWriter()
    writer.header(name: "a<b&c", into: &bytes)
    for point in points { writer.append(point, into: &bytes) }
    writer.footer(into: &bytes)
    let (read, error) = parse(GPXParser(), [bytes])
    #expect(error == nil)
    #expect(read.count == points.count)
    for (one, other) in zip(read, points) {
      #expect(abs(one.coordinate.latitude - other.coordinate.latitude) <= 1e-9)
      #expect(one.time == other.time && one.altitude == other.altitude && one.speed == other.speed)
      #expect(one.segment == other.segment)
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("<trkpt") && $0.hasSuffix("</trkpt>") } == 500)
  }

  @Test(
    "values that GPX cannot hold are omitted, and a name with control characters is valid XML",
    arguments: [Double.nan, .infinity, 1e300])
  func unwritable(_ value: Double) throws {
    let place = try #require(Coordinate(latitude: 45, longitude: 14))
    var bytes: [UInt8] = []
    var writer = GPXWriter()
    writer.header(name: "a\u{1}b\"", into: &bytes)
    writer.append(TrackPoint(coordinate: place, altitude: value, speed: value, course: value), into: &bytes)
    writer.append(TrackPoint(coordinate: place, altitude: value, speed: 1.5, course: value), into: &bytes)
    writer.footer(into: &bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains("<ele>") && !text.contains("course") && text.contains("<name>ab&quot;</name>"), "\(text)")
    let (points, error) = parse(GPXParser(), [bytes])
    #expect(error == nil && points.map(\.speed) == [nil, 1.5])
  }
}

@Suite("Reading NMEA 0183 and GeoLife")
struct ReceiverLogTests {
  @Test("a fix round-trips through sentences to 1e-8 degrees and a millisecond")
  func roundTrip() throws {
    var text = ""
    var fixes: [Fix] = []
    for i in 0..<200 {
      let fix = Fix(
        time: Date(millisecondsSince1970: 1_795_163_400_000 + Int64(i) * 1500),
        coordinate: try #require(Coordinate(latitude: -45.9999999 + Double(i) * 0.01, longitude: -0.0000001 * Double(i) - 10)),
        altitude: 12.5, speed: 2, course: 180)
      fixes.append(fix)
      text += NMEAWriter.sentences(for: fix)
    }
    let bytes = Array(text.utf8)
    for size in [bytes.count, 1, 7, 64] {
      let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
      let (points, _) = parse(NMEAParser(), pieces)
      #expect(points.count == fixes.count)
      for (point, fix) in zip(points, fixes) {
        #expect(abs(point.coordinate.latitude - fix.coordinate.latitude) < 1e-8)
        #expect(abs(point.coordinate.longitude - fix.coordinate.longitude) < 1e-8)
        #expect(point.time == fix.time)
        #expect(abs((point.speed ?? 0) - 2) < 1e-3 && point.course == 180 && point.altitude == 12.5)
      }
    }
  }

  @Test("noise, wrong checksums and receivers without a fix are skipped and counted, and midnight is handled")
  func oddities() {
    let log = """
      \u{1}\u{2}garbage
      # a comment
      $GPRMC,235959.000,A,4527.0000,N,01400.0000,E,1.0,90.0,201126,,,A*00
      $GPGGA,235958.000,4527.0000,N,01400.0000,E,1,08,1.2,700.0,M,,M,,
      noise$GPRMC,235959.000,A,4527.0000,N,01400.0000,E,1.0,90.0,201126,,,A
      $GPRMC,000001.000,V,,,,,,,,,,N
      $GPGGA,000002.000,4527.0000,S,01400.0000,W,1,08,1.2,700.0,M,,M,,
      """
    var parser = NMEAParser()
    var points: [TrackPoint] = []
    #expect(throws: Never.self) {
      try Array(log.utf8).withUnsafeBufferPointer { bytes throws(FormatError) in try parser.feed(bytes, into: &points) }
      try parser.finish(into: &points)
    }
    #expect(
      points.map { $0.time.map { RFC3339.string($0) } } == [
        "2026-11-20T23:59:58Z", "2026-11-20T23:59:59Z", "2026-11-21T00:00:02Z",
      ])
    #expect(points.last?.coordinate == Coordinate(latitude: -45.45, longitude: -14))
    #expect(points.first?.horizontalAccuracy == 6)
    #expect(parser.skipped.count == 2)
  }

  @Test("a speed, a dilution or an error that is negative or too large is omitted", arguments: ["-1", "1e300", "2e9"])
  func impossibleSizes(_ value: String) {
    let log = """
      $GPRMC,120000.000,A,4527.0000,N,01400.0000,E,\(value),90.0,201126,,,A
      $GPGGA,120000.000,4527.0000,N,01400.0000,E,1,08,\(value),700.0,M,,M,,
      $GPRMC,120001.000,A,4527.0000,N,01400.0000,E,1.0,90.0,201126,,,A
      $GPGST,120001.000,,,,,\(value),3.0,\(value)
      $GPVTG,90.0,T,,M,\(value),N,,K

      """
    let (points, _) = parse(NMEAParser(), [Array(log.utf8)])
    #expect(points.count == 2 && points.first?.speed == nil && points.first?.horizontalAccuracy == nil)
    let last = points.last
    #expect(last?.speed == NMEAParser.knot && last?.horizontalAccuracy == nil && last?.verticalAccuracy == nil)
  }

  @Test(
    "an impossible date of a ZDA sentence is ignored",
    arguments: ["99999999999999999999", "1e300", "2026.5", "-1e19", "nan", "2500", ""])
  func impossibleDate(_ year: String) {
    func sentence(_ body: String) -> String {
      let sum = body.utf8.reduce(0) { $0 ^ $1 }
      return "$\(body)*" + String(format: "%02X", Int(sum)) + "\n"
    }
    let log =
      sentence("GPRMC,120000.000,A,4527.0000,N,01400.0000,E,1.0,90.0,201126,,,A") + sentence("GPZDA,120001,23,03,\(year),00,00")
      + sentence("GPZDA,120001,\(year),\(year),2026,00,00")
      + sentence("GPRMC,120002.000,A,4527.0000,N,01400.0000,E,1.0,90.0,201126,,,A")
    let (points, _) = parse(NMEAParser(), [Array(log.utf8)])
    #expect(points.map { $0.time.map { RFC3339.string($0) } } == ["2026-11-20T12:00:00Z", "2026-11-20T12:00:02Z"])
  }

  @Test(
    "logs of real receivers give the positions that gpsd finds in them",
    .enabled(if: FileManager.default.fileExists(atPath: shared.path), "the shared logs are not beside this checkout"),
    arguments: ["ublox-neo-m9n-nmea", "sirfstarv-nmea", "bu353s4", "quectel-l76k-nmea"])
  func gpsd(_ name: String) throws {
    let file = try TrackFile(path: shared.appendingPathComponent("gpsd/\(name).log").path)
    #expect(file.format == .nmea)
    var points: [TrackPoint] = []
    while let some = try file.next() { points += some }
    let lines = try String(contentsOf: shared.appendingPathComponent("gpsd/\(name).tpv.jsonl"), encoding: .utf8)
    var expected: [String: (Double, Double)] = [:]
    for line in lines.components(separatedBy: .newlines) where !line.isEmpty {

      guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let time = (object["time"] as? String).flatMap({ RFC3339.date($0) }), let latitude = object["lat"] as? Double,
        let longitude = object["lon"] as? Double
      else { continue }
      // Only the time of day is compared: gpsd replaces dates that are older than its release.
      expected[String(RFC3339.string(time).dropFirst(11))] = (latitude, longitude)
    }
    var found = 0
    for point in points {
      guard let time = point.time, let place = expected[String(RFC3339.string(time).dropFirst(11))] else { continue }
      found += 1
      #expect(abs(point.coordinate.latitude - place.0) < 1e-6 && abs(point.coordinate.longitude - place.1) < 1e-6)
    }
    #expect(found > 0 && Double(found) >= Double(expected.count) * 0.9, "\(found) of \(expected.count)")
  }

  @Test(
    "all points of GeoLife's days are read",
    .enabled(if: FileManager.default.fileExists(atPath: shared.path), "GeoLife's tracks are not beside this checkout"))
  func geolife() throws {
    var points = 0
    for path in files(shared.appendingPathComponent("geolife/000"), ".plt") {
      let file = try TrackFile(path: path)
      #expect(file.format == .plt)
      while let some = try file.next() { points += some.count }
      #expect(file.skipped.count == 0 && file.withoutTime == 0)
    }
    #expect(points == 3634)
  }

  @Test("invalid lines of a PLT file are skipped with their line")
  func plt() {
    let text =
      "Geolife trajectory\n2\n3\n4\n5\n6\n39.9,116.3,0,492,39744.1,2008-10-23,02:53:04\n95,1,0,1,1,2008-10-23,02:53:04\n1,2\n39.9,116.3,0,-777,1,2008-13-23,02:53:04\n"
    var parser = PLTParser()
    var points: [TrackPoint] = []
    #expect(throws: Never.self) {
      try Array(text.utf8).withUnsafeBufferPointer { bytes throws(FormatError) in try parser.feed(bytes, into: &points) }
    }
    #expect(points.count == 1)
    #expect(abs((points.first?.altitude ?? 0) - 149.9616) < 1e-9)
    #expect(parser.skipped.first.map(\.place.line) == [8, 9, 10])
  }
}
