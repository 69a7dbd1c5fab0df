import Foundation
import GodwitModel
import GodwitText
import Testing

@testable import GodwitFiles
@testable import GodwitTracks

@Suite("FIT")
struct FITTests {
  private static func lines(_ bytes: [UInt8]) -> [String] { Reading(bytes).records.map(description(of:)) }

  @Test("records have all standard fields, and developer fields are skipped")
  func records() {
    #expect(
      Self.lines(FITWriter.sample) == [
        "fix 2026-11-20T08:30:00Z 45.4,-14 acc=4 alt=700 speed=5.5 "
          + #"{"total_distance":12.5,"heart_rate":121,"cadence":80,"watts":210,"temperature":-3}"#,
        "fix 2026-11-20T08:30:02Z -45.4,-14 acc=4 alt=700 speed=5.5 "
          + #"{"total_distance":12.5,"cadence":80,"watts":210,"temperature":-3}"#,
        "fix 2026-11-20T08:30:20Z 45.5,14.5",
      ])
    #expect(Reading(FITWriter.sample).skipped.map(\.reason) == ["a record without a position"])
  }

  @Test("concatenated files are read, with either size of header and with zeros at the end", arguments: [1, 13, 4096])
  func chained(_ piece: Int) {
    var short = FITWriter()
    short.define(3, FITWriter.position, isBigEndian: true)
    short.data(3, [(FITWriter.begin, 4), (FITWriter.semicircles(1), 4), (FITWriter.semicircles(2), 4)])
    let reading = Reading(FITWriter.sample + short.file(header: 12) + [0, 0, 0], piece: piece)
    #expect(reading.error == nil && reading.records.count == 4)
    #expect(reading.records.last.map(description(of:)) == "fix 2026-11-20T08:30:00Z 1,2")
  }

  @Test("a compressed timestamp of five bits is relative to the last full timestamp")
  func compressed() {
    var writer = FITWriter()
    writer.define(0, FITWriter.position)
    writer.define(1, Array(FITWriter.position.dropFirst()))
    let place = [(FITWriter.semicircles(1), 4), (FITWriter.semicircles(2), 4)]
    writer.data(0, [(FITWriter.begin, 4)] + place)
    let begin = UInt8(FITWriter.begin & 0x1F)
    for step in [5, 5, 30, 29] as [UInt8] { writer.compressed(1, offset: (begin &+ step) & 0x1F, place) }
    let seconds = Reading(writer.file()).records.map { Int($0.time.timeIntervalSince1970) - 1_795_163_400 }
    #expect(seconds == [0, 5, 5, 30, 61])
  }

  @Test("the records before damaged data are returned, and the damage is reported")
  func damaged() {
    let good = FITWriter.sample
    var changed = good
    changed[good.count - 20] ^= 0x10
    #expect(Reading(changed).error?.contains("the checksum does not match") == true)
    let cut = Reading(Array(good.dropLast(9)))
    #expect(cut.error?.contains("before the end of its messages") == true && cut.records.count == 2)
    var undefined = FITWriter()
    undefined.data(5, [])
    #expect(Reading(undefined.file()).error?.contains("type 5, which is not defined before it") == true)
    var order = FITWriter()
    order.define(0, FITWriter.position)
    var bytes = order.file()
    bytes[16] = 7
    #expect(Reading(bytes).error?.contains("byte order 7") == true)
    var since = FITWriter()
    since.define(0, FITWriter.position)
    since.data(0, [(500, 4), (FITWriter.semicircles(1), 4), (FITWriter.semicircles(2), 4)])
    #expect(Reading(since.file()).skipped.first?.reason.contains("relative to the start") == true)
    since.define(1, message: 162, [(253, 4, 0x86), (1, 4, 0x86)])
    since.data(1, [(FITWriter.begin, 4), (499, 4)])
    since.data(0, [(505, 4), (FITWriter.semicircles(1), 4), (FITWriter.semicircles(2), 4)])
    // Times before the message that correlates the clocks are converted too, as in GPSBabel's garmin-virb-ultra-30.fit.
    for piece in [1, 1 << 20] {
      let compared = Reading(since.file(), piece: piece)
      #expect(compared.records.map(description(of:)) == ["fix 2026-11-20T08:30:01Z 1,2", "fix 2026-11-20T08:30:06Z 1,2"])
      #expect(compared.skipped.isEmpty)
    }
  }

  @Test("saved locations are counted as waypoints")
  func locations() {
    var writer = FITWriter()
    writer.define(0, message: 29, [(253, 4, 0x86), (1, 4, 0x85), (2, 4, 0x85)])
    writer.data(0, [(FITWriter.begin, 4), (1, 4), (2, 4)])
    let stream = RecordStream(name: "test", options: RecordOptions())
    #expect(throws: Never.self) {
      try stream.feed(writer.file())
      try stream.finish()
    }
    #expect(stream.next() == nil && stream.unused.waypoints == 1)
  }
}

@Suite("IGC")
struct IGCTests {
  @Test("B records have the date of the H record, also after midnight, and the altitude of their kind")
  func records() {
    let sample = Sample.all.first { $0.format == .igc }?.bytes ?? []
    let reading = Reading(sample)
    #expect(
      reading.records.map(description(of:)) == [
        #"fix 2026-11-20T23:59:50Z 45.4,14 acc=4 alt=750 {"pressure_altitude":700}"#,
        #"fix 2026-11-20T23:59:55Z -59.4,-14 acc=12 {"pressure_altitude":700}"#,
        #"fix 2026-11-20T23:59:56Z 60.4,14 acc=4 alt=750 {"pressure_altitude":700}"#,
        #"fix 2026-11-21T00:00:05Z 45.401,14.001 acc=5 alt=750 {"pressure_altitude":-10}"#,
        #"fix 2026-11-22T01:00:00Z 45.4,14 acc=4 alt=750 {"pressure_altitude":700}"#,
      ])
    #expect(reading.skipped.map(\.reason) == ["a B record without a position: the receiver had none"])
  }

  @Test("B records without an H record for the date have no time")
  func undated() {
    let reading = Reading("AXYZ\nB2359504524000N01400000EA0070000750\n")
    #expect(reading.format == .igc && reading.records.isEmpty && reading.withoutTime == 1)
  }
}

@Suite("Parts without times")
struct UnusedPartsTests {
  @Test("waypoints and points of routes are counted, also after reading continues at a checkpoint")
  func counted() throws {
    let text = """
      <gpx><wpt lat="1" lon="1"><time>2026-01-01T00:00:00Z</time></wpt><wpt lat="1" lon="1"/>
      <rte><rtept lat="1" lon="1"/></rte>
      <trk><trkseg><trkpt lat="45.1" lon="14.1"><time>2026-11-20T08:30:00Z</time></trkpt></trkseg></trk></gpx>
      """
    for piece in [1, 50, 1000] {
      let stream = RecordStream(name: "test", guessSize: 20)
      var last: Checkpoint?
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: piece) {
        try stream.feed(Array(bytes[start..<min(bytes.count, start + piece)]))
        while stream.next() != nil {}
        if start < 150 { last = stream.checkpoint }
      }
      try stream.finish()
      #expect(stream.unused.waypoints == 2 && stream.unused.routePoints == 1)
      guard let last else { continue }
      let kept = try JSONDecoder().decode(Checkpoint.self, from: JSONEncoder().encode(last))
      let rest = RecordStream(name: "test", from: kept, options: RecordOptions())
      try rest.feed(Array(bytes[last.byte...]))
      try rest.finish()
      #expect(rest.unused.waypoints == 2 && rest.unused.routePoints == 1)
    }
  }

  @Test("old recordings of OwnTracks have spaces between their fields")
  func oldRecordings() {
    let text = """
      2023-02-20T18:46:22Z  *                   {"_type":"location","lat":22.0687934,"lon":24.7941786,"tst":1676918782,"acc":5}
      2023-02-20T18:47:22Z  lwt                 {"_type":"lwt","tst":1676918782}
      2023-02-20T18:48:22Z  *                   {"_type":"location","lat":22.1687934,"lon":24.7941786,"tst":1676918902}

      """
    let reading = Reading(text)
    #expect(reading.format == .ownTracksLines && reading.records.count == 2 && reading.skips == 0)
  }

  @Test("locations of a Polarsteps export are points")
  func polarsteps() {
    let sample = Sample.all.first { $0.format == .points }?.bytes ?? []
    let reading = Reading(sample)
    #expect(
      reading.records.map(description(of:)) == [
        "fix 2026-11-20T08:30:00.250Z 45.4,14.01", "fix 2026-11-20T08:31:00.500Z 45.5,14.02",
      ])
    #expect(reading.skips == 1 && reading.withoutTime == 1)
  }

  @Test("white space before the XML declaration only moves the positions of errors", arguments: ["gpx", "kml", "tcx"])
  func blanks(_ name: String) {
    let format = RecordFormat(rawValue: name) ?? .gpx
    let text = String(decoding: Sample.all.first { $0.format == format }?.bytes ?? [], as: UTF8.self)
    let declared = text.replacing(#"<?xml version="1.0"?>"#, with: #"<?xml version="1.0" encoding="ISO-8859-1"?>"#)
    for text in [text, declared] {
      let (plain, blank) = (Reading(text), Reading("\u{FEFF} \n\t " + text, piece: 3))
      #expect(blank.error == nil && blank.records.count == plain.records.count && !plain.records.isEmpty)
      #expect(blank.skipped.map(\.place.line) == plain.skipped.map { $0.place.line.map { $0 + 1 } })
    }
  }

  @Test("the depth of nested elements is bounded", arguments: ["", #" encoding="ISO-8859-1""#])
  func deep(_ encoding: String) {
    let text = "<?xml version=\"1.0\"\(encoding)?><gpx>" + String(repeating: "<a>", count: 300_000)
    #expect(Reading(text).error?.contains("elements nested more than 200 deep") == true)
  }

  @Test("KML: years and months are times, lines keep their altitudes, and points beside lines are counted")
  func kml() {
    func read(_ placemarks: String) -> Reading { Reading("<kml><Document>\(placemarks)</Document></kml>") }
    func point(_ when: String) -> String {
      "<Placemark><TimeStamp><when>\(when)</when></TimeStamp><Point><coordinates>14,45</coordinates></Point></Placemark>"
    }
    let years = read(point("1997") + point("1997-07") + point("1997-07-16"))
    #expect(years.records.map { RFC3339.string($0.time).prefix(10) } == ["1997-01-01", "1997-07-01", "1997-07-16"])
    let span = "<TimeSpan><begin>2026-11-20T10:00:00Z</begin><end>2026-11-20T10:30:00Z</end></TimeSpan>"
    let line = "<LineString><coordinates>14,45,700 14.1,45.1,800</coordinates></LineString>"
    let heights = read("<Placemark>\(span)\(line)</Placemark>").records.compactMap { record in
      if case .fix(let fix) = record.kind { fix.altitude } else { nil }
    }
    #expect(heights == [700, 800])
    let places = "<Point><coordinates>14,45</coordinates></Point><Point><coordinates>14.1,45.1</coordinates></Point>"
    let both = read(
      "<Placemark><TimeStamp><when>2026-11-20T10:00:00Z</when></TimeStamp><MultiGeometry>\(places)\(line)</MultiGeometry></Placemark>"
    )
    #expect(both.records.count == 2 && both.withoutTime == 2)
  }

  @Test("GPX: accuracy, battery and heart rate of a point's extensions are kept")
  func extensions() {
    let text = """
      <gpx><trk><trkseg><trkpt lat="45.1" lon="14.1"><time>2026-11-20T08:30:00Z</time><extensions><accuracy>5.5</accuracy>
      <batterylevel>81</batterylevel><gpxtpx:TrackPointExtension><gpxtpx:hr>121</gpxtpx:hr></gpxtpx:TrackPointExtension></extensions></trkpt>
      </trkseg></trk></gpx>
      """
    #expect(
      Reading(text).records.map(description(of:)) == [
        #"fix 2026-11-20T08:30:00Z 45.1,14.1 acc=5.5 battery=0.81 {"heart_rate":121}"#
      ])
  }
}
