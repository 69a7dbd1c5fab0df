#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The shortest line between two places on the sphere, less than half of the way round it.
struct GreatArc {
  let start, end: UnitVector
  /// At right angles to the plane of the two, its length that of the chord between them times nearly 2.
  private let normal: UnitVector

  init(_ start: UnitVector, _ end: UnitVector) {
    self.start = start
    self.end = end
    // The same as twice the product of the two, and exact for close ones as well.
    let sum = UnitVector(x: start.x + end.x, y: start.y + end.y, z: start.z + end.z)
    normal = start.minus(end).cross(sum)
  }

  /// Metres from a place to the nearest one on the line.
  func distance(to place: UnitVector) -> Meters {
    let squared = normal.dot(normal)
    // Between the two planes that stand on the ends.
    if squared > 0, normal.cross(start).dot(place) >= 0, normal.cross(end).dot(place) <= 0 {
      return asin(min(1, abs(normal.dot(place)) / squared.squareRoot())) * GreatCircle.earthRadius
    }
    let chord = min(start.squaredChord(to: place), end.squaredChord(to: place)).squareRoot()
    return 2 * asin(min(1, chord / 2)) * GreatCircle.earthRadius
  }
}
