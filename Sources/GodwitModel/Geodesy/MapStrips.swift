/// The edges of rings on a map, sorted into parallel strips, so that a query for a point checks only the edges in its strip. The
/// strips are ordered from south to north or from west to east, whichever direction has fewer edges in several strips.
struct MapStrips: Sendable {
  /// An edge from one corner to the next.
  struct Edge: Sendable {
    var start, end: SIMD2<Double>
    var ring: Int32
  }

  private var edges: [Edge] = []
  /// Indices of edges, strip by strip, and the start of each strip in this list, with one more element at the end.
  private var crossing: [Int32] = []
  private var starts: [Int32] = []
  private var south = 0.0
  private var perLength = 0.0
  private var stripCount = 1
  /// Whether the strips are ordered from west to east. All coordinates here then have x and y exchanged.
  private var isTurned = false

  /// - Parameter rings: Corners. The first corner is not repeated at the end.
  init(_ rings: [[SIMD2<Double>]]) {
    edges.reserveCapacity(rings.reduce(0) { $0 + $1.count })
    for (ring, points) in rings.enumerated() {
      for (index, end) in points.enumerated() {
        edges.append(Edge(start: points[index > 0 ? index - 1 : points.count - 1], end: end, ring: Int32(ring)))
      }
    }
    // Long edges are in many strips. Then fewer strips are used, so that memory stays proportional to the number of corners.
    stripCount = max(1, edges.count / 2)
    var total = divide()
    if total > 2 * edges.count {
      turn()
      let other = divide()
      if other >= total { turn() }
      total = divide()
    }
    while total > 8 * edges.count, stripCount > 1 {
      stripCount /= 2
      total = divide()
    }
    starts = [Int32](repeating: 0, count: stripCount + 1)
    for edge in edges {
      for strip in strips(of: edge) { starts[strip + 1] += 1 }
    }
    for strip in 0..<stripCount { starts[strip + 1] += starts[strip] }
    crossing = [Int32](repeating: 0, count: Int(starts[stripCount]))
    var next = starts
    for (index, edge) in edges.enumerated() {
      for strip in strips(of: edge) {
        crossing[Int(next[strip])] = Int32(index)
        next[strip] += 1
      }
    }
  }

  private mutating func turn() {
    isTurned.toggle()
    for index in edges.indices {
      edges[index].start = SIMD2(edges[index].start.y, edges[index].start.x)
      edges[index].end = SIMD2(edges[index].end.y, edges[index].end.x)
    }
  }

  /// - Returns: The sum of the numbers of strips of all edges.
  private mutating func divide() -> Int {
    let low = edges.reduce(.infinity) { min($0, $1.end.y) }
    let high = edges.reduce(-.infinity) { max($0, $1.end.y) }
    south = low
    perLength = high > low ? Double(stripCount) / (high - low) : 0
    return edges.reduce(0) { $0 + strips(of: $1).count }
  }

  /// Returns the index of the strip at a y coordinate, or of the nearest strip.
  @inline(__always)
  private func strip(at y: Double) -> Int { Int(max(0, min((y - south) * perLength, Double(stripCount - 1)))) }

  private func strips(of edge: Edge) -> ClosedRange<Int> {
    strip(at: min(edge.start.y, edge.end.y))...strip(at: max(edge.start.y, edge.end.y))
  }

  /// Returns whether a point is inside an odd number of rings.
  /// - Parameters:
  ///   - point: The point.
  ///   - ignored: Index of a ring to ignore.
  @inline(__always)
  func contains(_ point: SIMD2<Double>, without ignored: Int32 = -1) -> Bool {
    let point = isTurned ? SIMD2(point.y, point.x) : point
    let strip = strip(at: point.y)
    var isInside = false
    for index in crossing[Int(starts[strip])..<Int(starts[strip + 1])] {
      let edge = edges[Int(index)]
      if TangentPlane.isCrossed(from: edge.start, to: edge.end, eastOf: point), edge.ring != ignored { isInside.toggle() }
    }
    return isInside
  }

  /// Returns whether a point touches an edge, within the tolerance ``PolygonCheck/touch``.
  /// - Parameters:
  ///   - point: The point.
  ///   - ignored: Index of a ring to ignore.
  func touches(_ point: SIMD2<Double>, without ignored: Int32 = -1) -> Bool {
    let touch = PolygonCheck.touch
    let point = isTurned ? SIMD2(point.y, point.x) : point
    for strip in strip(at: point.y - touch)...strip(at: point.y + touch) {
      for index in crossing[Int(starts[strip])..<Int(starts[strip + 1])] {
        let edge = edges[Int(index)]
        guard edge.ring != ignored else { continue }
        if PolygonCheck.squaredDistance(of: point, fromEdge: edge.start, edge.end) <= touch * touch { return true }
      }
    }
    return false
  }
}
