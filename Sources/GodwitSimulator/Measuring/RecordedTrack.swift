internal import GodwitModel

/// The track as a reader of the server sees it: the positions of all records by time.
///
/// A fix is one position. A visit stands at its place from its arrival to its departure: two positions. One that has not
/// ended stands there until it was reported.
struct RecordedTrack {
  struct Position {
    /// Microseconds since 1970, as are all times here: of the measurement, and when the phone had it.
    var time: Int64
    var received: Int64
    var coordinate: Coordinate
    /// Metres, where it was reported.
    var accuracy: Meters?

    var latitude: Double { coordinate.latitude }
    var longitude: Double { coordinate.longitude }
  }

  /// In the order of time; of equal times that which was recorded last comes last.
  let positions: [Position]

  /// A record whose time is no number, or is 100,000 years away, has no place in a track.
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

  /// Stable, and without work where the order is right already.
  static func sorted(_ positions: [Position], by key: KeyPath<Position, Int64>) -> [Position] {
    let keys = positions.map { $0[keyPath: key] }
    if zip(keys, keys.dropFirst()).allSatisfy({ $0 <= $1 }) { return positions }
    return positions.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }.map { positions[$0] }
  }

  /// The same from one moment to another without a gap at the ends: the first position also counts for the time before it, and the last
  /// for the time after it. A track without positions stays empty.
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
  /// Held to what can be subtracted without overflow.
  fileprivate var clamped: Int64 { Swift.max(.min / 2, Swift.min(.max / 2, self)) }
}
