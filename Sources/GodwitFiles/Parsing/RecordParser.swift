internal import GodwitModel
internal import GodwitText

/// Reads a language of files piece by piece. Pieces may be cut at any byte; memory does not grow with the file.
protocol RecordParser {
  /// Takes the next bytes and gives what they complete.
  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError)
  /// There are no more bytes.
  mutating func finish(into sink: inout RecordSink) throws(FormatError)
  /// Where to go on after all that was given so far, and what must be known there. `nil`: this language can only be read
  /// again from its beginning.
  var state: (any ParsingState)? { get }
}

/// What a parser gives.
struct RecordSink {
  var records: [Record] = []
  /// Lines of many points that wait to be made records, in their order.
  var lines: [PointLine] = []
  var skips = Skips()
  /// Points that have no time, and so can be no records.
  var withoutTime = 0
  var unused = UnusedParts()
}

/// Parts of a file that are places and no positions in time.
public struct UnusedParts: Sendable, Hashable, Codable {
  /// Places that were saved.
  public internal(set) var waypoints = 0
  /// Points of planned routes.
  public internal(set) var routePoints = 0

  /// None.
  public init() {}

  /// Adds those of another part of the file.
  public mutating func add(_ other: UnusedParts) {
    waypoints += other.waypoints
    routePoints += other.routePoints
  }
}

/// Many points with all that they share, kept small until they are wanted.
struct PointLine {
  struct Point {
    var milliseconds: Int64
    var coordinate: Coordinate
    /// Metres; no number where it is not known.
    var altitude: Double
  }
  var points: [Point] = []
  var next = 0
  /// Records in the sink that come before it.
  var position = 0
  var context = DeviceContext()
  var extras: String?
}

/// What a parser must know to go on in the middle of a file.
protocol ParsingState: Sendable, Hashable, Codable {
  /// The first byte that the parser wants to see.
  var byte: Int { get }
}

/// The beginning of a line.
struct LineState: ParsingState {
  /// Bytes and lines before it.
  var byte = 0
  var line = 0
  /// What the first line said, where it says what is in the others.
  var heading: String?
  /// What the lines before it have decided.
  var decisions: LineDecisions?
}

/// What lines of a table decide about those that follow.
struct LineDecisions: Sendable, Hashable, Codable {
  /// The order of day and month.
  var dateOrder: DateOrder?
  /// Whether numbers in the column of times count days.
  var countsDays: Bool?
}

/// Makes records of a parser of track points.
struct TrackRecords<Parser: TrackParser>: RecordParser {
  private var parser: Parser
  private var points: [TrackPoint] = []

  init(_ parser: Parser) { self.parser = parser }

  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError) {
    // What was complete before an error counts.
    defer { give(to: &sink) }
    try parser.feed(bytes, into: &points)
  }

  mutating func finish(into sink: inout RecordSink) throws(FormatError) {
    defer { give(to: &sink) }
    try parser.finish(into: &points)
  }

  var state: (any ParsingState)? { parser.state }

  private mutating func give(to sink: inout RecordSink) {
    sink.records.reserveCapacity(sink.records.count + points.count)
    for point in points {
      guard let fix = point.fix else {
        sink.withoutTime += 1
        continue
      }
      var record = Record(kind: .fix(fix))
      if let level = point.batteryLevel { record.context.batteryLevel = level }
      if let rate = point.heartRate {
        var extras = ExtrasText()
        extras.add("heart_rate", rate)
        record.extras = extras.text
      }
      sink.records.append(record)
    }
    points.removeAll(keepingCapacity: true)
    for skip in parser.takeSkips() { sink.skips.add(skip) }
    sink.unused.add(parser.takeUnused())
  }
}
