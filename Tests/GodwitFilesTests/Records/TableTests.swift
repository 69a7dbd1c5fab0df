import Foundation
import GodwitModel
import GodwitText
import Testing

@testable import GodwitFiles
@testable import GodwitTracks

@Suite("Tables of other sources")
struct TableTests {
  /// Reads a table of one line. Returns the record as text, or the reason why there is none.
  private static func read(_ heading: String, _ line: String, _ options: RecordOptions = RecordOptions()) -> String {
    let stream = RecordStream(name: "test", options: options)
    do {
      try stream.feed(Array("\(heading)\n\(line)\n".utf8))
      try stream.finish()
    } catch { return "\(error)" }
    if let record = stream.next()?.first { return description(of: record) }
    return stream.skipped.first.first?.reason ?? "nothing"
  }

  @Test(
    "hemispheres determine the sign, in separate columns and in the cells",
    arguments: [
      ("LATITUDE,N/S,LONGITUDE,E/W", "33.719581,S,70.016372,W", "-33.719581,-70.016372"),
      ("LATITUDE,N/S,LONGITUDE,E/W", "57.719581,N,12.016372,E", "57.719581,12.016372"),
      ("lat,lat_dir,lon,lon_dir", "33.7,south,70.1,West", "-33.7,-70.1"),
      ("lat,ns,lon,ew", "-33.7,S,-70.1,W", "-33.7,-70.1"),
      ("LATITUDE N/S,LONGITUDE E/W", "31.769598N,35.212765E", "31.769598,35.212765"),
      ("LATITUDE N/S,LONGITUDE E/W", "31.769598S,35.212765W", "-31.769598,-35.212765"),
      ("lat,lon", "S 33.7,W70.1", "-33.7,-70.1"), ("lat,lon", "33°30'36\"S,70° 6.0' W", "-33.51,-70.1"),
      ("lat,lon", "33.7°,\"70,1° O\"", "has an unknown sign; expected degrees with E or W"),
      ("lat,ns,lon,ew", "-33.7,N,70.1,E", "the sign and the hemisphere contradict each other"),
      ("lat,lon", "-33.7 N,70.1", "contradict each other"), ("lat,lon", "33.7 E,70.1", "a hemisphere that is not N or S"),
      ("lat,ns,lon,ew", "33.7,X,70.1,E", "\"X\" is not a hemisphere; expected N or S"),
      ("lat,ns,lon,ew", "33.7,,70.1,E", "there is no N or S"), ("lat,ns,lon,ew", "33.7,S,70.1,O", "\"O\" is not a hemisphere"),
      ("lat,lon", "33.7 rad,70.1", "has an unknown sign"),
      ("lat,lon", "33°61',70.1", "minutes or seconds outside 0 to 59"),
    ])
  func hemispheres(_ heading: String, _ line: String, _ expected: String) {
    let found = Self.read("time,\(heading)", "2026-11-20T08:30:00Z,\(line)")
    #expect(found.hasSuffix(" " + expected) || found.contains(expected), "\(found)")
    if !expected.contains(" ") { #expect(found == "fix 2026-11-20T08:30:00Z " + expected) }
  }

  @Test(
    "a unit in a cell has priority over the unit of the heading",
    arguments: [
      ("HEIGHT,SPEED", "98.470 m,36.000 km/h", "alt=98.47 speed=10"), ("height,speed", "100 ft,10 mph", "alt=30.48 speed=4.4704"),
      ("height (ft),speed (mph)", "100 m,36 km/h", "alt=100 speed=10"),
      ("height,speed", "1.2 km,10 knots", "alt=1200 speed=5.1444444"),
      ("height,speed", "700m,10 m/s", "alt=700 speed=10"), ("height,accuracy", "-3.5 m,16.4042 ft", "acc=5.0000002 alt=-3.5"),
      ("height,speed", "\"1,234.5 m\",\"36,000 km/h\"", "alt=1234.5 speed=10000"),
      ("battery,course", "81 %,90°", "course=90 battery=0.81"),
      ("height,speed", "98 furlongs,1", "\"98 furlongs\" has an unknown unit; expected m, km, ft or mi"),
      ("height,speed", "98,5 min/km", "\"5 min/km\" has an unknown unit; expected m/s, km/h, mph or knots"),
      ("height,speed", "36 km/h,1", "has an unknown unit; expected m, km, ft or mi"),
      ("height,speed", "n/a,-", "{\"height\":\"n/a\",\"speed\":\"-\"}"),
    ])
  func units(_ heading: String, _ line: String, _ expected: String) {
    let found = Self.read("time,lat,lon,\(heading)", "2026-11-20T08:30:00Z,45.4,14,\(line)")
    #expect(found.hasSuffix(expected), "\(found)")
  }

  @Test(
    "decimal commas, integers of 10⁻⁷ degrees and German headings are read",
    arguments: [
      ("time,lat,lon,alt", "2026-11-20T08:30:00Z,\"52,52\",\"13,4\",\"1,234\"", "52.52,13.4 alt=1.234"),
      ("time,lat,lon,alt", "2026-11-20T08:30:00Z,52.52,13.4,\"1,234\"", "52.52,13.4 alt=1234"),
      ("time,latitudeE7,longitudeE7", "2026-11-20T08:30:00Z,525200000,-134000000", "52.52,-13.4"),
      (
        "Datum;Uhrzeit;Breitengrad;Längengrad;Höhe;Geschwindigkeit", "20.11.2026;09:30;52,52;13,4;34,5 m;36 km/h",
        "52.52,13.4 alt=34.5 speed=10"
      ),
      (
        "INDEX,TAG,DATE,TIME,LATITUDE N/S,LONGITUDE E/W,HEIGHT", "1,T,261120,083000,49.0733336N,125.7648551W,38",
        "49.0733336,-125.7648551 alt=38"
      ),
      (
        // GPSBabel's v900_basic_mode.csv: fields are padded with zero bytes, and the speed is in km/h.
        "INDEX,TAG,DATE,TIME,LATITUDE N/S,LONGITUDE E/W,HEIGHT,SPEED,HEADING,VOX",
        "68\0\0\0\0,T,261120,083000,31.765973N,035.206901E,827\0\0,36\0\0,357,\0\0\0\0\0\0\0\0\0",
        "31.765973,35.206901 alt=827 speed=10 course=357"
      ),
      (
        // Dawarich's nsew_suffixes.csv: the speed is in metres per second.
        "INDEX,TAG,timestamp,LATITUDE N/S,LONGITUDE E/W,HEIGHT,SPEED,HEADING",
        "1,T,2026-11-20T08:30:00Z,52.52N,13.405E,34,1.5,90",
        "52.52,13.405 alt=34 speed=1.5 course=90"
      ),
    ])
  func numbers(_ heading: String, _ line: String, _ expected: String) {
    let found = Self.read(heading, line)
    #expect(found.hasPrefix("fix 2026-11-20T0") && found.contains(" " + expected), "\(found)")
  }

  @Test(
    "times in the common notations of people and spreadsheets are read",
    arguments: [
      ("time", "01.02.2024 10:00:00", "2024-02-01T10:00:00Z"), ("time", "13/02/2024 10:00", "2024-02-13T10:00:00Z"),
      ("time", "02/13/2024 10:00:00.250", "2024-02-13T10:00:00.250Z"), ("time", "2/13/24 3:04 PM", "2024-02-13T15:04:00Z"),
      ("time", "\"2/13/2024, 12:04:05\u{202F}AM\"", "2024-02-13T00:04:05Z"), ("time", "20240101T100000Z", "2024-01-01T10:00:00Z"),
      ("time", "20240101T100000.5+0200", "2024-01-01T08:00:00.500Z"), ("time", "20240101100000", "2024-01-01T10:00:00Z"),
      ("time", "2024-01-01 3:04:05 PM", "2024-01-01T15:04:05Z"), ("time", "3/3/2024 1:00", "2024-03-03T01:00:00Z"),
      ("date", "45292.5", "2024-01-01T12:00:00Z"), ("time", "45292.5", "2024-01-01T12:00:00Z"),
      ("Excel date", "45292", "2024-01-01T00:00:00Z"),
      ("time", "45292", "is not a time: it is too small for seconds since 1970"),
      ("unix time", "45292.5", "is not a time: it is too small"),
      ("time", "12.5", "is not a time: it is too small"), ("time", "1704103200", "2024-01-01T10:00:00Z"),
      ("time", "31.02.2024 10:00:00", "is not a time; expected one such as"),
      ("time", "13/13/2024", "is not a time; expected one such as"),
      ("time", "13:04 PM", "is not a time"),
      ("time", "1/2/24 3:04 PM", "\"1/2/24 3:04 PM\" can be day/month or month/day, and no date in the file decides it"),
    ])
  func times(_ heading: String, _ cell: String, _ expected: String) {
    let found = Self.read("lat,lon,\(heading)", "45.4,14,\(cell)")
    #expect(found == "fix \(expected) 45.4,14" || (expected.contains(" ") && found.contains(expected)), "\(found)")
  }

  @Test(
    "one date above 12 decides the order for the whole file, also when reading continues at a checkpoint",
    arguments: [1, 9, 4096])
  func decided(_ piece: Int) throws {
    let heading = "time,lat,lon\n"
    let before = (1...9).map { "0\($0)/02/2024 10:00:00,45.4,14\n" }.joined()
    let after = "12/02/2024 10:00:00,45.4,14\n2/13/2024 10:00:00,45.4,14\n"
    let dayFirst = Reading(heading + before + "13/02/2024 10:00:00,45.4,14\n" + after, piece: piece)
    #expect(dayFirst.records.map { RFC3339.string($0.time).prefix(10) }.prefix(2) == ["2024-02-01", "2024-02-02"])
    #expect(dayFirst.records.count == 11 && dayFirst.skips == 1 && dayFirst.error == nil)
    let monthFirst = Reading(heading + before + "02/13/2024 10:00:00,45.4,14\n", piece: piece)
    #expect(monthFirst.records.map { RFC3339.string($0.time).prefix(10) }.prefix(2) == ["2024-01-02", "2024-02-02"])
    let text = Array((heading + before + "13/02/2024 10:00:00,45.4,14\n" + before).utf8)
    for checkpoint in Reading(text, piece: 40, guess: 20).checkpoints {
      let kept = try JSONDecoder().decode(Checkpoint.self, from: JSONEncoder().encode(checkpoint))
      let rest = Reading(text, piece: 30, from: kept)
      #expect(rest.error == nil && rest.records.count + checkpoint.records == 19, "from byte \(checkpoint.byte)")
    }
    let undecided = Reading(heading + before, piece: piece)
    #expect(undecided.records.isEmpty && undecided.error?.contains("--date-order dmy or --date-order mdy") == true)
    let reported = Self.read("time,lat,lon", "1/2/24,45.4,14", RecordOptions(dateOrder: .monthFirst))
    #expect(reported == "fix 2024-01-02T00:00:00Z 45.4,14")
    #expect(
      Self.read("time,lat,lon", "1/2/24,45.4,14", RecordOptions(dateOrder: .dayFirst)) == "fix 2024-02-01T00:00:00Z 45.4,14")
  }

  @Test("lines may end with CR alone, for every size of pieces", arguments: [1, 7, 4096])
  func oldMacs(_ piece: Int) {
    let lines = "time,lat,lon\r2026-11-20T08:30:00Z,45.4,14\r2026-11-20T08:31:00Z,95.4,14\r\n2026-11-20T08:32:00Z,45.4,14\r"
    let reading = Reading(lines, piece: piece)
    #expect(reading.records.count == 2 && reading.skipped.first?.place.line == 3)
  }

  @Test("a block of zero bytes is reported")
  func zeros() {
    let zeros = String(repeating: "\0", count: 5000)
    let reading = Reading(
      "time,lat,lon\n2026-11-20T08:30:00Z,45.4,14\n2026-11-20T08:3\(zeros)00Z,45.4,14\n2026-11-20T08:32:00Z,45.4,14\n")
    #expect(reading.records.count == 2 && reading.skipped.first?.reason.contains("zero bytes") == true)
    #expect(Reading(zeros).error?.contains("all its bytes are zero") == true)
  }

  @Test(
    "a table without a header or coordinates, or a file of another kind, is rejected with the reason",
    arguments: [
      ("2026-11-20T08:30:00Z,45.4,14\n", "a table without a header"), ("45.4,14,Hut\n", "a table without a header"),
      ("name,street,town\na,b,c\n", "a table without columns of latitude and longitude"),
      ("%PDF-1.7 x", "it is a PDF document"), ("SQLite format 3\0", "it is an SQLite database"),
      ("\u{0E}\u{10}\u{01}abc", "its first bytes are 0e 10 01"),
    ])
  func rejected(_ text: String, _ reason: String) {
    let error = Reading(text).error ?? "accepted"
    #expect(error.contains(reason) && !error.contains("\\u{"), "\(error)")
  }
}
