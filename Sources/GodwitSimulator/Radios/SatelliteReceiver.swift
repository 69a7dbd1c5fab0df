public import GodwitModel

internal import struct Foundation.Date

/// A phone's satellite receiver: its time to first fix, and the errors of its fixes.
///
/// The caller turns the receiver on, calls it at each ``nextTick``, and turns it off.
public struct SatelliteReceiver: Sendable {
  /// Kind of start, by the data that the receiver still has.
  public enum Start: String, Sendable, Hashable, Codable, CaseIterable {
    /// The last fix was within two hours and not far away.
    case hot
    /// The network provides the satellites' orbits.
    case assisted
    /// The receiver knows its approximate position and time.
    case warm
    /// No data of earlier fixes.
    case cold

    static let hotSeconds = 1.0...5
    static let assistedSeconds = 3.0...10

    /// Draws a time to first fix in seconds under the open sky.
    public func seconds(_ random: inout RandomSource) -> Double {
      switch self {
      case .hot: random.uniform(Self.hotSeconds)
      case .assisted: random.uniform(Self.assistedSeconds)
      case .warm: random.uniform(20...45)
      // Receiving the whole almanac takes 12.5 minutes, which is the maximum.
      case .cold: min(750, 30 + random.exponential(mean: 45))
      }
    }
  }

  // In seconds and metres.
  static let hotFor = 7_200.0
  static let warmFor = 30 * DayLength.seconds
  static let sameArea: Meters = 100_000
  /// After a loss of this many seconds the receiver must search for the satellites again.
  static let shortLoss = 10.0
  static let speedDeviation: MetersPerSecond = 0.3
  static let slowestCourse: MetersPerSecond = 0.5
  /// The first accuracy that is reported after a start that was not hot, in metres, and the time constant of its improvement in
  /// seconds: 65, 30, 10, 5 m within 5 to 15 s.
  static let firstAccuracy: Meters = 65
  static let convergence = 3.5
  /// Factor of the error of the first fix after a hot start.
  static let firstAfterHot = 1.5

  private struct LastFix: Sendable {
    var time: SimulatedTime
    var latitude: Double
    var longitude: Double
  }

  private var random: RandomSource
  private var noise: CorrelatedNoise
  private var mood: GaussMarkov
  private var ticked: SimulatedTime?
  private var lastFix: LastFix?
  private var firstFix: SimulatedTime?
  /// Remaining search time in seconds with a visible sky.
  private var needed = 0.0
  private var lostFor = 0.0
  private var jump: (until: SimulatedTime, north: Double, east: Double)?
  private var outageUntil: SimulatedTime?

  public private(set) var isOn = false
  /// Kind of the last start.
  public private(set) var start: Start?
  /// Whether the receiver is on without a fix, or has lost the satellites.
  public var isSearching: Bool { isOn && (needed > 0 || lostFor > Self.shortLoss) }
  /// Time of the next call of ``tick(at:truth:isAssisted:)``; `never` while the receiver is off.
  public private(set) var nextTick = SimulatedTime.never

  public init(seed: UInt64) {
    random = RandomSource(seed: seed, stream: "gnss")
    noise = CorrelatedNoise(random: &random)
    mood = GaussMarkov(correlationTime: 60, random: &random)
  }

  /// - Parameters:
  ///   - time: The current time.
  ///   - truth: The true position.
  ///   - isAssisted: Whether a network provides assistance data.
  public mutating func turnOn(at time: SimulatedTime, truth: TruthState, isAssisted: Bool) {
    guard !isOn else { return }
    isOn = true
    firstFix = nil
    lostFor = 0
    begin(at: time, truth: truth, isAssisted: isAssisted)
    advanceNoise(to: time, truth: truth)
    plan(after: time, seesSky: truth.environment.seesSky)
  }

  public mutating func turnOff() {
    isOn = false
    needed = 0
    nextTick = .never
  }

  /// Advances the receiver. - Returns: a fix; `nil` while the receiver has none.
  /// - Parameters:
  ///   - time: Not before ``nextTick``.
  ///   - truth: The true position.
  ///   - isAssisted: Whether a network provides assistance data.
  public mutating func tick(at time: SimulatedTime, truth: TruthState, isAssisted: Bool) -> Fix? {
    guard isOn else { return nil }
    let seconds = ticked.map { time - $0 } ?? 0
    advanceNoise(to: time, truth: truth)
    guard let sky = SkyQuality.of(truth.environment), !isInOutage(sky, seconds: seconds, at: time) else {
      lostFor += seconds
      plan(after: time, seesSky: false)
      return nil
    }
    if needed <= 0, lostFor > Self.shortLoss {
      firstFix = nil
      begin(at: time, truth: truth, isAssisted: isAssisted)
    } else if needed > 0 {
      needed = max(0, needed - seconds)
      // Times are whole microseconds, so a remainder below one counts as 0.
      if needed < 1e-6 { needed = 0 }
    }
    lostFor = 0
    plan(after: time, seesSky: true)
    return needed > 0 ? nil : fix(sky, at: time, truth: truth)
  }

  /// Draws the duration of the search for satellites.
  private mutating func begin(at time: SimulatedTime, truth: TruthState, isAssisted: Bool) {
    let start = kind(at: time, truth: truth, isAssisted: isAssisted)
    self.start = start
    needed = start.seconds(&random) * (SkyQuality.of(truth.environment)?.startFactor ?? 1)
  }

  private func kind(at time: SimulatedTime, truth: TruthState, isAssisted: Bool) -> Start {
    guard let last = lastFix else { return isAssisted ? .assisted : .cold }
    let north = (truth.latitude - last.latitude) * Plane.metersPerDegree
    let east = Plane.difference(last.longitude, truth.longitude) * Plane.metersPerDegreeEast(latitude: truth.latitude)
    let isSameArea = north * north + east * east < Self.sameArea * Self.sameArea
    let age = time - last.time
    if isSameArea && age < Self.hotFor { return .hot }
    if isAssisted { return .assisted }
    return isSameArea && age < Self.warmFor ? .warm : .cold
  }

  private mutating func plan(after time: SimulatedTime, seesSky: Bool) {
    nextTick = time + (seesSky && needed > 0 ? min(1, needed) : 1)
  }

  private mutating func advanceNoise(to time: SimulatedTime, truth: TruthState) {
    let seconds = ticked.map { time - $0 } ?? 0
    ticked = time
    guard seconds > 0 else { return }
    noise.advance(seconds, fastTime: SkyQuality.of(truth.environment)?.fastTime ?? CorrelatedNoise.fastTime, random: &random)
    mood.advance(seconds, random: &random)
  }

  private mutating func isInOutage(_ sky: SkyQuality, seconds: Double, at time: SimulatedTime) -> Bool {
    guard sky.secondsBetweenOutages > 0 else {
      outageUntil = nil
      return false
    }
    if let until = outageUntil {
      if time < until { return true }
      outageUntil = nil
    } else if random.happens(1 - DeterministicMath.exp(-seconds / sky.secondsBetweenOutages)) {
      outageUntil = time + random.uniform(SkyQuality.outageSeconds)
      return true
    }
    return false
  }

  private mutating func reflection(_ sky: SkyQuality, at time: SimulatedTime) -> (north: Double, east: Double) {
    guard sky.secondsBetweenJumps > 0 else {
      jump = nil
      return (0, 0)
    }
    if let jump, time < jump.until { return (jump.north, jump.east) }
    jump = nil
    // Called once a second.
    guard random.happens(1 / sky.secondsBetweenJumps) else { return (0, 0) }
    let direction = random.direction()
    let length = random.uniform(SkyQuality.jump)
    let new = (
      until: time + random.uniform(SkyQuality.jumpSeconds), north: direction.north * length, east: direction.east * length
    )
    jump = new
    return (new.north, new.east)
  }

  /// Returns the factor by which errors are larger some seconds after the first fix.
  static func worse(isHot: Bool, _ sky: SkyQuality, after seconds: Double) -> Double {
    let worst = isHot ? firstAfterHot : max(1, firstAccuracy / sky.typicalAccuracy)
    return 1 + (worst - 1) * DeterministicMath.exp(-seconds / convergence)
  }

  private mutating func fix(_ sky: SkyQuality, at time: SimulatedTime, truth: TruthState) -> Fix {
    let began = firstFix ?? time
    firstFix = began
    lastFix = LastFix(time: time, latitude: truth.latitude, longitude: truth.longitude)
    // Errors are larger shortly after a start.
    let age = time - began
    let worse = age > 60 ? 1 : Self.worse(isHot: start == .hot, sky, after: age)
    let offset = noise.offset(fast: sky.fast * worse, slow: sky.slow * worse)
    let reflected = reflection(sky, at: time)
    var reported = max(
      sky.reported.lowerBound, min(sky.reported.upperBound, sky.typicalAccuracy * DeterministicMath.exp(0.3 * mood.value)))
    // A fifth of the normal distribution lies below −0.84.
    if sky.optimistic > 0, mood.value < -0.8416 { reported = max(5, reported * 0.4) }
    reported *= worse
    let speed = max(0, truth.speed + Self.speedDeviation * random.normal())
    let courseNoise = random.normal()
    var course: Double?
    var courseAccuracy: Double?
    if let real = truth.course, speed >= Self.slowestCourse {
      // The angle that the speed's error spans, at most 90°.
      let accuracy = min(90, Self.speedDeviation / speed * 180 / .pi)
      let turned = real + accuracy * courseNoise
      course = turned < 0 ? turned + 360 : turned >= 360 ? turned - 360 : turned
      courseAccuracy = accuracy
    }
    return Fix(
      time: time.date,
      coordinate: Displacement.from(truth, north: offset.north + reflected.north, east: offset.east + reflected.east),
      horizontalAccuracy: reported, altitude: truth.altitude + 1.7 * offset.up, verticalAccuracy: 1.7 * reported, speed: speed,
      speedAccuracy: Self.speedDeviation, course: course, courseAccuracy: courseAccuracy)
  }
}

/// A position at a distance in metres from another one.
enum Displacement {
  static func from(_ truth: TruthState, north: Double, east: Double) -> Coordinate {
    Plane.coordinate(
      latitude: truth.latitude + north / Plane.metersPerDegree,
      longitude: truth.longitude + east / Plane.metersPerDegreeEast(latitude: truth.latitude))
  }
}
