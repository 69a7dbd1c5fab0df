#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Geometry on a sphere with the earth's mean radius. Distances differ from those on the ellipsoid by at most 0.56 %, well below
/// the accuracy of a receiver. For exact long distances see ``Geodesic``.
public enum GreatCircle {
  /// Mean radius of the earth, (2a + b) / 3 of WGS 84 (Moritz, Geodetic Reference System 1980).
  public static let earthRadius: Meters = 6_371_008.8

  /// Returns the distance along the surface in metres, by the haversine formula, which is exact for close points (Sinnott, Virtues
  /// of the Haversine, Sky and Telescope 68, 1984).
  public static func distance(_ a: Coordinate, _ b: Coordinate) -> Meters {
    Observer(b).distance(fromLatitude: a.latitude, longitude: a.longitude)
  }

  /// Computes many distances from one origin. The formula and the results are those of ``distance(_:_:)``, to the last bit. The
  /// values of the origin are computed once.
  struct Observer {
    private let latitude, longitude, cosine: Double

    @inline(__always) init(_ place: Coordinate) {
      latitude = place.latitude.radians
      longitude = place.longitude
      cosine = cos(latitude)
    }

    /// Returns the distance in metres from a place given in degrees.
    @inline(__always) func distance(fromLatitude lat: Degrees, longitude lon: Degrees) -> Meters {
      let lat1 = lat.radians
      let sinLatitude = sin((latitude - lat1) / 2)
      let sinLongitude = sin((longitude - lon).radians / 2)
      let h = sinLatitude * sinLatitude + cos(lat1) * cosine * sinLongitude * sinLongitude
      return 2 * earthRadius * asin(min(1, h.squareRoot()))
    }
  }

  /// Returns the course at `a` of the great circle to `b`: degrees clockwise from true north, 0 ..< 360. Returns 0 for equal
  /// points.
  public static func initialCourse(from a: Coordinate, to b: Coordinate) -> Degrees {
    let lat1 = a.latitude.radians
    let lat2 = b.latitude.radians
    let difference = (b.longitude - a.longitude).radians
    let y = sin(difference) * cos(lat2)
    let x = cos(lat1) * sin(lat2) - sin(lat1) * cos(lat2) * cos(difference)
    let course = atan2(y, x).degrees
    return course < 0 ? course + 360 : course
  }

  /// Returns the place at `distance` metres from `start` along the great circle with the initial course `course`.
  public static func destination(from start: Coordinate, course: Degrees, distance: Meters) -> Coordinate {
    let angle = distance / earthRadius
    let bearing = course.radians
    let lat1 = start.latitude.radians
    let lat2 = asin(max(-1, min(1, sin(lat1) * cos(angle) + cos(lat1) * sin(angle) * cos(bearing))))
    // Neither argument vanishes with the cosine of the latitude, so that the formula is valid at the poles.
    let y = sin(bearing) * sin(angle)
    let x = cos(angle) * cos(lat1) - sin(lat1) * sin(angle) * cos(bearing)
    let lon2 = start.longitude.radians + atan2(y, x)
    let longitude = remainder(lon2.degrees, 360)
    // The numbers are valid: asin is within ±90° and remainder within ±180°. A NaN argument returns the start.
    return Coordinate(latitude: lat2.degrees, longitude: longitude) ?? start
  }
}

extension Double {
  /// Degrees as radians.
  var radians: Double { self * .pi / 180 }
  /// Radians as degrees.
  var degrees: Double { self * 180 / .pi }
}

extension Coordinate {
  /// Returns the great-circle distance to another place, as ``GreatCircle/distance(_:_:)``.
  /// - Parameter other: The other place.
  /// - Returns: Metres, at most half of the earth's circumference.
  public func distance(to other: Coordinate) -> Meters { GreatCircle.distance(self, other) }
}
