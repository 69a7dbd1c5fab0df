package import GodwitModel
package import GodwitRoads

/// The roads of a public set: nodes, and arcs between two nodes, with the road graph that Godwit builds from them.
package struct RoadArcs: Sendable {
  package let graph: RoadGraph
  /// The length of each arc in metres.
  package let lengths: [Double]
  private let ends: [(from: Coordinate, to: Coordinate)]
  private let arcOfNodes: [UInt64: Int]
  private let origins: RoadGraphBuilder.Origins

  /// - Parameters:
  ///   - nodes: the positions of the nodes.
  ///   - arcs: the indices of two nodes in `nodes`. An arc with an arc in the opposite direction is a road in both directions. Of equal
  ///     arcs, the first is used.
  package init(_ nodes: [Coordinate], _ arcs: [(from: UInt32, to: UInt32)]) {
    ends = arcs.map { (nodes[Int($0.from)], nodes[Int($0.to)]) }
    lengths = ends.map { $0.from.distance(to: $0.to) }
    let arcOfNodes = Dictionary(
      arcs.enumerated().map { (Self.key($1.from, $1.to), $0) }, uniquingKeysWith: { first, _ in first })
    var builder = RoadGraphBuilder()
    for node in nodes { _ = builder.addPoint(RoadPoint(node)) }
    for (index, arc) in arcs.enumerated() where arcOfNodes[Self.key(arc.from, arc.to)] == index {
      let isTwoDirectional = arcOfNodes[Self.key(arc.to, arc.from)] != nil
      guard !isTwoDirectional || arc.from < arc.to else { continue }
      var road = RoadAttributes(kind: .other)
      road.open(to: .motor, forward: true, backward: isTwoDirectional)
      builder.addRoad(through: [arc.from, arc.to], road)
    }
    self.arcOfNodes = arcOfNodes
    (graph, origins) = builder.build()
  }

  private static func key(_ from: UInt32, _ to: UInt32) -> UInt64 { UInt64(from) << 32 | UInt64(to) }

  /// Returns the arc from a node to another one.
  package func arc(from: UInt32, to: UInt32) -> Int? { arcOfNodes[Self.key(from, to)] }

  /// Returns the arcs of an edge, in the direction of travel.
  package func arcs(of edge: RoadGraph.DirectedEdge) -> [Int] {
    let points = origins.points(of: edge, in: graph)
    return zip(points, points.dropFirst()).compactMap(arc(from:to:))
  }

  /// Returns the lines of a route, one for each sequence of connected arcs.
  package func lines(of route: [Int]) -> [[Coordinate]] {
    var lines: [[Coordinate]] = []
    for arc in route {
      let (from, to) = ends[arc]
      if lines.last?.last == from { lines[lines.count - 1].append(to) } else { lines.append([from, to]) }
    }
    return lines
  }

  /// Returns the arcs of matched routes. An arc is included if a part of it was travelled.
  package func arcs(of routes: [MatchedRoute]) -> [Int] {
    var result: [Int] = []
    for step in routes.flatMap(\.steps) {
      var offset = 0.0
      for arc in arcs(of: step.edge) {
        let end = offset + lengths[arc]
        if end > step.start, offset < max(step.end, step.start + 0.001) { result.append(arc) }
        offset = end
      }
    }
    return result
  }
}
