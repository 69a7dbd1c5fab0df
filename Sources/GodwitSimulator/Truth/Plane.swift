internal import GodwitModel

/// Plane geometry around a place, and great circles for long distances. It uses the simulator's own functions, so that results are
/// equal to the last bit on all machines.
enum Plane {
  /// Metres in a degree of latitude, on the sphere of `GreatCircle`.
  static let metersPerDegree = GreatCircle.earthRadius * .pi / 180

  /// Returns the metres in a degree of longitude. Never 0, so that it can be a divisor.
  static func metersPerDegreeEast(latitude: Double) -> Double {
    max(metersPerDegree * 1e-6, metersPerDegree * DeterministicMath.sineCosine(degrees: latitude).cosine)
  }

  /// Returns the shortest difference from one longitude to another, −180…180.
  static func difference(_ from: Double, _ to: Double) -> Double {
    let d = to - from
    return d > 180 ? d - 360 : d < -180 ? d + 360 : d
  }

  // Both numbers are in range.
  private static let equator = Coordinate(latitude: 0, longitude: 0)!

  /// Returns a valid coordinate: the latitude is clamped, and the longitude is wrapped at the antimeridian. Returns (0, 0) for NaN.
  static func coordinate(latitude: Double, longitude: Double) -> Coordinate {
    var east = longitude
    if east > 180 { east -= 360 } else if east < -180 { east += 360 }
    // Clamped numbers are valid, except NaN.
    return Coordinate(latitude: max(-90, min(90, latitude)), longitude: max(-180, min(180, east))) ?? equator
  }

  /// Returns points of the great circle between two places. The first place is excluded and the last one is included. Consecutive
  /// points are at most `step` metres apart.
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
    // Antipodes are connected by more than one great circle.
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
