package import GodwitModel
package import GodwitText

/// Parses a file format piece by piece. A piece can end at any byte, and memory does not grow with the file.
package protocol RecordParser {
  /// Parses the next bytes and appends the records that they complete.
  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError)
  /// Called after the last bytes.
  mutating func finish(into sink: inout RecordSink) throws(FormatError)
  /// Position at which to resume after the records returned so far, with the required data; `nil` if the format can only be read
  /// from its start.
  var state: (any ParsingState)? { get }
}

/// Output of a parser.
package struct RecordSink {
  package var records: [Record] = []
  /// Lines of many points that are still to be converted to records, in their order.
  package var lines: [PointLine] = []
  package var skips = Skips()
  /// Faults in parts of the current JSON value. The reader of the file's values converts them to skips.
  package var faults: [JSONReader.Fault] = []
  /// Number of points without a time, which cannot become records.
  package var withoutTime = 0
  package var unused = UnusedParts()

  package init(
    records: [Record] = [], lines: [PointLine] = [], skips: Skips = Skips(), withoutTime: Int = 0,
    unused: UnusedParts = UnusedParts()
  ) {
    self.records = records
    self.lines = lines
    self.skips = skips
    self.withoutTime = withoutTime
    self.unused = unused
  }

  /// Converts the faults of a value to skips.
  /// - Parameter place: Returns the position of a fault in the file.
  mutating func skipFaults(_ place: (JSONReader.Fault) -> FormatError.Place) {
    guard !faults.isEmpty else { return }
    for fault in faults { skips.add(fault.reason, at: place(fault)) }
    faults.removeAll(keepingCapacity: true)
  }
}

/// Parts of a file that are places without a time.
public struct UnusedParts: Sendable, Hashable, Codable {
  /// Number of saved places.
  public package(set) var waypoints = 0
  /// Number of points of planned routes.
  public package(set) var routePoints = 0

  /// Creates counts of zero.
  public init() {}

  /// Adds the counts of another part of the file.
  public mutating func add(_ other: UnusedParts) {
    waypoints += other.waypoints
    routePoints += other.routePoints
  }
}

/// A compact list of points with shared properties. The points are converted to records on demand.
package struct PointLine {
  package struct Point {
    package var milliseconds: Int64
    package var coordinate: Coordinate
    /// Altitude in metres; NaN if unknown.
    package var altitude: Double

    package init(milliseconds: Int64, coordinate: Coordinate, altitude: Double) {
      self.milliseconds = milliseconds
      self.coordinate = coordinate
      self.altitude = altitude
    }
  }
  package var points: [Point] = []
  package var next = 0
  /// Number of records in the sink that precede the line.
  package var position = 0
  package var context = DeviceContext()
  package var extras: String?

  package init(
    points: [Point] = [], next: Int = 0, position: Int = 0, context: DeviceContext = DeviceContext(), extras: String? = nil
  ) {
    self.points = points
    self.next = next
    self.position = position
    self.context = context
    self.extras = extras
  }
}

/// The data that a parser needs to resume in the middle of a file.
package protocol ParsingState: Sendable, Hashable, Codable {
  /// Offset of the first byte that the parser needs.
  var byte: Int { get }
}

/// The start of a line.
package struct LineState: ParsingState {
  /// Number of bytes and lines before it.
  package var byte = 0
  package var line = 0
  /// Data of the first line, if it describes the other lines.
  package var heading: String?
  /// Decisions of the lines before it.
  package var decisions: LineDecisions?

  package init(byte: Int = 0, line: Int = 0, heading: String? = nil, decisions: LineDecisions? = nil) {
    self.byte = byte
    self.line = line
    self.heading = heading
    self.decisions = decisions
  }
}

/// Decisions that lines of a table make for the following lines.
package struct LineDecisions: Sendable, Hashable, Codable {
  /// The order of day and month.
  package var dateOrder: DateOrder?
  /// Whether numbers in the column of times are in days.
  package var countsDays: Bool?

  package init(dateOrder: DateOrder? = nil, countsDays: Bool? = nil) {
    self.dateOrder = dateOrder
    self.countsDays = countsDays
  }
}

/// Converts the output of a track parser to records.
package struct TrackRecords<Parser: TrackParser>: RecordParser {
  private var parser: Parser
  private var points: [TrackPoint] = []

  package init(_ parser: Parser) { self.parser = parser }

  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError) {
    // Points that were complete before an error are kept.
    defer { give(to: &sink) }
    try parser.feed(bytes, into: &points)
  }

  package mutating func finish(into sink: inout RecordSink) throws(FormatError) {
    defer { give(to: &sink) }
    try parser.finish(into: &points)
  }

  package var state: (any ParsingState)? { parser.state }

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
