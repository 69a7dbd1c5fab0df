internal import Foundation
internal import GodwitModel
package import GodwitText

/// Parser of NMEA 0183. The sentences RMC, GGA, GLL, VTG, GST, ZDA, HDG, HDM and HDT of any talker are combined into one point per
/// epoch.
///
/// The sentences of an epoch have the same time of day. The date comes from RMC or ZDA, and points before the first date wait for
/// it. If the time of day jumps back by more than half a day, the next day begins, even if no sentence contains the new date.
package struct NMEAParser: TrackParser {
  private var lines: LineSplitter
  private var skips = Skips()
  private var epoch = Epoch()
  /// Days since 1970, once a sentence has contained the date.
  private var day: Int?
  private var lastTimeOfDay: Int64?
  /// Points without a known date: their time of day, and the number of midnights since the first point.
  private var undated: [(point: TrackPoint, timeOfDay: Int64, midnights: Int)] = []
  private var midnights = 0
  /// State at the start of the current epoch.
  private var beginning: State

  /// The start of an epoch, and the data of the sentences before it.
  package struct State: ParsingState {
    package var line = LineState()
    package var day: Int?
    package var lastTimeOfDay: Int64?

    package init(line: LineState = LineState(), day: Int? = nil, lastTimeOfDay: Int64? = nil) {
      self.line = line
      self.day = day
      self.lastTimeOfDay = lastTimeOfDay
    }
    package var byte: Int { line.byte }
  }

  package init(from state: State = State()) {
    lines = LineSplitter(from: state.line)
    beginning = state
    day = state.day
    lastTimeOfDay = state.lastTimeOfDay
  }

  /// If points are waiting for a date, they must be read again from the start of the file.
  package var state: (any ParsingState)? { undated.isEmpty ? beginning : State() }

  /// Data of the sentences of one epoch.
  private struct Epoch {
    var timeOfDay: Int64?
    var place: Coordinate?
    var altitude: Double?
    var speed: Double?
    var course: Double?
    /// Heading of the device in degrees from magnetic and from true north, and magnetic variation, positive to the east.
    var magneticHeading: Double?
    var trueHeading: Double?
    var variation: Double?
    var hdop: Double?
    var horizontalAccuracy: Double?
    var verticalAccuracy: Double?
  }

  /// Maximum number of points that wait for a date.
  private static let maximumWait = 100_000
  /// Horizontal error in metres for a dilution of precision of 1: the usual value for a single-frequency receiver (GPS Standard
  /// Positioning Service, user range error of about 5 m with atmosphere).
  package static let userRangeError = 5.0
  /// Metres per second of a knot (ISO 80000-3).
  package static let knot = 1852.0 / 3600

  package static func recognizes(_ head: [UInt8]) -> Bool {
    head.split(separator: 0x0A, maxSplits: 200).prefix(200).contains { line in
      line.withUnsafeBufferPointer { bytes in
        let trimmed = bytes.last == 0x0D ? UnsafeBufferPointer(rebasing: bytes.dropLast()) : bytes
        guard trimmed.contains(UInt8(ascii: "*")) else { return false }
        return (try? NMEASentence(trimmed)) != nil
      }
    }
  }

  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into points: inout [TrackPoint]) throws(FormatError) {
    var lines = lines
    lines.feed(bytes) { read($0, $1, $2, &points) }
    self.lines = lines
  }

  package mutating func finish(into points: inout [TrackPoint]) throws(FormatError) {
    var lines = lines
    lines.finish { read($0, $1, $2, &points) }
    self.lines = lines
    closeEpoch(into: &points)
    // The file contains no date. These points have a position and no time.
    points += undated.map(\.point)
    undated = []
  }

  package var skipped: (count: Int, first: [TrackSkip]) { (skips.count, skips.first) }

  package mutating func takeSkips() -> [TrackSkip] { skips.takeFresh() }

  private mutating func read(
    _ bytes: UnsafeBufferPointer<UInt8>, _ line: Int, _ byte: Int, _ points: inout [TrackPoint]
  ) {
    guard !bytes.isEmpty else { return }
    do throws(NMEASentence.Problem) {
      read(try NMEASentence(bytes), at: LineState(byte: byte, line: line - 1), into: &points)
    } catch {
      // A comment in a log is not counted as skipped.
      if bytes.first == UInt8(ascii: "#") { return }
      switch error {
      case .noSentence: skips.add("no NMEA sentence", byte: byte, line: line)
      case .checksum(let found, let expected):
        skips.add("the checksum is \(found), the sentence says \(expected)", byte: byte, line: line)
      }
    }
  }

  private mutating func read(_ sentence: NMEASentence, at line: LineState, into points: inout [TrackPoint]) {
    switch sentence.type {
    case "RMC":
      begin(sentence.timeOfDay(1), at: line, into: &points)
      setDay(fromRMC: sentence.text(9), into: &points)
      guard sentence.text(2) == "A" else { return }
      setPlace(sentence, 3)
      epoch.speed = sentence.magnitude(7).map { $0 * Self.knot } ?? epoch.speed
      epoch.course = sentence.number(8) ?? epoch.course
      epoch.variation = sentence.eastward(10) ?? epoch.variation
    case "GGA":
      begin(sentence.timeOfDay(1), at: line, into: &points)
      guard let quality = sentence.number(6), quality > 0 else { return }
      setPlace(sentence, 2)
      epoch.hdop = sentence.magnitude(8)
      epoch.altitude = sentence.number(9)
    case "GLL":
      begin(sentence.timeOfDay(5), at: line, into: &points)
      guard sentence.text(6) != "V" else { return }
      setPlace(sentence, 1)
    case "VTG":
      epoch.course = sentence.number(1) ?? epoch.course
      epoch.speed = sentence.magnitude(5).map { $0 * Self.knot } ?? epoch.speed
    case "GST":
      begin(sentence.timeOfDay(1), at: line, into: &points)
      if let north = sentence.magnitude(6), let east = sentence.magnitude(7) {
        epoch.horizontalAccuracy = (north * north + east * east).squareRoot()
      }
      epoch.verticalAccuracy = sentence.magnitude(8)
    case "HDG":
      guard let heading = sentence.heading(1) else { return }
      epoch.magneticHeading = Self.turned(heading, by: sentence.eastward(2) ?? 0)
      epoch.variation = sentence.eastward(4) ?? epoch.variation
    case "HDM": epoch.magneticHeading = sentence.heading(1) ?? epoch.magneticHeading
    case "HDT": epoch.trueHeading = sentence.heading(1) ?? epoch.trueHeading
    case "ZDA":
      begin(sentence.timeOfDay(1), at: line, into: &points)
      if let day = sentence.integer(2), let month = sentence.integer(3), let year = sentence.integer(4) {
        setDay(year: year, month: month, day: day, into: &points)
      }
    default: break  // Other sentences, such as satellites in view, contain no position.
    }
  }

  /// Handles the time of day of a sentence. A different time of day starts a new epoch.
  private mutating func begin(_ timeOfDay: Int64?, at line: LineState, into points: inout [TrackPoint]) {
    guard let timeOfDay, timeOfDay != epoch.timeOfDay else { return }
    closeEpoch(into: &points)
    beginning = State(line: line, day: day, lastTimeOfDay: lastTimeOfDay)
    if let last = lastTimeOfDay, last - timeOfDay > 43_200_000 {
      if day != nil { day? += 1 } else { midnights += 1 }
    }
    lastTimeOfDay = timeOfDay
    epoch.timeOfDay = timeOfDay
  }

  private mutating func setPlace(_ sentence: NMEASentence, _ field: Int) {
    guard let latitude = sentence.degrees(field), let longitude = sentence.degrees(field + 2),
      let place = Coordinate(latitude: latitude, longitude: longitude)
    else { return }
    epoch.place = place
  }

  private mutating func closeEpoch(into points: inout [TrackPoint]) {
    defer { epoch = Epoch() }
    guard let place = epoch.place else { return }
    var point = TrackPoint(
      coordinate: place, altitude: epoch.altitude, speed: epoch.speed,
      course: epoch.course.flatMap { $0 >= 0 && $0 <= 360 ? $0 : nil },
      horizontalAccuracy: epoch.horizontalAccuracy ?? epoch.hdop.map { $0 * Self.userRangeError },
      verticalAccuracy: epoch.verticalAccuracy)
    let variation = epoch.variation
    point.magneticHeading = epoch.magneticHeading ?? Self.turned(epoch.trueHeading, by: variation.map { -$0 })
    point.trueHeading = epoch.trueHeading ?? Self.turned(epoch.magneticHeading, by: variation)
    guard let timeOfDay = epoch.timeOfDay else {
      points.append(point)
      return
    }
    if let day {
      point.time = Self.date(day, timeOfDay)
      points.append(point)
    } else if undated.count < Self.maximumWait {
      undated.append((point, timeOfDay, midnights))
    } else {
      points.append(point)
    }
  }

  /// Returns the sum of two angles in degrees, 0 ..< 360.
  private static func turned(_ degrees: Double?, by difference: Double?) -> Double? {
    guard let degrees, let difference else { return nil }
    let rest = (degrees + difference).truncatingRemainder(dividingBy: 360)
    return rest < 0 ? rest + 360 : rest
  }

  private mutating func setDay(fromRMC text: String, into points: inout [TrackPoint]) {
    guard text.count == 6, let number = Int(text), number >= 0 else { return }
    let year = number % 100
    // A two-digit year below 80 is in the 21st century.
    setDay(year: year < 80 ? 2000 + year : 1900 + year, month: number / 100 % 100, day: number / 10000, into: &points)
  }

  private mutating func setDay(year: Int, month: Int, day: Int, into points: inout [TrackPoint]) {
    guard (1980...2199).contains(year), (1...12).contains(month), (1...31).contains(day) else { return }
    let reported = RFC3339.daysSince1970(year: year, month: month, day: day)
    self.day = reported
    guard !undated.isEmpty else { return }
    for entry in undated {
      var point = entry.point
      point.time = Self.date(reported - (midnights - entry.midnights), entry.timeOfDay)
      points.append(point)
    }
    undated = []
  }

  private static func date(_ day: Int, _ timeOfDay: Int64) -> Date {
    Date(millisecondsSince1970: Int64(day) * DayLength.milliseconds + timeOfDay)
  }
}
