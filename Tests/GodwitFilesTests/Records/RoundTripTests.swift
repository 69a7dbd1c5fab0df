import Foundation
import GodwitModel
import TestTexts
import Testing

@testable import GodwitFiles
@testable import GodwitWire

@Suite("Round trips of files")
struct RoundTripTests {
  @Test("records round-trip, except for fields that the format lacks", arguments: RecordWriter.Format.allCases)
  func roundTrip(_ format: RecordWriter.Format) throws {
    var random = SeededNumbers(42)
    let records = try (0..<1300).map { try Self.record($0, &random) }
    let bytes = Self.written(records, format)
    let reading = Reading(bytes, piece: 4096)
    #expect(reading.error == nil && reading.skips == 0 && reading.withoutTime == 0, "\(reading.skipped.prefix(1))")
    #expect(reading.format == format.read)
    let expected = records.compactMap { Self.expected(from: $0, in: format) }
    #expect(reading.records.count == expected.count)
    let wrong = zip(reading.records, expected).first { !Self.isSame($0, $1, format) }
    let isEmpty = wrong == nil
    #expect(isEmpty, "\(wrong.map { "\($0.0)\nis not\n\($0.1)" } ?? "")")
    // Writing the records that were read and reading them again changes nothing.
    let again = Reading(Self.written(reading.records, format))
    #expect(again.records.count == reading.records.count)
    let isStable = zip(again.records, reading.records).allSatisfy { Self.isSame($0, $1, format) }
    #expect(isStable)
  }

  @Test(
    "a point whose extras have the names of the properties of an event remains a point", arguments: RecordWriter.Format.allCases)
  func eventNames(_ format: RecordWriter.Format) throws {
    let place = try #require(Coordinate(latitude: 46, longitude: 14))
    let extras = [
      #"{"action":"addpos"}"#, #"{"action":"visit","arrival_date":"2026-11-20T08:00:00Z"}"#,
      #"{"type":"trip","start":1,"end":2}"#,
    ]
    let records = extras.enumerated().map { index, extras in
      Record(kind: .fix(Fix(time: Date(timeIntervalSince1970: 1_795_000_000 + Double(index)), coordinate: place)), extras: extras)
    }
    let read = Reading(Self.written(records, format)).records
    #expect(read.count == 3)
    for record in read { if case .fix = record.kind { continue } else { Issue.record("\(record.kind)") } }
  }

  @Test("a text that a spreadsheet would evaluate as a formula is written with an apostrophe in CSV and read without it")
  func formulas() throws {
    let place = try #require(Coordinate(latitude: -46, longitude: -14))
    let texts = [
      "=1+1|cmd", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'=1", "''@a", "'tis", "''", "a=1", "=\"a\",\nb", "cafe", " =1", "'\tx",
    ]
    let records = texts.enumerated().map { index, text in
      var record = Record(
        kind: .fix(Fix(time: Date(timeIntervalSince1970: 1_795_000_000 + Double(index)), coordinate: place, altitude: -3)))
      (record.context.wifi, record.context.deviceID) = (text, text)
      (record.context.uniqueID, record.context.tripID) = (text, text)
      return record
    }
    let bytes = Self.written(records, .csv)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").dropFirst()
    let first = try #require(lines.first)
    #expect(first.contains(",-46,-14,-3,") && first.contains(",'=1+1|cmd,") && !first.contains(",=1"))
    for cell in ["'+1", "'-1", "'@SUM(A1)", "\"'\tx\"", "''=1", "'''@a", "'tis", "''", "a=1"] {
      #expect(lines.contains { $0.contains(",\(cell),") }, "\(cell)")
    }
    // A carriage return in a text is read as a line feed.
    let expected = texts.map { $0 == "\rx" ? "\nx" : $0 }
    for piece in [3, 4096] {
      let reading = Reading(bytes, piece: piece)
      #expect(reading.skips == 0 && reading.records.map(\.context.wifi) == expected)
      for record in reading.records {
        #expect(
          [record.context.deviceID, record.context.uniqueID, record.context.tripID].allSatisfy { $0 == record.context.wifi })
      }
    }
    let resumed = try #require(Reading(bytes, piece: 300, guess: 200).checkpoints.first { $0.records > 0 })
    #expect(Reading(bytes, from: resumed).records.map(\.context.wifi) == Array(expected.dropFirst(resumed.records)))
  }

  @Test("an apostrophe in the table of another program is kept")
  func otherApostrophe() {
    #expect(Reading("time,lat,lon,wifi\n1795000000,46,14,'=1\n").records.first?.context.wifi == "'=1")
  }

  @Test("a file without records is a valid file of its format", arguments: RecordWriter.Format.allCases)
  func empty(_ format: RecordWriter.Format) {
    let bytes = Self.written([], format)
    // The format of an empty file cannot be detected.
    if bytes.isEmpty { return #expect(format == .nmea || format == .owntracks) }
    let reading = Reading(bytes)
    #expect(reading.format == format.read && reading.records.isEmpty && reading.error == nil, "\(reading.error ?? "")")
  }

  static func written(_ records: [Record], _ format: RecordWriter.Format) -> [UInt8] {
    var writer = RecordWriter(format, device: "a<b>&\"phone\"")
    var bytes: [UInt8] = []
    writer.header(into: &bytes)
    for record in records { writer.append(record, into: &bytes) }
    writer.footer(into: &bytes)
    return bytes
  }

  /// A random record, usually a fix, with values that the formats do not round.
  private static func record(_ index: Int, _ random: inout SeededNumbers) throws -> Record {
    func number(_ range: ClosedRange<Int>, _ step: Double, _ random: inout SeededNumbers) -> Double? {
      random.next() % 3 == 0 ? nil : Double(Int.random(in: range, using: &random)) / step
    }
    let time = Date(
      millisecondsSince1970: 1_700_000_000_000 + Int64(index) * (index % 100 == 0 ? 1_000_250 : 1000) + Int64(random.next() % 500)
    )
    let place = try #require(
      Coordinate(
        latitude: Double(Int.random(in: -900_000_000...900_000_000, using: &random)) / 1e7,
        longitude: Double(Int.random(in: -1_800_000_000...1_800_000_000, using: &random)) / 1e7))
    let fix = Fix(
      time: time, coordinate: place, horizontalAccuracy: number(0...9000, 100, &random),
      altitude: number(-40000...800_000, 100, &random), verticalAccuracy: number(0...900, 100, &random),
      speed: number(0...9000, 100, &random), speedAccuracy: number(0...90, 100, &random),
      course: number(0...35999, 100, &random), courseAccuracy: number(0...90, 100, &random))
    var context = DeviceContext(
      batteryLevel: number(0...100, 100, &random), batteryState: BatteryState(rawValue: UInt8(random.next() % 6)),
      motion: Motion(rawValue: UInt8(random.next() % 32)), wifi: index % 3 == 0 ? "café; \"2,4\" GHz\nx" : nil)
    context.deviceID = index % 4 == 0 ? "phone" : nil
    context.uniqueID = index % 5 == 0 ? "7F3A" : nil
    context.tripID = index % 6 == 0 ? "2026-11-20T08:30:00Z" : nil
    let kind: Record.Kind =
      switch index % 50 {
      case 7:
        .visit(
          Visit(
            time: time, coordinate: place, horizontalAccuracy: 12, arrival: index % 100 == 7 ? nil : time - 3600, departure: time)
        )
      case 8:
        .trip(
          Trip(start: time - 600, end: time, mode: "walk", startFix: nil, endFix: nil, duration: 600, distance: 12.5, steps: 12))
      case 9: .action(Action(time: time, name: "paused_location_updates", coordinate: place))
      case 10:
        .region(
          RegionEvent(
            time: time, kind: .exited, region: RegionMention(id: "home", name: "Home"), coordinate: place, horizontalAccuracy: 5))
      default: .fix(fix)
      }
    // Only fixes have a motion.
    if case .fix = kind {} else { context.motion = [] }
    let id = index % 2 == 0 ? RecordID(journal: 0x9f86_d081_884c_7d65, sequence: RecordNumber(clamping: Int64(index + 1))) : nil
    let extras = [nil, #"{"mine":{"a":[1,"é,\"]"]}}"#, #"{"total_distance":12.5,"heart_rate":120,"cadence":80,"watts":210}"#][
      index % 3]
    return Record(id: id, kind: kind, context: context, extras: extras)
  }

  /// The part of a record that a format stores, according to the table of Documentation/Formats.md.
  private static func expected(from record: Record, in format: RecordWriter.Format) -> Record? {
    guard format.carries(record) else { return nil }
    guard case .fix(var fix) = record.kind else { return record }
    var record = record
    switch format {
    case .geojson, .overland, .csv: return record
    case .gpx, .plt, .nmea, .kml:
      record = Record(kind: record.kind)
      fix.speedAccuracy = nil
      fix.courseAccuracy = nil
      if format != .kml { (fix.horizontalAccuracy, fix.verticalAccuracy) = (nil, nil) }
      if format == .plt { (fix.speed, fix.course) = (nil, nil) }
    case .tcx:
      record = Record(kind: record.kind, extras: record.extras?.contains("heart_rate") == true ? record.extras : nil)
      fix = Fix(time: fix.time, coordinate: fix.coordinate, altitude: fix.altitude, speed: fix.speed)
    case .owntracks:
      record.context.deviceID = nil
      record.context.uniqueID = nil
      record.context.tripID = nil
      fix.speedAccuracy = nil
      fix.courseAccuracy = nil
    }
    record.kind = .fix(fix)
    return record
  }

  /// Whether two records are equal up to the rounding of the format.
  private static func isSame(_ one: Record, _ other: Record, _ format: RecordWriter.Format) -> Bool {
    let step: (degrees: Double, metres: Double, speed: Double, seconds: Double) =
      switch format {
      case .geojson, .overland, .csv, .gpx, .kml, .tcx: (1.1e-9, 0, 0, 0)
      case .nmea: (1e-8, 0, 1e-3, 0)
      case .plt: (1.1e-9, 1e-4, 0, 1)
      case .owntracks: (1e-7, 1, 0.15, 1)
      }
    func near(_ a: Double?, _ b: Double?, _ step: Double, unknown: Double? = nil) -> Bool {
      guard let a, let b else { return a == b || (a ?? b) == unknown }
      return abs(a - b) <= step + 1e-9
    }
    guard case .fix(let a) = one.kind, case .fix(let b) = other.kind else {
      // KML stores only the coordinates, the arrival and the departure of a visit.
      if format == .kml, case .visit(let a) = one.kind, case .visit(let b) = other.kind {
        return a.coordinate.precise == b.coordinate.precise && a.arrival == b.arrival && a.departure == b.departure
      }
      if format == .owntracks { return abs(one.time.timeIntervalSince(other.time)) < 1 }
      return one == other
    }
    let isPlaced =
      near(a.coordinate.latitude, b.coordinate.latitude, step.degrees)
      && near(a.coordinate.longitude, b.coordinate.longitude, step.degrees)
    let isTimed = abs(a.time.timeIntervalSince(b.time)) < max(step.seconds, 0.0005)
    // The value that the format requires in place of an unknown one.
    let altitude: Double? = format == .nmea ? 0 : nil
    let accuracy: Double? = format == .owntracks ? OwnTracks.assumedAccuracy : nil
    let hasAccuracies = format != .nmea
    return isPlaced && isTimed && near(a.altitude, b.altitude, step.metres, unknown: altitude)
      && near(a.speed, b.speed, step.speed) && near(a.course, b.course, format == .owntracks ? 0.51 : 0)
      && (!hasAccuracies
        || (near(a.horizontalAccuracy, b.horizontalAccuracy, step.metres, unknown: accuracy)
          && near(a.verticalAccuracy, b.verticalAccuracy, step.metres)))
      && a.speedAccuracy == b.speedAccuracy && a.courseAccuracy == b.courseAccuracy
      && (format == .owntracks || (one.context == other.context && one.extras == other.extras && one.id == other.id))
  }
}
