public import GodwitModel

/// Where the phone really is at any time, and how it moves: made of recorded tracks, without gaps, for all time. Before the
/// first sample the phone lies at the first place, after the last one at the last.
///
/// Reading is done with a ``TruthCursor``.
public struct Truth: Sendable {
  /// A straight piece of the way in which nothing changes but the place.
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
    /// Nil: what the place has.
    var environment: Environment?
    var isRecorded: Bool

    /// Since it began. 0 where nothing moves, however long that has been.
    func seconds(at time: Int64) -> Double { speed == 0 && climb == 0 ? 0 : Double(time - start) / 1e6 }
  }

  /// In order; the first begins at the beginning of time.
  let legs: [Leg]
  let surroundings: Surroundings
  /// The first and the last sample.
  public let start: SimulatedTime
  public let end: SimulatedTime
  /// Samples that were left out: of a time that another one had already, and farther away than anything moves.
  public let repeated: Int
  public let impossible: Int

  /// Makes a life of days, in any order.
  /// - Parameters:
  ///   - days: recorded tracks, each in order of time.
  ///   - rules: what happens between them.
  /// - Throws: ``TruthError`` when there is no sample at all.
  public init(days: [[Fix]], rules: TruthRules = TruthRules()) throws(TruthError) {
    var samples: [Sample] = []
    samples.reserveCapacity(days.reduce(0) { $0 + $1.count })
    for day in days { for fix in day { samples.append(Sample(fix)) } }
    // Not stable, but two samples of one time are one in the end; which one, is said by the place.
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

  /// A recorded place.
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

/// What is true at one moment.
public struct TruthState: Sendable, Hashable {
  public var latitude: Degrees
  public var longitude: Degrees
  /// Metres above the sea; 0 where the track had none.
  public var altitude: Meters
  public var speed: MetersPerSecond
  /// Degrees clockwise from north; nil when standing.
  public var course: Degrees?
  /// What a motion chip that is always right would see.
  public var motion: Motion
  public var environment: Environment
  /// False where the place was filled in by rule.
  public var isRecorded: Bool

  /// The place. Always one: the way never leaves the earth.
  public var coordinate: Coordinate { Plane.coordinate(latitude: latitude, longitude: longitude) }
  /// On the way, be it that it stands at a light.
  public var isMoving: Bool { motion != .stationary && !motion.isEmpty }
}

/// Reads the truth. Going on in time costs O(1) a step in the long run; a jump costs O(log n).
public struct TruthCursor: Sendable {
  public let truth: Truth
  private var index = 0
  private var square = GridSquare(latitude: 0, longitude: 0, side: 1)
  private var kind: Environment?

  public init(_ truth: Truth) { self.truth = truth }

  /// Side of a square of the surroundings: 250 m.
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

  /// When the truth next changes its way after the last requested moment: until then the phone goes straight on.
  public var nextChange: SimulatedTime {
    index + 1 < truth.legs.count ? SimulatedTime(microseconds: truth.legs[index + 1].start) : .never
  }

  /// The first change of motion after a moment, and what it changes to. Nil: it stays the same permanently.
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
    // The last leg that begins not later than t.
    var low = 0
    var high = legs.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if legs[middle].start <= t { low = middle } else { high = middle }
    }
    index = low
  }
}
