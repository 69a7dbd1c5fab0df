internal import GodwitModel

/// The earth as it is flat around one place, and the great circle where it is not: with the simulator's own functions, so
/// that all machines agree to the last bit.
enum Plane {
  /// Metres in a degree of latitude, on the sphere of `GreatCircle`.
  static let metersPerDegree = GreatCircle.earthRadius * .pi / 180

  /// Metres in a degree of longitude; never 0, so that it can be divided by.
  static func metersPerDegreeEast(latitude: Double) -> Double {
    max(metersPerDegree * 1e-6, metersPerDegree * DeterministicMath.sineCosine(degrees: latitude).cosine)
  }

  /// The shortest way round from one longitude to another, −180…180.
  static func difference(_ from: Double, _ to: Double) -> Double {
    let d = to - from
    return d > 180 ? d - 360 : d < -180 ? d + 360 : d
  }

  // In range.
  private static let equator = Coordinate(latitude: 0, longitude: 0)!

  /// What is beyond a pole or the date line is brought back. A number that is none leaves it at the equator.
  static func coordinate(latitude: Double, longitude: Double) -> Coordinate {
    var east = longitude
    if east > 180 { east -= 360 } else if east < -180 { east += 360 }
    // Held to the ranges that Coordinate wants, this is always one; and so is the equator's.
    return Coordinate(latitude: max(-90, min(90, latitude)), longitude: max(-180, min(180, east))) ?? equator
  }

  /// Points of the great circle between two places, without the first and with the last, none farther than `step` metres
  /// from the one before.
  static func greatCircle(
    from a: (latitude: Double, longitude: Double), to b: (latitude: Double, longitude: Double), step: Meters
  ) -> (points: [(latitude: Double, longitude: Double)], length: Meters) {
    let u = vector(a)
    let v = vector(b)
    let chord = ((u.x - v.x) * (u.x - v.x) + (u.y - v.y) * (u.y - v.y) + (u.z - v.z) * (u.z - v.z)).squareRoot()
    let half = min(1, chord / 2)
    let angle = 2 * DeterministicMath.angle(y: half, x: (1 - half * half).squareRoot())
    let length = angle * metersPerDegree
    let count = max(1, Int((length / step).rounded(.up)))
    let sine = DeterministicMath.sineCosine(degrees: angle).sine
    // Antipodes are joined by more than one great circle.
    guard count > 1, sine > 1e-9 else { return ([b], length) }
    var points: [(latitude: Double, longitude: Double)] = []
    for i in 1..<count {
      let part = Double(i) / Double(count)
      let p = DeterministicMath.sineCosine(degrees: angle * (1 - part)).sine / sine
      let q = DeterministicMath.sineCosine(degrees: angle * part).sine / sine
      let (x, y, z) = (p * u.x + q * v.x, p * u.y + q * v.y, p * u.z + q * v.z)
      points.append((DeterministicMath.angle(y: z, x: (x * x + y * y).squareRoot()), DeterministicMath.angle(y: y, x: x)))
    }
    return (points + [b], length)
  }

  private static func vector(_ place: (latitude: Double, longitude: Double)) -> (x: Double, y: Double, z: Double) {
    let (sinLatitude, cosLatitude) = DeterministicMath.sineCosine(degrees: place.latitude)
    let (sinLongitude, cosLongitude) = DeterministicMath.sineCosine(degrees: place.longitude)
    return (cosLatitude * cosLongitude, cosLatitude * sinLongitude, sinLatitude)
  }
}
