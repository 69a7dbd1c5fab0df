package import GodwitModel
package import GodwitText

/// Reads a language of files piece by piece. Pieces may be cut at any byte; memory does not grow with the file.
package protocol RecordParser {
  /// Takes the next bytes and gives what they complete.
  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError)
  /// There are no more bytes.
  mutating func finish(into sink: inout RecordSink) throws(FormatError)
  /// Where to go on after all that was given so far, and what must be known there. `nil`: this language can only be read
  /// again from its beginning.
  var state: (any ParsingState)? { get }
}

/// What a parser gives.
package struct RecordSink {
  package var records: [Record] = []
  /// Lines of many points that wait to be made records, in their order.
  package var lines: [PointLine] = []
  package var skips = Skips()
  /// Parts of the JSON value that is being read that are no records. What reads the values of a file makes skips of them.
  package var faults: [JSONReader.Fault] = []
  /// Points that have no time, and so can be no records.
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

  /// Makes skips of the faults in a value.
  /// - Parameter place: where a fault is in the file.
  mutating func skipFaults(_ place: (JSONReader.Fault) -> FormatError.Place) {
    guard !faults.isEmpty else { return }
    for fault in faults { skips.add(fault.reason, at: place(fault)) }
    faults.removeAll(keepingCapacity: true)
  }
}

/// Parts of a file that are places and no positions in time.
public struct UnusedParts: Sendable, Hashable, Codable {
  /// Places that were saved.
  public package(set) var waypoints = 0
  /// Points of planned routes.
  public package(set) var routePoints = 0

  /// None.
  public init() {}

  /// Adds those of another part of the file.
  public mutating func add(_ other: UnusedParts) {
    waypoints += other.waypoints
    routePoints += other.routePoints
  }
}

/// Many points with all that they share, kept small until they are wanted.
package struct PointLine {
  package struct Point {
    package var milliseconds: Int64
    package var coordinate: Coordinate
    /// Metres; no number where it is not known.
    package var altitude: Double

    package init(milliseconds: Int64, coordinate: Coordinate, altitude: Double) {
      self.milliseconds = milliseconds
      self.coordinate = coordinate
      self.altitude = altitude
    }
  }
  package var points: [Point] = []
  package var next = 0
  /// Records in the sink that come before it.
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

/// What a parser must know to go on in the middle of a file.
package protocol ParsingState: Sendable, Hashable, Codable {
  /// The first byte that the parser needs.
  var byte: Int { get }
}

/// The beginning of a line.
package struct LineState: ParsingState {
  /// Bytes and lines before it.
  package var byte = 0
  package var line = 0
  /// What the first line said, where it says what is in the others.
  package var heading: String?
  /// What the lines before it have decided.
  package var decisions: LineDecisions?

  package init(byte: Int = 0, line: Int = 0, heading: String? = nil, decisions: LineDecisions? = nil) {
    self.byte = byte
    self.line = line
    self.heading = heading
    self.decisions = decisions
  }
}

/// What lines of a table decide about those that follow.
package struct LineDecisions: Sendable, Hashable, Codable {
  /// The order of day and month.
  package var dateOrder: DateOrder?
  /// Whether numbers in the column of times count days.
  package var countsDays: Bool?

  package init(dateOrder: DateOrder? = nil, countsDays: Bool? = nil) {
    self.dateOrder = dateOrder
    self.countsDays = countsDays
  }
}

/// Makes records of a parser of track points.
package struct TrackRecords<Parser: TrackParser>: RecordParser {
  private var parser: Parser
  private var points: [TrackPoint] = []

  package init(_ parser: Parser) { self.parser = parser }

  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError) {
    // What was complete before an error counts.
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
