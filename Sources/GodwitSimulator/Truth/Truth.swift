public import GodwitModel

/// The true position and movement of the phone at any time. It is built from recorded tracks and has no gaps. Before the first
/// sample the phone is at the first place, and after the last sample at the last one.
///
/// Use a ``TruthCursor`` to read it.
public struct Truth: Sendable {
  /// A straight piece of the path with constant properties.
  struct Leg: Sendable {
    var start: Int64
    var latitude: Double
    var longitude: Double
    /// Degrees per second.
    var north: Double
    var east: Double
    var altitude: Double
    var climb: Double
    var speed: Double
    var course: Double?
    var motion: Motion
    /// `nil` for the environment of the place.
    var environment: Environment?
    var isRecorded: Bool

    /// Returns the seconds since the start of the leg; 0 if the leg does not move.
    func seconds(at time: Int64) -> Double { speed == 0 && climb == 0 ? 0 : Double(time - start) / 1e6 }
  }

  /// Sorted by time. The first leg starts at the earliest possible time.
  let legs: [Leg]
  let surroundings: Surroundings
  /// Times of the first and of the last sample.
  public let start: SimulatedTime
  public let end: SimulatedTime
  /// Numbers of samples that were left out because another sample has the same time, and because they are too far away to be
  /// reached.
  public let repeated: Int
  public let impossible: Int

  /// Builds the truth from recorded days, in any order.
  /// - Parameters:
  ///   - days: Recorded tracks, each sorted by time.
  ///   - rules: Rules that fill the gaps.
  /// - Throws: ``TruthError`` if there is no sample.
  public init(days: [[Fix]], rules: TruthRules = TruthRules()) throws(TruthError) {
    var samples: [Sample] = []
    samples.reserveCapacity(days.reduce(0) { $0 + $1.count })
    for day in days { for fix in day { samples.append(Sample(fix)) } }
    // The sort is not stable, but only one of several samples of the same time is used. The order by place makes the choice
    // deterministic.
    samples.sort { ($0.time, $0.latitude, $0.longitude) < ($1.time, $1.latitude, $1.longitude) }
    guard let first = samples.first else {
      throw TruthError(description: "there is no position in the tracks; give at least one point with a time")
    }
    var path = LegPath(rules: rules, first: first)
    for sample in samples.dropFirst() { path.go(to: sample) }
    path.finish()
    legs = path.legs
    surroundings = rules.surroundings
    start = SimulatedTime(microseconds: first.time)
    end = SimulatedTime(microseconds: path.last.time)
    repeated = path.repeated
    impossible = path.impossible
  }

  /// A recorded position.
  struct Sample {
    var time: Int64
    var latitude: Double
    var longitude: Double
    var altitude: Double

    init(_ fix: Fix) {
      time = SimulatedTime(fix.time).microseconds
      latitude = fix.coordinate.latitude
      longitude = fix.coordinate.longitude
      altitude = fix.altitude ?? 0
    }

    init(time: Int64, latitude: Double, longitude: Double, altitude: Double) {
      self.time = time
      self.latitude = latitude
      self.longitude = longitude
      self.altitude = altitude
    }
  }
}

/// The true state at one time.
public struct TruthState: Sendable, Hashable {
  public var latitude: Degrees
  public var longitude: Degrees
  /// Metres above sea level; 0 if the track had no altitude.
  public var altitude: Meters
  public var speed: MetersPerSecond
  /// Degrees clockwise from north; `nil` at rest.
  public var course: Degrees?
  /// Motion that an ideal motion chip would report.
  public var motion: Motion
  public var environment: Environment
  /// `false` if the position was filled in by a rule.
  public var isRecorded: Bool

  /// The position.
  public var coordinate: Coordinate { Plane.coordinate(latitude: latitude, longitude: longitude) }
  /// Whether the phone is moving. A stop in traffic counts as moving.
  public var isMoving: Bool { motion != .stationary && !motion.isEmpty }
}

/// Reads a ``Truth``. Reading forward in time costs amortized O(1) per step, and a jump costs O(log n).
public struct TruthCursor: Sendable {
  public let truth: Truth
  private var index = 0
  private var square = GridSquare(latitude: 0, longitude: 0, side: 1)
  private var kind: Environment?

  public init(_ truth: Truth) { self.truth = truth }

  /// Side of a square of the surroundings in degrees: 250 m.
  static let side = 0.00225

  public mutating func state(at time: SimulatedTime) -> TruthState {
    let t = time.microseconds
    seek(t)
    return truth.legs.withUnsafeBufferPointer { legs in
      let leg = legs[index]
      let seconds = leg.seconds(at: t)
      let latitude = leg.latitude + leg.north * seconds
      var longitude = leg.longitude + leg.east * seconds
      if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
      return TruthState(
        latitude: latitude, longitude: longitude, altitude: leg.altitude + leg.climb * seconds, speed: leg.speed,
        course: leg.course, motion: leg.motion,
        environment: leg.environment ?? outdoors(latitude: latitude, longitude: longitude), isRecorded: leg.isRecorded)
    }
  }

  /// The time of the next leg after the last requested time. Until then the phone moves in a straight line.
  public var nextChange: SimulatedTime {
    index + 1 < truth.legs.count ? SimulatedTime(microseconds: truth.legs[index + 1].start) : .never
  }

  /// Returns the first change of motion after a time, with the new motion; `nil` if the motion does not change again.
  public func motionChange(after time: SimulatedTime) -> (time: SimulatedTime, motion: Motion)? {
    var copy = self
    copy.seek(time.microseconds)
    return truth.legs.withUnsafeBufferPointer { legs in
      let motion = legs[copy.index].motion
      var next = copy.index + 1
      while next < legs.count, legs[next].motion == motion { next += 1 }
      return next < legs.count ? (SimulatedTime(microseconds: legs[next].start), legs[next].motion) : nil
    }
  }

  private mutating func outdoors(latitude: Double, longitude: Double) -> Environment {
    let here = GridSquare(latitude: latitude, longitude: longitude, side: Self.side)
    if let kind, here == square { return kind }
    let found = truth.surroundings.kind(in: here)
    square = here
    kind = found
    return found
  }

  private mutating func seek(_ t: Int64) {
    let legs = truth.legs
    var steps = 0
    while index + 1 < legs.count, legs[index + 1].start <= t, steps < 8 {
      index += 1
      steps += 1
    }
    if legs[index].start <= t && (index + 1 == legs.count || legs[index + 1].start > t) { return }
    // Finds the last leg that does not start after t.
    var low = 0
    var high = legs.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if legs[middle].start <= t { low = middle } else { high = middle }
    }
    index = low
  }
}
