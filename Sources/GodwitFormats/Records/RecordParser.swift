internal import GodwitModel

/// Reads a language of files piece by piece. Pieces may be cut at any byte; memory does not grow with the file.
protocol RecordParser {
  /// Takes the next bytes and gives what they complete.
  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError)
  /// There are no more bytes.
  mutating func finish(into sink: inout RecordSink) throws(FormatError)
  /// Where to go on after all that was given so far, and what must be known there. `nil`: this language can only be read
  /// again from its beginning.
  var state: ParserState? { get }
}

/// What a parser gives.
struct RecordSink {
  var records: [Record] = []
  /// Lines of many points that wait to be made records, in their order.
  var lines: [PointLine] = []
  var skips = Skips()
  /// Points that have no time, and so can be no records.
  var withoutTime = 0
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
enum ParserState: Sendable, Hashable, Codable {
  case gpx(GPXParser.State)
  case nmea(NMEAParser.State)
  case lines(LineState)
  case json(JSONStream.State)

  /// The first byte that the parser wants to see.
  var byte: Int {
    switch self {
    case .gpx(let state): state.byte
    case .nmea(let state): state.line.byte
    case .lines(let state): state.byte
    case .json(let state): state.byte
    }
  }
}

/// The beginning of a line.
struct LineState: Sendable, Hashable, Codable {
  /// Bytes and lines before it.
  var byte = 0
  var line = 0
  /// What the first line said, where it says what is in the others.
  var heading: String?
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

  var state: ParserState? { parser.state }

  private mutating func give(to sink: inout RecordSink) {
    sink.records.reserveCapacity(sink.records.count + points.count)
    for point in points {
      if let fix = point.fix { sink.records.append(Record(kind: .fix(fix))) } else { sink.withoutTime += 1 }
    }
    points.removeAll(keepingCapacity: true)
    for skip in parser.takeSkips() { sink.skips.add(skip) }
  }
}
