/// Validates the rings of a polygon and computes its enclosing circle.
enum PolygonCheck {
  /// Two objects that are closer than this on the map touch. In radii of the earth: 6 µm, a thousand times the rounding error.
  static let touch = 1e-12

  /// - Parameter rings: The outer ring, then the holes. The first corner is not repeated at the end.
  /// - Returns: The smallest circle around the outer ring.
  static func enclosingCircle(of rings: [[Coordinate]]) throws(PolygonFault) -> Circle {
    try checkCorners(of: rings)
    let circle = try circle(around: rings)
    let plane = TangentPlane(at: circle)
    var points: [[SIMD2<Double>]] = []
    for (ring, corners) in rings.enumerated() {
      var mapped: [SIMD2<Double>] = []
      mapped.reserveCapacity(corners.count)
      for (corner, place) in corners.enumerated() {
        // Corners of the outer ring are always in the circle, so that the error is in a hole.
        guard let point = plane.point(UnitVector(place)) else {
          throw PolygonFault(ring: ring, corner: corner, problem: .holeOutside)
        }
        mapped.append(point)
      }
      try checkWidth(of: mapped, ring: ring)
      points.append(mapped)
    }
    if let (first, second) = RingCrossings.first(in: points) {
      // The fault is reported at the later of the two edges.
      let (earlier, later) = (first.ring, first.corner) < (second.ring, second.corner) ? (first, second) : (second, first)
      throw PolygonFault(
        ring: later.ring, corner: later.corner, problem: .edgesCross(ring: earlier.ring, corner: earlier.corner))
    }
    try checkHoles(points)
    return circle
  }

  private static func checkCorners(of rings: [[Coordinate]]) throws(PolygonFault) {
    let count = rings.reduce(0) { $0 + $1.count }
    for (ring, corners) in rings.enumerated() {
      guard corners.count >= 3 else {
        throw PolygonFault(ring: ring, corner: 0, problem: .tooFewCorners(corners.count))
      }
      guard count <= Polygon.maximumCorners else {
        throw PolygonFault(ring: ring, corner: 0, problem: .tooManyCorners(count))
      }
      var seen: [Coordinate: Int] = [:]
      seen.reserveCapacity(corners.count)
      for (corner, place) in corners.enumerated() {
        if let first = seen.updateValue(corner, forKey: place.canonical) {
          throw PolygonFault(ring: ring, corner: corner, problem: .repeatedCorner(first))
        }
      }
    }
  }

  private static func circle(around rings: [[Coordinate]]) throws(PolygonFault) -> Circle {
    for (ring, corners) in rings.enumerated() {
      for (corner, place) in corners.enumerated() {
        let distance = GreatCircle.distance(rings[0][0], place)
        if distance > Polygon.greatestWidth {
          throw PolygonFault(ring: ring, corner: corner, problem: ring == 0 ? .tooLarge(distance) : .holeOutside)
        }
      }
    }
    let circle = EnclosingCap.circle(around: rings[0])
    guard circle.radius * 2 <= Polygon.greatestWidth else {
      throw PolygonFault(ring: 0, corner: 0, problem: .tooLarge(circle.radius * 2))
    }
    return circle
  }

  /// Throws if all points are on one line.
  private static func checkWidth(of points: [SIMD2<Double>], ring: Int) throws(PolygonFault) {
    let farthest = points.reduce(points[0]) { squared($1 - points[0]) > squared($0 - points[0]) ? $1 : $0 }
    if !points.contains(where: { abs(distance(of: $0, from: points[0], farthest)) > touch }) {
      throw PolygonFault(ring: ring, corner: 0, problem: .noArea)
    }
  }

  /// Checks that corners of holes and the midpoints of their edges are inside the outer ring and outside the other holes. They may
  /// touch.
  private static func checkHoles(_ rings: [[SIMD2<Double>]]) throws(PolygonFault) {
    guard rings.count > 1 else { return }
    let outer = MapStrips([rings[0]])
    // If holes are nested, at least one of them is inside exactly one other hole.
    let holes = MapStrips(Array(rings.dropFirst()))
    for (ring, corners) in rings.enumerated().dropFirst() {
      for (corner, start) in corners.enumerated() {
        let end = corners[corner + 1 < corners.count ? corner + 1 : 0]
        for point in [start, (start + end) / 2] {
          if !outer.contains(point), !outer.touches(point) {
            throw PolygonFault(ring: ring, corner: corner, problem: .holeOutside)
          }
          let own = Int32(ring - 1)
          guard rings.count > 2, holes.contains(point, without: own), !holes.touches(point, without: own) else { continue }
          let other = rings.indices.dropFirst().first { $0 != ring && MapStrips([rings[$0]]).contains(point) }
          throw PolygonFault(ring: ring, corner: corner, problem: .holeInHole(ring: other ?? ring))
        }
      }
    }
  }

  @inline(__always) static func squared(_ vector: SIMD2<Double>) -> Double { (vector * vector).sum() }

  /// Returns the signed distance of a point from the line through two others, positive on the left. If the two points are equal,
  /// returns the distance from them.
  @inline(__always)
  static func distance(of point: SIMD2<Double>, from start: SIMD2<Double>, _ end: SIMD2<Double>) -> Double {
    let (vector, to) = (end - start, point - start)
    let length = squared(vector).squareRoot()
    return length > 0 ? (vector.x * to.y - vector.y * to.x) / length : squared(to).squareRoot()
  }

  /// Returns the squared distance of a point from an edge.
  @inline(__always)
  static func squaredDistance(
    of point: SIMD2<Double>, fromEdge start: SIMD2<Double>, _ end: SIMD2<Double>
  ) -> Double {
    let (vector, to) = (end - start, point - start)
    let length = squared(vector)
    let part = length > 0 ? max(0, min(1, (vector * to).sum() / length)) : 0
    return squared(to - vector * part)
  }
}

extension Coordinate {
  /// The same place in its canonical form: longitude 0 at a pole, and 180° instead of −180°.
  var canonical: Coordinate {
    let longitude = abs(latitude) == 90 ? 0 : longitude == -180 ? 180 : longitude
    // The numbers stay valid, because only 0 and 180 are new.
    return Coordinate(latitude: latitude, longitude: longitude) ?? self
  }
}
