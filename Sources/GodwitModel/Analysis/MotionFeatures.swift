public import struct Foundation.Date

/// Features of the movement along a part of a track, which distinguish modes of transport (Zheng, Liu, Wang, Xie:
/// Learning Transportation Mode from Raw GPS Data for Geographic Applications on the Web, WWW 2008).
public struct MotionFeatures: Sendable, Hashable, Codable {
  /// Median of the speed during the moving time, metres per second.
  public var medianSpeed: MetersPerSecond
  /// 85th percentile of the speed during the moving time, metres per second.
  public var fastSpeed: MetersPerSecond
  /// 95th percentile of the speed during the moving time, metres per second.
  public var topSpeed: MetersPerSecond
  /// 85th percentile of the absolute changes of speed, metres per second per second; `nil` if the positions are too far apart.
  public var acceleration: Double?
  /// Seconds in motion: faster than 0.5 m/s. At most 150 seconds of a gap are counted.
  public var movingTime: Double

  /// - Parameters:
  ///   - medianSpeed: Median of the speed, metres per second.
  ///   - fastSpeed: 85th percentile of the speed, metres per second.
  ///   - topSpeed: 95th percentile of the speed, metres per second.
  ///   - acceleration: 85th percentile of the absolute changes of speed, metres per second per second, if known.
  ///   - movingTime: Seconds in motion, > 0.
  public init(
    medianSpeed: MetersPerSecond, fastSpeed: MetersPerSecond, topSpeed: MetersPerSecond, acceleration: Double?,
    movingTime: Double
  ) {
    self.medianSpeed = medianSpeed
    self.fastSpeed = fastSpeed
    self.topSpeed = topSpeed
    self.acceleration = acceleration
    self.movingTime = movingTime
  }
}

/// Computes the features of a part of a track, position by position.
public struct MotionMeter: Sendable {
  /// Minimum seconds over which a speed is measured: over one second the noise of a receiver exceeds a walking speed.
  static let baseline = 8.0
  /// A lower speed counts as rest, metres per second.
  static let still: MetersPerSecond = 0.5
  /// Maximum seconds of a gap that count as moving time. The movement in a longer gap is unknown.
  static let maximumWeight = 150.0
  /// Metres per second, faster than any passenger vehicle. A higher speed is a jump of the receiver.
  static let fastest: MetersPerSecond = 340
  /// Maximum seconds of a step for a change of speed to count as an acceleration. Longer steps smooth it.
  static let maximumAcceleration = 12.0
  /// Minimum number of changes of speed for an acceleration.
  static let minimumChanges = 5

  private struct Step: Sendable {
    var seconds: Double
    var speed: MetersPerSecond
  }

  private struct Position: Sendable {
    var coordinate: Coordinate
    var time: Date

    func step(to next: Position) -> Step {
      let seconds = next.time.timeIntervalSince(time)
      return Step(seconds: seconds, speed: GreatCircle.distance(coordinate, next.coordinate) / seconds)
    }
  }

  private var origin: Position?
  private var latest: Position?
  private var steps: [Step] = []

  public init() {}

  /// Adds the next position. A position older than the previous one is skipped.
  /// - Parameters:
  ///   - coordinate: The position.
  ///   - time: Time of the measurement.
  public mutating func add(_ coordinate: Coordinate, at time: Date) {
    let position = Position(coordinate: coordinate, time: time)
    guard let origin else {
      (self.origin, latest) = (position, position)
      return
    }
    guard let latest, time >= latest.time else { return }
    self.latest = position
    guard time.timeIntervalSince(origin.time) >= Self.baseline else { return }
    self.origin = position
    let step = origin.step(to: position)
    if step.speed <= Self.fastest { steps.append(step) }
  }

  /// The features of all positions so far; `nil` without movement. Sorts the steps.
  public var features: MotionFeatures? {
    var steps = steps
    if steps.isEmpty, let origin, let latest, latest.time > origin.time { steps = [origin.step(to: latest)] }
    let moving = steps.filter { $0.speed >= Self.still && $0.speed <= Self.fastest }.sorted { $0.speed < $1.speed }
    let time = moving.reduce(0) { $0 + min($1.seconds, Self.maximumWeight) }
    guard time > 0 else { return nil }
    return MotionFeatures(
      medianSpeed: Self.quantile(0.5, of: moving, time), fastSpeed: Self.quantile(0.85, of: moving, time),
      topSpeed: Self.quantile(0.95, of: moving, time), acceleration: Self.acceleration(of: steps), movingTime: time)
  }

  private static func acceleration(of steps: [Step]) -> Double? {
    let changes = zip(steps, steps.dropFirst()).compactMap { before, after -> Double? in
      let seconds = (before.seconds + after.seconds) / 2
      return seconds <= maximumAcceleration ? abs(after.speed - before.speed) / seconds : nil
    }
    guard changes.count >= minimumChanges else { return nil }
    return changes.sorted()[Int(0.85 * Double(changes.count - 1))]
  }

  /// Quantile weighted by time, so that a burst of positions has the weight of its duration.
  private static func quantile(_ share: Double, of sorted: [Step], _ total: Double) -> MetersPerSecond {
    var passed = 0.0
    for step in sorted {
      passed += min(step.seconds, maximumWeight)
      if passed >= share * total { return step.speed }
    }
    return sorted.last?.speed ?? 0
  }
}
