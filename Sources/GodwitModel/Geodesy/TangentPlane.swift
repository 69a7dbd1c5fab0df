/// The gnomonic projection of the surroundings of a place onto the tangent plane, seen from the centre of the earth. The shortest
/// lines on the sphere are straight in it. Lengths are in radii of the earth.
struct TangentPlane {
  private let axis, east, north: UnitVector
  /// Square of the maximum chord from the centre of the projection.
  private let reach: Double

  /// - Parameter circle: The area to project; less than a hemisphere.
  init(at circle: Circle) {
    axis = UnitVector(circle.center)
    (east, north) = axis.tangents
    reach = UnitVector.squaredChord(of: circle.radius * (1 + 1e-9) + 1e-3)
  }

  /// Returns the projection of a place; `nil` outside the circle.
  @inline(__always)
  func point(_ vector: UnitVector) -> SIMD2<Double>? {
    guard axis.squaredChord(to: vector) <= reach else { return nil }
    let height = vector.dot(axis)
    return SIMD2(vector.dot(east), vector.dot(north)) / height
  }

  /// Returns whether a ray eastwards from a point crosses an edge. At a corner, the number of crossed edges is odd if the ray
  /// passes through the ring, and even if it only touches it.
  @inline(__always)
  static func isCrossed(from start: SIMD2<Double>, to end: SIMD2<Double>, eastOf point: SIMD2<Double>) -> Bool {
    guard (start.y > point.y) != (end.y > point.y) else { return false }
    return point.x < start.x + (end.x - start.x) * ((point.y - start.y) / (end.y - start.y))
  }
}
