public import Foundation
public import GodwitModel

/// Computes the features of a part of a track, position by position.
public struct MovementMeter: Sendable {
  /// Minimum seconds over which a speed is measured. Over one second the noise of a receiver exceeds a walking speed.
  static let baseline = 8.0
  /// A lower speed counts as rest, metres per second.
  static let still: MetersPerSecond = 0.5
  /// A lower speed counts as a stop, metres per second.
  static let stop: MetersPerSecond = 1
  /// Maximum weight of a step in seconds. The movement in a longer gap is unknown.
  static let maximumWeight = 150.0
  /// Metres per second, faster than any passenger vehicle. A higher speed is a jump of the receiver.
  static let fastest: MetersPerSecond = 340
  /// Maximum seconds of a step for a change of speed to count. Longer steps smooth it.
  static let maximumChange = 12.0
  /// Minimum numbers of changes of speed and of course.
  static let minimumChanges = (speed: 5, course: 3)
  /// Minimum seconds of a gap between positions.
  static let gap = 60.0
  /// Minimum change of course of a turn, radians.
  static let turn = Double.pi / 6
  /// Minimum metres between two stops. Less is noise.
  static let minimumRun: Meters = 30
  /// Minimum length in kilometres by which counts are divided.
  static let minimumLength = 0.05
  /// Limits of the speed bands, metres per second.
  static let bands: [MetersPerSecond] = [0.5, 2, 4, 8, 16]

  private struct Position: Sendable {
    var coordinate: Coordinate
    var time: Date
  }

  /// Movement between two positions that are at least eight seconds apart.
  private struct Step: Sendable {
    var seconds: Double
    var metres: Meters
    /// Radians clockwise from north.
    var course: Double
    var speed: MetersPerSecond { metres / seconds }
    var isPlausible: Bool { speed <= MovementMeter.fastest }
    var isMoving: Bool { isPlausible && speed >= MovementMeter.still }
    var weight: Double { min(seconds, MovementMeter.maximumWeight) }

    init(from start: Position, to end: Position) {
      seconds = end.time.timeIntervalSince(start.time)
      metres = GreatCircle.distance(start.coordinate, end.coordinate)
      let (a, b) = (start.coordinate, end.coordinate)
      let middle = (a.latitude + b.latitude) / 2 * .pi / 180
      let east = (b.longitude - a.longitude).remainder(dividingBy: 360) * cos(middle)
      course = atan2(east, b.latitude - a.latitude)
    }
  }

  private var first: Position?
  private var origin: Position?
  private var latest: Position?
  private var steps: [Step] = []
  private var gaps = (seconds: 0.0, metres: 0.0)

  public init() {}

  /// Adds the next position. A position older than the previous one is skipped.
  /// - Parameters:
  ///   - coordinate: The position.
  ///   - time: Time of the measurement.
  public mutating func add(_ coordinate: Coordinate, at time: Date) {
    let position = Position(coordinate: coordinate, time: time)
    guard let origin, let latest else {
      (first, self.origin, self.latest) = (position, position, position)
      return
    }
    guard time >= latest.time else { return }
    let pause = time.timeIntervalSince(latest.time)
    if pause > Self.gap {
      gaps.seconds += pause
      gaps.metres += GreatCircle.distance(latest.coordinate, coordinate)
    }
    self.latest = position
    guard time.timeIntervalSince(origin.time) >= Self.baseline else { return }
    self.origin = position
    steps.append(Step(from: origin, to: position))
  }

  /// The features of all positions so far; `nil` without movement.
  public var features: MovementFeatures? {
    var steps = steps
    if steps.isEmpty, let first, let latest, latest.time > first.time { steps = [Step(from: first, to: latest)] }
    let plausible = steps.filter(\.isPlausible)
    let moving = plausible.filter(\.isMoving).sorted { $0.speed < $1.speed }
    guard !moving.isEmpty, let first, let latest else { return nil }
    let length = plausible.reduce(0) { $0 + $1.metres }
    let duration = steps.reduce(0) { $0 + $1.seconds }
    let kilometres = max(length / 1000, Self.minimumLength)
    var values = Self.speeds(of: moving)
    values += Self.shares(of: plausible)
    values += Self.means(plausible, moving)
    values += Self.changesOfSpeed(steps)
    values += Self.courses(steps, kilometres)
    values += Self.stops(plausible, kilometres)
    values += [
      log(1 + length), log(1 + duration),
      GreatCircle.distance(first.coordinate, latest.coordinate) / max(length, 1),
      gaps.seconds / max(latest.time.timeIntervalSince(first.time), 1),
      gaps.seconds > 0 ? gaps.metres / gaps.seconds : .nan,
    ]
    values += Self.runs(between: plausible)
    values += Self.ends(of: steps)
    return MovementFeatures(values: values)
  }

  // MARK: Groups of features

  /// Returns quantiles of the speed, weighted by time, so that a burst of positions has the weight of its duration.
  private static func speeds(of sorted: [Step]) -> [Double] {
    let total = sorted.reduce(0) { $0 + $1.weight }
    var (index, passed) = (0, sorted[0].weight)
    var speeds = [0.1, 0.25, 0.5, 0.75, 0.85, 0.95].map { share in
      while passed < share * total, index + 1 < sorted.count {
        index += 1
        passed += sorted[index].weight
      }
      return sorted[index].speed
    }
    speeds.append(sorted[sorted.count - 1].speed)
    return speeds
  }

  private static func shares(of steps: [Step]) -> [Double] {
    var seconds = [Double](repeating: 0, count: bands.count + 1)
    for step in steps { seconds[bands.firstIndex { step.speed < $0 } ?? bands.count] += step.weight }
    let total = seconds.reduce(0, +)
    return seconds.map { $0 / total }
  }

  private static func means(_ steps: [Step], _ moving: [Step]) -> [Double] {
    let (length, seconds) = steps.reduce((0.0, 0.0)) { ($0.0 + $1.metres, $0.1 + $1.seconds) }
    let total = moving.reduce(0) { $0 + $1.weight }
    let mean = moving.reduce(0) { $0 + $1.speed * $1.weight } / total
    let variance = moving.reduce(0) { $0 + ($1.speed - mean) * ($1.speed - mean) * $1.weight } / total
    return [length / seconds, mean, variance.squareRoot()]
  }

  private static func changesOfSpeed(_ steps: [Step]) -> [Double] {
    let changes = zip(steps, steps.dropFirst()).compactMap { before, after -> Double? in
      let seconds = (before.seconds + after.seconds) / 2
      guard seconds <= maximumChange, before.isPlausible, after.isPlausible else { return nil }
      return abs(after.speed - before.speed) / seconds
    }
    return quantiles([0.5, 0.85, 0.95], of: changes, minimum: minimumChanges.speed)
  }

  private static func courses(_ steps: [Step], _ kilometres: Double) -> [Double] {
    let changes = zip(steps, steps.dropFirst()).compactMap { before, after in
      before.isMoving && after.isMoving ? abs((after.course - before.course).remainder(dividingBy: 2 * .pi)) : nil
    }
    return quantiles([0.5, 0.85], of: changes, minimum: minimumChanges.course)
      + [Double(changes.count { $0 > turn }) / kilometres]
  }

  private static func stops(_ steps: [Step], _ kilometres: Double) -> [Double] {
    let count = zip(steps, steps.dropFirst()).count { $0.speed >= stop && $1.speed < stop }
    let seconds = steps.reduce(0) { $0 + ($1.speed < stop ? $1.weight : 0) }
    return [Double(count) / kilometres, seconds / Double(max(count, 1))]
  }

  private static func runs(between steps: [Step]) -> [Double] {
    var runs: [Meters] = []
    var run = 0.0
    for step in steps {
      if step.speed >= stop {
        run += step.metres
        continue
      }
      if run > minimumRun { runs.append(run) }
      run = 0
    }
    if run > minimumRun { runs.append(run) }
    guard let maximum = runs.max() else { return [0, 0] }
    return quantiles([0.5], of: runs, minimum: 1).map { log($0) } + [log(maximum)]
  }

  private static func ends(of steps: [Step]) -> [Double] {
    let count = max(1, steps.count / 10)
    return [steps.prefix(count), steps.suffix(count)].map { end in
      end.reduce(0) { $0 + min($1.speed, fastest) } / Double(count)
    }
  }

  private static func quantiles(_ shares: [Double], of values: [Double], minimum: Int) -> [Double] {
    guard values.count >= minimum else { return shares.map { _ in .nan } }
    let sorted = values.sorted()
    return shares.map { sorted[Int($0 * Double(sorted.count - 1))] }
  }
}
