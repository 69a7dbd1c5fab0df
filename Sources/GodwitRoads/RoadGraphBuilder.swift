/// Makes a graph of roads from points and the roads through them.
///
///     var builder = RoadGraphBuilder()
///     let (a, b) = (builder.addPoint(.init(first)), builder.addPoint(.init(second)))
///     builder.addRoad(through: [a, b], street)
///     let graph = builder.build().graph
package struct RoadGraphBuilder {
  /// Which points of the builder the nodes and the shape points of the graph are.
  package struct Origins: Sendable {
    package var nodes: [UInt32] = []
    package var shapePoints: [UInt32] = []

    /// The points of an edge in the direction of travel, both ends included.
    package func points(of edge: RoadGraph.DirectedEdge, in graph: RoadGraph) -> [UInt32] {
      let stored = graph.edges[edge.edge]
      let points = [nodes[Int(stored.from)]] + shapePoints[graph.shape(of: edge.edge)] + [nodes[Int(stored.to)]]
      return edge.isReversed ? points.reversed() : points
    }
  }

  /// A straight piece of a road between two neighbouring points.
  private struct Segment {
    var from: UInt32
    var to: UInt32
    var attributes: UInt32
  }

  /// The greatest number of shape points of an edge. Longer roads are cut, so that no search near a position reads long shapes.
  private static let maximumShape = 24
  /// The greatest number of points and of roads' pieces: a graph has numbers of 32 bits, and a directed edge two for each edge.
  package static let limit = Int(Int32.max)

  private var points: [RoadPoint] = []
  private var segments: [Segment] = []

  package init() {}

  /// Adds a point, and returns its number; `nil` beyond ``limit``.
  package mutating func addPoint(_ point: RoadPoint) -> UInt32? {
    guard points.count < Self.limit else { return nil }
    points.append(point)
    return UInt32(points.count - 1)
  }

  /// Adds a road. Roads that share a point are connected there. Repeated points are left out.
  /// - Parameter path: The numbers of its points, in their order; numbers that no point has are left out.
  package mutating func addRoad(through path: [UInt32], _ attributes: RoadAttributes) {
    var last: UInt32?
    for point in path where point != last && Int(point) < points.count {
      if let last, segments.count < Self.limit {
        segments.append(Segment(from: last, to: point, attributes: attributes.bits))
      }
      last = point
    }
  }

  /// Returns the graph. Points where nothing but the shape of one road changes become shape points; points without a road are left out.
  package consuming func build() -> (graph: RoadGraph, origins: Origins) {
    let uses = SegmentsOfPoints(segments.map { ($0.from, $0.to) }, pointCount: points.count)
    var isNode = points.indices.map { !uses[$0].isEmpty && !isShape(UInt32($0), uses) }
    var (paths, attributes) = walk(uses, &isNode)
    // By the places of their first points, so that roads that are near are near in the file.
    let sorted = paths.indices.sorted { placeNumber(of: paths[$0][0]) < placeNumber(of: paths[$1][0]) }
    paths = sorted.map { paths[$0] }
    attributes = sorted.map { attributes[$0] }
    return RoadGraphWriter(points: points, paths: paths, attributes: attributes).write()
  }

  /// A number that is near for near points: the bits of both coordinates in turn.
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

  /// Whether one road passes the point, and nothing but its direction changes there.
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

  /// Returns the paths between nodes with their attributes. A ring without a node gets one, and a long path is cut.
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
    // What is left are rings of shape points alone.
    for segment in segments.indices where !isUsed[segment] {
      isNode[Int(segments[segment].from)] = true
      follow(from: segments[segment].from, UInt32(segment), isNode)
    }
    return (paths, attributes)
  }
}

/// The pieces of roads at each point.
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
