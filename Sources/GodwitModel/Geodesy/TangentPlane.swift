/// A map of the places around one, on the plane that touches the sphere there, seen from the middle of the earth: the shortest
/// lines on the sphere are straight on it (the gnomonic projection). Lengths are in radii of the earth.
struct TangentPlane {
  private let axis, east, north: UnitVector
  /// Square of the chord from the middle beyond which nothing is on the map.
  private let reach: Double

  /// - Parameter circle: What is to be on the map; less than half of the earth.
  init(at circle: Circle) {
    axis = UnitVector(circle.center)
    (east, north) = axis.tangents
    reach = UnitVector.squaredChord(of: circle.radius * (1 + 1e-9) + 1e-3)
  }

  /// Where a place is on the map; nothing where it is outside of the circle.
  @inline(__always)
  func point(_ vector: UnitVector) -> SIMD2<Double>? {
    guard axis.squaredChord(to: vector) <= reach else { return nil }
    let height = vector.dot(axis)
    return SIMD2(vector.dot(east), vector.dot(north)) / height
  }

  /// Whether a line eastwards from a point crosses an edge. Of two edges that meet at a corner it crosses one or both as it goes
  /// through their ring or touches it.
  @inline(__always)
  static func isCrossed(from start: SIMD2<Double>, to end: SIMD2<Double>, eastOf point: SIMD2<Double>) -> Bool {
    guard (start.y > point.y) != (end.y > point.y) else { return false }
    return point.x < start.x + (end.x - start.x) * ((point.y - start.y) / (end.y - start.y))
  }
}
