internal import GodwitModel

/// The recorded track as the server has it: the positions of all records, sorted by time.
///
/// A fix gives one position. A visit gives two: at its arrival and at its departure. A visit without a departure ends at the time
/// of its report.
struct RecordedTrack {
  struct Position {
    /// Time of the measurement, and the time at which the phone had it. All times here are in microseconds since 1970.
    var time: Int64
    var received: Int64
    var coordinate: Coordinate
    /// Horizontal accuracy in metres; `nil` if none was reported.
    var accuracy: Meters?

    var latitude: Double { coordinate.latitude }
    var longitude: Double { coordinate.longitude }
  }

  /// Sorted by time. Positions of the same time are in the order of recording.
  let positions: [Position]

  /// Limit of times in microseconds, about 100,000 years. A record beyond it is left out, as is one whose time is not a number.
  private static let farthest: Int64 = 3_200_000_000_000_000_000

  init(_ records: [Record]) {
    var positions: [Position] = []
    positions.reserveCapacity(records.count)
    for record in records { Self.add(record, to: &positions) }
    self.positions = Self.sorted(positions, by: \.time)
  }

  private init(positions: [Position]) { self.positions = positions }

  private static func add(_ record: Record, to positions: inout [Position]) {
    func add(_ time: Int64, _ place: Coordinate, _ accuracy: Meters?) {
      guard abs(time.clamped) < farthest else { return }
      let received = record.received.map { SimulatedTime($0).microseconds } ?? time
      positions.append(Position(time: time, received: received.clamped, coordinate: place, accuracy: accuracy))
    }
    switch record.kind {
    case .fix(let fix): add(SimulatedTime(fix.time).microseconds, fix.coordinate, fix.horizontalAccuracy)
    case .visit(let visit):
      let reported = SimulatedTime(visit.time).microseconds
      let end = visit.departure.map { SimulatedTime($0).microseconds } ?? reported
      let start = visit.arrival.map { SimulatedTime($0).microseconds } ?? end
      add(start, visit.coordinate, visit.horizontalAccuracy)
      if end > start { add(end, visit.coordinate, visit.horizontalAccuracy) }
    case .trip, .region, .action: break
    }
  }

  /// Sorts positions stably by a key. Returns at once if the order is already correct.
  static func sorted(_ positions: [Position], by key: KeyPath<Position, Int64>) -> [Position] {
    let keys = positions.map { $0[keyPath: key] }
    if zip(keys, keys.dropFirst()).allSatisfy({ $0 <= $1 }) { return positions }
    return positions.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }.map { positions[$0] }
  }

  /// Returns the track extended to a time range: the first position also holds for the time before it, and the last for the time
  /// after it. An empty track stays empty.
  func held(from start: SimulatedTime, to end: SimulatedTime) -> RecordedTrack {
    guard var first = positions.first, var last = positions.last else { return self }
    var held = positions
    if first.time > start.microseconds {
      first.time = start.microseconds
      held.insert(first, at: 0)
    }
    if last.time < end.microseconds {
      last.time = end.microseconds
      held.append(last)
    }
    return RecordedTrack(positions: held)
  }
}

extension Int64 {
  /// The number clamped to half the range of `Int64`, so that two of them can be subtracted without overflow.
  fileprivate var clamped: Int64 { Swift.max(.min / 2, Swift.min(.max / 2, self)) }
}
