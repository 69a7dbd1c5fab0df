/// Builds a road graph from points and the roads through them.
///
///     var builder = RoadGraphBuilder()
///     let (a, b) = (builder.addPoint(.init(first)), builder.addPoint(.init(second)))
///     builder.addRoad(through: [a, b], street)
///     let graph = builder.build().graph
package struct RoadGraphBuilder {
  /// The points of the builder that became nodes and shape points of the graph.
  package struct Origins: Sendable {
    package var nodes: [UInt32] = []
    package var shapePoints: [UInt32] = []

    /// Returns the points of an edge in the direction of travel, including both ends.
    package func points(of edge: RoadGraph.DirectedEdge, in graph: RoadGraph) -> [UInt32] {
      let stored = graph.edges[edge.edge]
      let points = [nodes[Int(stored.from)]] + shapePoints[graph.shape(of: edge.edge)] + [nodes[Int(stored.to)]]
      return edge.isReversed ? points.reversed() : points
    }
  }

  /// A straight segment of a road between two consecutive points.
  private struct Segment {
    var from: UInt32
    var to: UInt32
    var attributes: UInt32
  }

  /// Maximum number of shape points of an edge. Longer edges are split, so that no search near a position reads long shapes.
  private static let maximumShape = 24
  /// Maximum number of points and of segments. A graph uses 32-bit numbers, with two directed edges for each edge.
  package static let limit = Int(Int32.max)

  private var points: [RoadPoint] = []
  private var segments: [Segment] = []

  package init() {}

  /// Adds a point. - Returns: its number; `nil` beyond ``limit``.
  package mutating func addPoint(_ point: RoadPoint) -> UInt32? {
    guard points.count < Self.limit else { return nil }
    points.append(point)
    return UInt32(points.count - 1)
  }

  /// Adds a road. Roads with a common point are connected at that point. Consecutive repetitions of a point are ignored.
  /// - Parameter path: Numbers of the road's points, in order. Unknown numbers are ignored.
  package mutating func addRoad(through path: [UInt32], _ attributes: RoadAttributes) {
    var last: UInt32?
    for point in path where point != last && Int(point) < points.count {
      if let last, segments.count < Self.limit {
        segments.append(Segment(from: last, to: point, attributes: attributes.bits))
      }
      last = point
    }
  }

  /// Returns the graph. A point at which only the shape of one road changes becomes a shape point. Points without a road are
  /// dropped.
  package consuming func build() -> (graph: RoadGraph, origins: Origins) {
    let uses = SegmentsOfPoints(segments.map { ($0.from, $0.to) }, pointCount: points.count)
    var isNode = points.indices.map { !uses[$0].isEmpty && !isShape(UInt32($0), uses) }
    var (paths, attributes) = walk(uses, &isNode)
    // Sorted by the first point of each path, so that nearby roads are close to each other in the file.
    let sorted = paths.indices.sorted { placeNumber(of: paths[$0][0]) < placeNumber(of: paths[$1][0]) }
    paths = sorted.map { paths[$0] }
    attributes = sorted.map { attributes[$0] }
    return RoadGraphWriter(points: points, paths: paths, attributes: attributes).write()
  }

  /// Returns a number that is similar for nearby points: the interleaved bits of both coordinates (Z-order curve).
  private func placeNumber(of point: UInt32) -> UInt64 {
    func spread(_ value: Int32) -> UInt64 {
      var bits = UInt64(UInt32(bitPattern: value ^ Int32.min))
      bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff
      bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff
      bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f
      bits = (bits | bits << 2) & 0x3333_3333_3333_3333
      return (bits | bits << 1) & 0x5555_5555_5555_5555
    }
    let place = points[Int(point)]
    return spread(place.latitude) << 1 | spread(place.longitude)
  }

  /// Returns whether a single road passes the point and only its direction changes there.
  private func isShape(_ point: UInt32, _ uses: SegmentsOfPoints) -> Bool {
    let used = uses[Int(point)]
    guard used.count == 2, let first = used.first, let second = used.last, first != second else { return false }
    let (a, b) = (segments[Int(first)], segments[Int(second)])
    let (before, after) = (a.from == point ? a.to : a.from, b.from == point ? b.to : b.from)
    guard before != after else { return false }
    let incoming = a.to == point ? RoadAttributes(bits: a.attributes) : RoadAttributes(bits: a.attributes).reversed
    let outgoing = b.from == point ? RoadAttributes(bits: b.attributes) : RoadAttributes(bits: b.attributes).reversed
    return incoming == outgoing
  }

  /// Returns the paths between nodes with their attributes. A ring without a node gets one, and a long path is split.
  private func walk(_ uses: SegmentsOfPoints, _ isNode: inout [Bool]) -> (paths: [[UInt32]], attributes: [UInt32]) {
    var paths: [[UInt32]] = []
    var attributes: [UInt32] = []
    var isUsed = [Bool](repeating: false, count: segments.count)
    func follow(from node: UInt32, _ first: UInt32, _ isNode: borrowing [Bool]) {
      var path = [node]
      var segment = first
      while true {
        isUsed[Int(segment)] = true
        let piece = segments[Int(segment)]
        let point = path[path.count - 1]
        if path.count == 1 {
          let along = RoadAttributes(bits: piece.attributes)
          attributes.append(piece.from == point ? along.bits : along.reversed.bits)
        }
        let end = piece.from == point ? piece.to : piece.from
        path.append(end)
        guard !isNode[Int(end)], let next = uses[Int(end)].first(where: { !isUsed[Int($0)] }) else { break }
        segment = next
        if path.count - 2 == Self.maximumShape {
          paths.append(path)
          path = [end]
        }
      }
      paths.append(path)
    }
    for point in points.indices where isNode[point] {
      for segment in uses[point] where !isUsed[Int(segment)] { follow(from: UInt32(point), segment, isNode) }
    }
    // The remaining segments are rings of shape points.
    for segment in segments.indices where !isUsed[segment] {
      isNode[Int(segments[segment].from)] = true
      follow(from: segments[segment].from, UInt32(segment), isNode)
    }
    return (paths, attributes)
  }
}

/// The segments at each point.
struct SegmentsOfPoints {
  private var first: [UInt32]
  private var segments: [UInt32]

  init(_ ends: [(UInt32, UInt32)], pointCount: Int) {
    first = [UInt32](repeating: 0, count: pointCount + 1)
    for (from, to) in ends {
      first[Int(from) + 1] += 1
      first[Int(to) + 1] += 1
    }
    for point in 0..<pointCount { first[point + 1] += first[point] }
    segments = [UInt32](repeating: 0, count: ends.count * 2)
    var next = first
    for (index, (from, to)) in ends.enumerated() {
      for point in [from, to] {
        segments[Int(next[Int(point)])] = UInt32(index)
        next[Int(point)] += 1
      }
    }
  }

  subscript(point: Int) -> ArraySlice<UInt32> { segments[Int(first[point])..<Int(first[point + 1])] }
}
