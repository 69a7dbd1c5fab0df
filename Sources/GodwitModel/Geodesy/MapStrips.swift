/// Rings on a map, their edges sorted into strips from south to north, so that a question about a point looks only at the edges
/// beside it.
struct MapStrips: Sendable {
  /// From corner to corner on the map.
  struct Edge: Sendable {
    var start, end: SIMD2<Double>
    var ring: Int32
  }

  private var edges: [Edge] = []
  /// Indices of edges, strip by strip, and where each strip begins among them, one more at the end.
  private var crossing: [Int32] = []
  private var starts: [Int32] = []
  private let south: Double
  private var perLength = 0.0

  /// - Parameter rings: Corners, the first not repeated at the end.
  init(_ rings: [[SIMD2<Double>]]) {
    edges.reserveCapacity(rings.reduce(0) { $0 + $1.count })
    for (ring, points) in rings.enumerated() {
      for (index, end) in points.enumerated() {
        edges.append(Edge(start: points[index > 0 ? index - 1 : points.count - 1], end: end, ring: Int32(ring)))
      }
    }
    let low = edges.reduce(.infinity) { min($0, $1.end.y) }
    let high = edges.reduce(-.infinity) { max($0, $1.end.y) }
    south = low
    // Long edges are in many strips; then there are fewer strips, so that the memory stays in proportion to the corners.
    var stripCount = max(1, edges.count / 2)
    while true {
      perLength = high > low ? Double(stripCount) / (high - low) : 0
      starts = [Int32](repeating: 0, count: stripCount + 1)
      let total = edges.reduce(0) { $0 + strips(of: $1).count }
      if total <= 8 * edges.count || stripCount == 1 { break }
      stripCount /= 2
    }
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

  /// The strip that is so far north, or the nearest one.
  @inline(__always)
  private func strip(at y: Double) -> Int { Int(max(0, min((y - south) * perLength, Double(starts.count - 2)))) }

  private func strips(of edge: Edge) -> ClosedRange<Int> {
    strip(at: min(edge.start.y, edge.end.y))...strip(at: max(edge.start.y, edge.end.y))
  }

  /// Whether a point is inside of an odd number of rings.
  /// - Parameters:
  ///   - point: Where.
  ///   - ignored: A ring that does not count.
  @inline(__always)
  func contains(_ point: SIMD2<Double>, without ignored: Int32 = -1) -> Bool {
    let strip = strip(at: point.y)
    var isInside = false
    for index in crossing[Int(starts[strip])..<Int(starts[strip + 1])] {
      let edge = edges[Int(index)]
      if TangentPlane.isCrossed(from: edge.start, to: edge.end, eastOf: point), edge.ring != ignored { isInside.toggle() }
    }
    return isInside
  }

  /// Whether an edge is as near to a point as things are that touch.
  /// - Parameters:
  ///   - point: Where.
  ///   - ignored: A ring that does not count.
  func touches(_ point: SIMD2<Double>, without ignored: Int32 = -1) -> Bool {
    let touch = PolygonCheck.touch
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
