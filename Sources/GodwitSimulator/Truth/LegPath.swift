internal import GodwitModel

/// Builds the legs of a truth from samples.
struct LegPath {
  private let rules: TruthRules
  private(set) var legs: [Truth.Leg]
  private(set) var last: Truth.Sample
  private(set) var repeated = 0
  private(set) var impossible = 0

  /// Maximum length in metres of a piece of a great circle. Each piece is straight in degrees.
  private static let piece: Meters = 20_000

  init(rules: TruthRules, first: Truth.Sample) {
    self.rules = rules
    last = first
    legs = [Self.stay(at: first, from: .min)]
  }

  mutating func go(to next: Truth.Sample) {
    let gap = Double(next.time - last.time) / 1e6
    guard gap > 0 else {
      repeated += 1
      return
    }
    guard isPossible(next, gap: gap) else {
      impossible += 1
      return
    }
    if gap > rules.maximumStep { fill(to: next, gap: gap) } else { line(to: next, isRecorded: true) }
    last = next
  }

  private func isPossible(_ next: Truth.Sample, gap: Double) -> Bool {
    let reach = rules.fastest * gap
    if Self.path(from: last, to: next).0 <= reach { return true }
    // The planar distance is wrong for long paths near the poles. A distance of more than 500 km is therefore measured on the
    // sphere.
    return reach > 500_000
      && Plane.greatCircle(from: (last.latitude, last.longitude), to: (next.latitude, next.longitude), step: .infinity).length
        <= reach
  }

  /// Appends the final stay, and sets environments and motions. Called after the last sample.
  mutating func finish() {
    var stay = Self.stay(at: last, from: last.time)
    stay.environment = .indoors
    legs.append(stay)
    for stretch in rules.stretches { apply(stretch) }
    MotionOfLegs.notify(&legs)
  }

  private mutating func fill(to next: Truth.Sample, gap: Double) {
    let (points, length) = Plane.greatCircle(
      from: (last.latitude, last.longitude), to: (next.latitude, next.longitude), step: Self.piece)
    let usual =
      length <= rules.walkingRange
      ? rules.walkingSpeed : length <= rules.drivingRange ? rules.drivingSpeed : rules.flyingSpeed
    let travel = min(gap, length / usual)
    let rest = gap - travel
    if rest > 0 {
      var stay = Self.stay(at: last, from: last.time)
      if rest >= rules.indoorsAfter { stay.environment = .indoors }
      legs.append(stay)
      last.time = next.time - Int64((travel * 1e6).rounded())
    }
    guard last.time < next.time else { return }
    let start = last
    for (i, point) in points.enumerated() {
      let part = Double(i + 1) / Double(points.count)
      let time = i + 1 == points.count ? next.time : start.time + Int64(Double(next.time - start.time) * part)
      line(
        to: Truth.Sample(
          time: time, latitude: point.latitude, longitude: point.longitude,
          altitude: start.altitude + (next.altitude - start.altitude) * part), isRecorded: false)
      if length > rules.drivingRange { legs[legs.count - 1].environment = .flight }
    }
  }

  /// Appends a straight leg from `last`.
  private mutating func line(to next: Truth.Sample, isRecorded: Bool) {
    let seconds = Double(next.time - last.time) / 1e6
    guard seconds > 0 else {
      last = next
      return
    }
    let (length, course) = Self.path(from: last, to: next)
    legs.append(
      Truth.Leg(
        start: last.time, latitude: last.latitude, longitude: last.longitude,
        north: (next.latitude - last.latitude) / seconds,
        east: Plane.difference(last.longitude, next.longitude) / seconds, altitude: last.altitude,
        climb: (next.altitude - last.altitude) / seconds, speed: length / seconds, course: length > 0 ? course : nil, motion: [],
        environment: nil, isRecorded: isRecorded))
    last = next
  }

  /// Returns the length in metres and the course in degrees, on the plane at the midpoint.
  private static func path(from a: Truth.Sample, to b: Truth.Sample) -> (Meters, Degrees) {
    let north = (b.latitude - a.latitude) * Plane.metersPerDegree
    let east =
      Plane.difference(a.longitude, b.longitude) * Plane.metersPerDegreeEast(latitude: (a.latitude + b.latitude) / 2)
    let course = DeterministicMath.angle(y: east, x: north)
    return ((north * north + east * east).squareRoot(), course < 0 ? course + 360 : course)
  }

  private static func stay(at place: Truth.Sample, from start: Int64) -> Truth.Leg {
    Truth.Leg(
      start: start, latitude: place.latitude, longitude: place.longitude, north: 0, east: 0, altitude: place.altitude, climb: 0,
      speed: 0, course: nil, motion: [], environment: start == .min ? .indoors : nil, isRecorded: false)
  }

  /// Splits the legs at the ends of a stretch, and sets the environment of the legs in between.
  private mutating func apply(_ stretch: TruthRules.Stretch) {
    guard stretch.start < stretch.end else { return }
    cut(at: stretch.start.microseconds)
    cut(at: stretch.end.microseconds)
    for i in legs.indices where legs[i].start >= stretch.start.microseconds && legs[i].start < stretch.end.microseconds {
      legs[i].environment = stretch.environment
    }
  }

  private mutating func cut(at time: Int64) {
    guard let index = legs.lastIndex(where: { $0.start <= time }), legs[index].start < time else { return }
    var second = legs[index]
    let seconds = second.seconds(at: time)
    second.start = time
    second.latitude += second.north * seconds
    second.longitude += second.east * seconds
    second.altitude += second.climb * seconds
    legs.insert(second, at: index + 1)
  }
}

/// The motions that an ideal motion chip would report, from the speed within one minute.
///
/// The speed is computed from the displacement and not from the length of the path, because the positions of a receiver at rest
/// wander.
enum MotionOfLegs {
  /// Microseconds before and after the middle of a leg.
  private static let reach: Int64 = 30_000_000
  // Metres per second. The motion classifier has the same limits.
  private static let still = 0.4
  private static let walkingTop = 2.2
  private static let runningTop = 3.6
  private static let cyclingTop = 9.5

  static func notify(_ legs: inout [Truth.Leg]) {
    var back = 0
    var ahead = 0
    for i in legs.indices {
      guard i > 0, i + 1 < legs.count else {
        legs[i].motion = .stationary
        continue
      }
      // Each time is halved before the sum to prevent an overflow.
      let middle = legs[i].start / 2 + legs[i + 1].start / 2
      let reach = Self.reach
      while back + 1 < legs.count, legs[back + 1].start <= middle - reach { back += 1 }
      while ahead + 1 < legs.count, legs[ahead + 1].start <= middle + reach { ahead += 1 }
      let a = place(legs[back], at: middle - reach)
      let b = place(legs[ahead], at: middle + reach)
      let north = (b.latitude - a.latitude) * Plane.metersPerDegree
      let east =
        Plane.difference(a.longitude, b.longitude) * Plane.metersPerDegreeEast(latitude: (a.latitude + b.latitude) / 2)
      let speed = (north * north + east * east).squareRoot() * 1e6 / Double(2 * reach)
      legs[i].motion = kind(speed: speed, now: legs[i].speed)
    }
  }

  private static func kind(speed: Double, now: Double) -> Motion {
    if speed < still { return .stationary }
    if speed < walkingTop { return .walking }
    if speed < runningTop { return .running }
    if speed < cyclingTop { return now < still ? [.cycling, .stationary] : .cycling }
    return now < still ? [.driving, .stationary] : .driving
  }

  private static func place(_ leg: Truth.Leg, at time: Int64) -> (latitude: Double, longitude: Double) {
    let seconds = leg.seconds(at: time)
    return (leg.latitude + leg.north * seconds, leg.longitude + leg.east * seconds)
  }
}
