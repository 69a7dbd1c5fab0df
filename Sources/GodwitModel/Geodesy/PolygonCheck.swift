/// Whether rings are an area, and which circle is around it.
enum PolygonCheck {
  /// Nearer than this on the map, in radii of the earth, and two things touch: 6 µm, a thousand times what rounding does.
  static let touch = 1e-12

  /// - Parameter rings: the outer one, then the holes, the first corner not repeated at the end.
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
        // Corners of the outer ring are in the circle around it.
        guard let point = plane.point(UnitVector(place)) else {
          throw PolygonFault(ring: ring, corner: corner, problem: .holeOutside)
        }
        mapped.append(point)
      }
      try checkWidth(of: mapped, ring: ring)
      points.append(mapped)
    }
    if let (first, second) = RingCrossings.first(in: points) {
      // The later one is reported as the place of the fault.
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

  /// Throws where all points are on one line.
  private static func checkWidth(of points: [SIMD2<Double>], ring: Int) throws(PolygonFault) {
    let farthest = points.reduce(points[0]) { squared($1 - points[0]) > squared($0 - points[0]) ? $1 : $0 }
    if !points.contains(where: { abs(distance(of: $0, from: points[0], farthest)) > touch }) {
      throw PolygonFault(ring: ring, corner: 0, problem: .noArea)
    }
  }

  /// Corners of holes, and the middles of their edges, must be inside the outer ring and outside the other holes; they may touch.
  private static func checkHoles(_ rings: [[SIMD2<Double>]]) throws(PolygonFault) {
    guard rings.count > 1 else { return }
    let outer = MapStrips([rings[0]])
    // Where holes lie in each other, one of them lies in a single other one.
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

  /// Of a point from a line through two others, to its left more than 0. From the first one where the two are one.
  @inline(__always)
  static func distance(of point: SIMD2<Double>, from start: SIMD2<Double>, _ end: SIMD2<Double>) -> Double {
    let (vector, to) = (end - start, point - start)
    let length = squared(vector).squareRoot()
    return length > 0 ? (vector.x * to.y - vector.y * to.x) / length : squared(to).squareRoot()
  }

  /// Square of the distance of a point from an edge.
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
  /// The same place in one way of writing it: a pole has every longitude, and −180° is 180°.
  var canonical: Coordinate {
    let longitude = abs(latitude) == 90 ? 0 : longitude == -180 ? 180 : longitude
    // Valid: only 0 and 180 are new.
    return Coordinate(latitude: latitude, longitude: longitude) ?? self
  }
}
