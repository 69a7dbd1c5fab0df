internal import GodwitModel

/// What was counted in a run, or in several added up: sums, and lists that medians are taken of. So the median over many
/// days is that of all their seconds, and not one of medians.
public struct RunCounts: Sendable {
  /// Runs in it, and how long they took together.
  var runs = 0
  var seconds = 0.0
  /// Joules, in the order of `EnergyPart.allCases`.
  var joules = [Double](repeating: 0, count: EnergyPart.allCases.count)
  /// Metres at each second on the way, in order of size; infinite where there was no recorded track at all.
  var errors: [Float] = []
  var covered = 0
  var worstAge = 0.0
  var realStays = 0
  var realMatched = 0
  var foundStays = 0
  var foundMatched = 0
  /// Seconds, not sorted.
  var arrivalDelays: [Double] = []
  var departureDelays: [Double] = []
  var noticing: [Double] = []
  var unnoticed = 0
  /// Metres; the third is the sum of what each run is off.
  var trueLength = 0.0
  var recordedLength = 0.0
  var lengthOff = 0.0
  var points = 0
  var visits = 0
  var waiting = 0
  var counts = RunLog.Counts()

  /// Nothing yet.
  public init() {}

  /// Measures a run.
  /// - Parameters:
  ///   - log: what the phone did.
  ///   - truth: where it really was.
  ///   - rules: what is measured by.
  public init(_ log: RunLog, truth: Truth, rules: MeasuringRules = MeasuringRules()) {
    runs = 1
    seconds = max(0, log.end - log.start)
    for (index, energy) in log.energy.prefix(joules.count).enumerated() { joules[index] = energy.joules }
    for record in log.records {
      switch record.kind {
      case .fix: points += 1
      case .visit: visits += 1
      case .trip, .region, .action: break
      }
    }
    waiting = log.waiting
    counts = log.counts
    guard log.end > log.start else { return }

    let track = RecordedTrack(log.records)
    let comparison = TrackComparison(track, truth: truth, from: log.start, to: log.end, rules: rules)
    errors = comparison.errors.sorted()
    covered = comparison.covered
    worstAge = comparison.worstAge

    let samples = TimedPlace.samples(of: truth, from: log.start, to: log.end, each: rules.sampling)
    let stays = StayComparison(track, truth: samples, from: log.start, to: log.end, rules: rules)
    realStays = stays.real.count
    realMatched = stays.realMatched
    foundStays = stays.found.count
    foundMatched = stays.foundMatched
    arrivalDelays = stays.arrivalDelays
    departureDelays = stays.departureDelays
    noticing = stays.noticing
    unnoticed = stays.unnoticed

    trueLength = TimedPlace.length(of: samples, step: rules.minimumStep)
    recordedLength = TimedPlace.length(
      of: track.positions.lazy.map { TimedPlace(time: $0.time, coordinate: $0.coordinate) }, step: rules.minimumStep)
    lengthOff = abs(recordedLength - trueLength)
  }

  /// Puts another tally to this one.
  public mutating func add(_ other: RunCounts) {
    runs += other.runs
    seconds += other.seconds
    for index in joules.indices { joules[index] += other.joules[index] }
    errors += other.errors
    errors.sort()
    covered += other.covered
    worstAge = max(worstAge, other.worstAge)
    realStays += other.realStays
    realMatched += other.realMatched
    foundStays += other.foundStays
    foundMatched += other.foundMatched
    arrivalDelays += other.arrivalDelays
    departureDelays += other.departureDelays
    noticing += other.noticing
    unnoticed += other.unnoticed
    trueLength += other.trueLength
    recordedLength += other.recordedLength
    lengthOff += other.lengthOff
    points += other.points
    visits += other.visits
    waiting += other.waiting
    counts.delivered += other.counts.delivered
    counts.uploads += other.counts.uploads
    counts.failedUploads += other.counts.failedUploads
    counts.bytesUp += other.counts.bytesUp
    counts.bytesDown += other.counts.bytesDown
    counts.launches += other.counts.launches
    counts.wakes += other.counts.wakes
  }

  /// Joules of everything but the phone's own standby.
  var ownJoules: Double {
    EnergyPart.allCases.reduce(0) { $0 + ($1 == .standby ? 0 : joules[$1.rawValue]) }
  }
}
