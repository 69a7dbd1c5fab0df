internal import GodwitModel

/// What the page draws of a run: tracks with no more points than can be seen, stays, and energy over time.
public struct RunDrawing: Sendable {
  let policy: String
  let route: String
  let day: String
  let phone: String
  let system: String
  let seed: UInt64
  let start: SimulatedTime
  let end: SimulatedTime
  let truth: [Point]
  let track: [Point]
  let realStays: [Stay]
  let foundStays: [Stay]
  let samples: [RunLog.Sample]

  /// A place on a track.
  struct Point: Sendable, Hashable {
    /// Seconds since the run began; below 0 for what a clock that was set back says.
    var time: Double
    var coordinate: Coordinate
    /// Metres from the truth at that time.
    var error: Meters?
    /// Metres, as it was recorded.
    var accuracy: Meters?
  }

  /// Points of a track at most, and metres by which it may be off to get there, to begin with.
  static let maximumPoints = 3_000
  private static let tolerance: Meters = 3
  /// Seconds between two samples of energy.
  private static let sampling = 595.0

  /// - Parameters:
  ///   - log: what the phone did.
  ///   - truth: where it really was.
  ///   - rules: what counts as a stay.
  public init(_ log: RunLog, truth: Truth, rules: MeasuringRules = MeasuringRules()) {
    policy = log.policy
    route = log.route
    day = log.day
    phone = log.phoneTitle
    system = log.system
    seed = log.seed
    start = log.start
    end = max(log.start, log.end)
    let recorded = RecordedTrack(log.records)
    self.truth = Self.simplified(Self.places(of: truth, from: start, to: end), from: start)
    var cursor = TruthCursor(truth)
    track = Self.simplified(recorded.positions, from: start).map { point in
      var point = point
      point.error = GreatCircle.distance(point.coordinate, cursor.state(at: log.start + point.time).coordinate)
      return point
    }
    let stays = StayComparison(
      recorded, truth: TimedPlace.samples(of: truth, from: start, to: end, each: rules.sampling), from: start, to: end,
      rules: rules)
    realStays = stays.real
    foundStays = stays.found
    var samples: [RunLog.Sample] = []
    for sample in log.samples where samples.last.map({ sample.time - $0.time >= Self.sampling }) ?? true {
      samples.append(sample)
    }
    if let last = log.samples.last, samples.last != last { samples.append(last) }
    self.samples = samples
  }

  /// The ends of the straight pieces of the way.
  private static func places(of truth: Truth, from start: SimulatedTime, to end: SimulatedTime) -> [RecordedTrack.Position] {
    var cursor = TruthCursor(truth)
    var places: [RecordedTrack.Position] = []
    var time = start
    while true {
      let place = cursor.state(at: time).coordinate
      places.append(RecordedTrack.Position(time: time.microseconds, received: time.microseconds, coordinate: place))
      guard time < end else { return places }
      time = min(end, cursor.nextChange)
    }
  }

  private static func simplified(_ positions: [RecordedTrack.Position], from start: SimulatedTime) -> [Point] {
    var tolerance = Self.tolerance
    var kept = TrackSimplifier.kept(of: positions.lazy.map(\.coordinate), tolerance: tolerance)
    while kept.count > maximumPoints, tolerance < 10_000 {
      tolerance *= 1.6
      kept = TrackSimplifier.kept(of: positions.lazy.map(\.coordinate), tolerance: tolerance)
    }
    return kept.map { index in
      Point(
        time: SimulatedTime(microseconds: positions[index].time) - start, coordinate: positions[index].coordinate,
        accuracy: positions[index].accuracy)
    }
  }
}
