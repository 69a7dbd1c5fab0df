#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The shortest line between two places on the sphere, less than half of a great circle.
struct GreatArc {
  let start, end: UnitVector
  /// Normal of the plane of the two places. Its length is nearly twice that of the chord between them.
  private let normal: UnitVector

  init(_ start: UnitVector, _ end: UnitVector) {
    self.start = start
    self.end = end
    // Twice the cross product of the two vectors, in a form that is also exact for close places.
    let sum = UnitVector(x: start.x + end.x, y: start.y + end.y, z: start.z + end.z)
    normal = start.minus(end).cross(sum)
  }

  /// Returns the distance in metres from a place to the line.
  func distance(to place: UnitVector) -> Meters {
    let squared = normal.dot(normal)
    // The place is between the planes that are perpendicular to the line at its ends.
    if squared > 0, normal.cross(start).dot(place) >= 0, normal.cross(end).dot(place) <= 0 {
      return asin(min(1, abs(normal.dot(place)) / squared.squareRoot())) * GreatCircle.earthRadius
    }
    let chord = min(start.squaredChord(to: place), end.squaredChord(to: place)).squareRoot()
    return 2 * asin(min(1, chord / 2)) * GreatCircle.earthRadius
  }
}
