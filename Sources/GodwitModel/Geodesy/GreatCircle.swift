#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Geometry on a sphere of the earth's mean radius. Its error against the ellipsoid is at most 0.56 %, which
/// is well inside what a receiver measures; where metres count over long ways, see ``Geodesic``.
public enum GreatCircle {
  /// Mean radius of the earth, (2a + b) / 3 of WGS 84 (Moritz, Geodetic Reference System 1980).
  public static let earthRadius: Meters = 6_371_008.8

  /// Distance along the surface in metres, by the haversine formula, which stays exact for close points
  /// (Sinnott, Virtues of the Haversine, Sky and Telescope 68, 1984).
  public static func distance(_ a: Coordinate, _ b: Coordinate) -> Meters {
    let φ1 = a.latitude.radians
    let φ2 = b.latitude.radians
    let sinΔφ = sin((φ2 - φ1) / 2)
    let sinΔλ = sin((b.longitude - a.longitude).radians / 2)
    let h = sinΔφ * sinΔφ + cos(φ1) * cos(φ2) * sinΔλ * sinΔλ
    return 2 * earthRadius * asin(min(1, h.squareRoot()))
  }

  /// Course at `a` of the great circle to `b`: degrees clockwise from true north, 0 ..< 360. 0 for equal points.
  public static func initialCourse(from a: Coordinate, to b: Coordinate) -> Degrees {
    let φ1 = a.latitude.radians
    let φ2 = b.latitude.radians
    let Δλ = (b.longitude - a.longitude).radians
    let y = sin(Δλ) * cos(φ2)
    let x = cos(φ1) * sin(φ2) - sin(φ1) * cos(φ2) * cos(Δλ)
    let course = atan2(y, x).degrees
    return course < 0 ? course + 360 : course
  }

  /// The place reached from `start` after `distance` metres along the great circle that leaves it at `course`.
  public static func destination(from start: Coordinate, course: Degrees, distance: Meters) -> Coordinate {
    let δ = distance / earthRadius
    let θ = course.radians
    let φ1 = start.latitude.radians
    let φ2 = asin(max(-1, min(1, sin(φ1) * cos(δ) + cos(φ1) * sin(δ) * cos(θ))))
    let λ2 = start.longitude.radians + atan2(sin(θ) * sin(δ) * cos(φ1), cos(δ) - sin(φ1) * sin(φ2))
    let longitude = remainder(λ2.degrees, 360)
    // Always valid: asin gives ±90 at most and remainder ±180 at most. A NaN argument leaves us at the start.
    return Coordinate(latitude: φ2.degrees, longitude: longitude) ?? start
  }
}

extension Double {
  /// Degrees as radians.
  var radians: Double { self * .pi / 180 }
  /// Radians as degrees.
  var degrees: Double { self * 180 / .pi }
}
