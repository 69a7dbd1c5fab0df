#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A place as a unit vector. Poles and the antimeridian need no special cases, a mean of vectors is a place again, and distances
/// need no trigonometry. Lengths are in radii of the earth (``GreatCircle/earthRadius``).
struct UnitVector: Sendable, Hashable, Codable {
  /// Axes towards 0° N 0° E, 0° N 90° E and the north pole.
  var x, y, z: Double

  init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  init(_ place: Coordinate) {
    let (latitude, longitude) = (place.latitude.radians, place.longitude.radians)
    let flat = cos(latitude)
    self.init(x: flat * cos(longitude), y: flat * sin(longitude), z: sin(latitude))
  }

  /// The place in the direction of the vector, whose length does not matter; `nil` if the length is 0 or not finite.
  var coordinate: Coordinate? {
    guard dot(self) > 0 else { return nil }
    return Coordinate(latitude: atan2(z, (x * x + y * y).squareRoot()).degrees, longitude: atan2(y, x).degrees)
  }

  func dot(_ other: UnitVector) -> Double { x * other.x + y * other.y + z * other.z }

  func cross(_ other: UnitVector) -> UnitVector {
    UnitVector(x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
  }

  func minus(_ other: UnitVector) -> UnitVector { UnitVector(x: x - other.x, y: y - other.y, z: z - other.z) }

  /// Returns the squared chord to another place. It is exact for close places, unlike a scalar product.
  func squaredChord(to other: UnitVector) -> Double {
    let difference = minus(other)
    return difference.dot(difference)
  }

  /// Returns the squared chord of a distance along the surface, so that distances can be compared without a root or a sine.
  static func squaredChord(of distance: Meters) -> Double {
    let chord = 2 * sin(min(distance / GreatCircle.earthRadius, .pi) / 2)
    return chord * chord
  }

  /// Returns the sine of an angle in radians, for files that do not import the C math library.
  static func sine(_ angle: Double) -> Double { sin(angle) }

  /// Two unit vectors perpendicular to this one and to each other. Valid at the poles.
  var tangents: (UnitVector, UnitVector) {
    // An axis that is not nearly parallel to the vector, so that the cross product is not short.
    let axis = abs(z) < 0.8 ? UnitVector(x: 0, y: 0, z: 1) : UnitVector(x: 1, y: 0, z: 0)
    let first = axis.cross(self)
    let length = first.dot(first).squareRoot()
    let east = UnitVector(x: first.x / length, y: first.y / length, z: first.z / length)
    return (east, cross(east))
  }
}
