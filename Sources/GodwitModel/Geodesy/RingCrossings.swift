/// Finds intersecting edges of rings in O(n log n). A sweep line moves over the map from west to east, and keeps the edges that it
/// crosses in order from south to north. Only neighbours in this order can be the next to intersect (Shamos and Hoey, Geometric
/// Intersection Problems, FOCS 1976).
struct RingCrossings {
  /// Identifies an edge by its ring and its first corner.
  struct Place: Hashable {
    var ring, corner: Int
  }

  private struct Edge {
    /// The western end, which the sweep reaches first, and the eastern end.
    var west, east: SIMD2<Double>
    var place: Place
    /// Indices of the previous and the next edge of the ring.
    var before, after: Int32
  }

  private var edges: [Edge] = []
  private var order: SweepOrder
  private var found: (Place, Place)?

  /// Returns two edges that cross, that overlap, that touch in one ring without being neighbours, or neighbours of which one turns
  /// back over the other. Returns `nil` if there are none.
  /// - Parameter rings: Corners, unique in each ring. The first corner is not repeated at the end.
  static func first(in rings: [[SIMD2<Double>]]) -> (Place, Place)? {
    var sweep = RingCrossings(rings)
    sweep.run(rings)
    return sweep.found
  }

  private init(_ rings: [[SIMD2<Double>]]) {
    let count = rings.reduce(0) { $0 + $1.count }
    edges.reserveCapacity(count)
    order = SweepOrder(count: count)
    for (ring, points) in rings.enumerated() {
      let first = edges.count
      for (corner, start) in points.enumerated() {
        let next = corner + 1 < points.count ? corner + 1 : 0
        let previous = corner > 0 ? corner - 1 : points.count - 1
        let end = points[next]
        let isEastward = Self.isWest(start, of: end)
        edges.append(
          Edge(
            west: isEastward ? start : end, east: isEastward ? end : start, place: Place(ring: ring, corner: corner),
            before: Int32(first + previous), after: Int32(first + next)))
      }
    }
  }

  private static func isWest(_ a: SIMD2<Double>, of b: SIMD2<Double>) -> Bool { a.x < b.x || (a.x == b.x && a.y < b.y) }

  private mutating func run(_ rings: [[SIMD2<Double>]]) {
    for index in edges.indices where turnsBack(Int32(index)) {
      found = (edges[index].place, edges[Int(edges[index].after)].place)
      return
    }
    // The index of a corner is that of the edge that starts there. The previous edge ends there.
    let points = rings.flatMap(\.self)
    let corners = points.indices.sorted { Self.isWest(points[$0], of: points[$1]) }
    for corner in corners {
      let both = (edges[corner].before, Int32(corner))
      for edge in [both.0, both.1] where edges[Int(edge)].east == points[corner] { remove(edge) }
      for edge in [both.0, both.1] where edges[Int(edge)].west == points[corner] { insert(edge) }
      if found != nil { return }
    }
  }

  private mutating func insert(_ edge: Int32) {
    let edges = edges
    order.insert(edge) { Self.isSouth(edges[Int($0)], of: edges[Int($1)]) }
    let (before, after) = order.neighbors(of: edge)
    compare(before, edge)
    compare(edge, after)
  }

  private mutating func remove(_ edge: Int32) {
    let (before, after) = order.neighbors(of: edge)
    order.remove(edge)
    compare(before, after)
  }

  private mutating func compare(_ a: Int32, _ b: Int32) {
    guard a >= 0, b >= 0, found == nil, meet(a, b) else { return }
    found = (edges[Int(a)].place, edges[Int(b)].place)
  }

  /// Returns whether a new edge is south of an edge that the sweep already crosses.
  private static func isSouth(_ new: Edge, of old: Edge) -> Bool {
    for end in [new.west, new.east] {
      let distance = PolygonCheck.distance(of: end, from: old.west, old.east)
      if abs(distance) > PolygonCheck.touch { return distance < 0 }
    }
    // The edges overlap, which their comparison finds.
    return false
  }

  /// Returns whether the next edge turns back over this one.
  private func turnsBack(_ index: Int32) -> Bool {
    let edge = edges[Int(index)]
    let next = edges[Int(edge.after)]
    let corner = edge.west == next.west || edge.west == next.east ? edge.west : edge.east
    let (a, b) = (edge.west == corner ? edge.east : edge.west, next.west == corner ? next.east : next.west)
    let square = PolygonCheck.touch * PolygonCheck.touch
    return PolygonCheck.squaredDistance(of: a, fromEdge: corner, b) <= square
      || PolygonCheck.squaredDistance(of: b, fromEdge: corner, a) <= square
  }

  private func meet(_ first: Int32, _ second: Int32) -> Bool {
    let (a, b) = (edges[Int(first)], edges[Int(second)])
    let isOneRing = a.place.ring == b.place.ring
    // Neighbours were checked before.
    if isOneRing, a.before == second || a.after == second { return false }
    let touch = PolygonCheck.touch
    let low = pointwiseMax(pointwiseMin(a.west, a.east), pointwiseMin(b.west, b.east))
    let high = pointwiseMin(pointwiseMax(a.west, a.east), pointwiseMax(b.west, b.east))
    guard low.x <= high.x + touch, low.y <= high.y + touch else { return false }
    let ofB = Sides(b.west, b.east, of: a.west, a.east)
    let ofA = Sides(a.west, a.east, of: b.west, b.east)
    if isOneRing { return ofA.areOnBothOrOn && ofB.areOnBothOrOn }
    if ofA.areOn || ofB.areOn { return max(high.x - low.x, high.y - low.y) > touch }
    return ofA.areOnBoth && ofB.areOnBoth
  }

  /// Distances of the ends of an edge from a line, with the side as their sign.
  private struct Sides {
    var minimum, greatest: Double

    init(
      _ start: SIMD2<Double>, _ end: SIMD2<Double>, of lineStart: SIMD2<Double>, _ lineEnd: SIMD2<Double>
    ) {
      let first = PolygonCheck.distance(of: start, from: lineStart, lineEnd)
      let second = PolygonCheck.distance(of: end, from: lineStart, lineEnd)
      (minimum, greatest) = (min(first, second), max(first, second))
    }

    var areOn: Bool { minimum >= -PolygonCheck.touch && greatest <= PolygonCheck.touch }
    var areOnBoth: Bool { minimum < -PolygonCheck.touch && greatest > PolygonCheck.touch }
    var areOnBothOrOn: Bool { minimum <= PolygonCheck.touch && greatest >= -PolygonCheck.touch }
  }
}

/// The edges that a sweep crosses, from south to north, as a treap (Aragon and Seidel, Randomized Search Trees, FOCS 1989) with
/// deterministic priorities, and as a linked list.
struct SweepOrder {
  private struct Node {
    var south: Int32 = -1, north: Int32 = -1, parent: Int32 = -1
    /// Neighbours in the list.
    var before: Int32 = -1, after: Int32 = -1
  }

  private var nodes: [Node]
  private var root: Int32 = -1

  /// - Parameter count: Total number of edges.
  init(count: Int) { nodes = [Node](repeating: Node(), count: count) }

  /// Returns the next edges to the south and to the north; −1 if there is none.
  func neighbors(of edge: Int32) -> (before: Int32, after: Int32) {
    (nodes[Int(edge)].before, nodes[Int(edge)].after)
  }

  /// - Parameters:
  ///   - edge: An edge that is not in the tree.
  ///   - isSouth: Returns whether the first edge is south of the second one, which is in the tree.
  mutating func insert(_ edge: Int32, isSouth: (Int32, Int32) -> Bool) {
    var (above, next) = (Int32(-1), root)
    var goesSouth = false
    while next >= 0 {
      above = next
      goesSouth = isSouth(edge, next)
      next = goesSouth ? nodes[Int(next)].south : nodes[Int(next)].north
    }
    nodes[Int(edge)] = Node(parent: above)
    guard above >= 0 else {
      root = edge
      return
    }
    if goesSouth {
      nodes[Int(above)].south = edge
      link(nodes[Int(above)].before, edge)
      link(edge, above)
    } else {
      nodes[Int(above)].north = edge
      link(edge, nodes[Int(above)].after)
      link(above, edge)
    }
    while case let parent = nodes[Int(edge)].parent, parent >= 0, Self.weight(edge) > Self.weight(parent) { lift(edge) }
  }

  /// - Parameter edge: An edge in the tree.
  mutating func remove(_ edge: Int32) {
    while true {
      let node = nodes[Int(edge)]
      guard node.south >= 0 || node.north >= 0 else { break }
      let child =
        node.south < 0 || (node.north >= 0 && Self.weight(node.north) > Self.weight(node.south)) ? node.north : node.south
      lift(child)
    }
    replace(edge, with: -1, under: nodes[Int(edge)].parent)
    let (before, after) = neighbors(of: edge)
    link(before, after)
  }

  private mutating func link(_ before: Int32, _ after: Int32) {
    if before >= 0 { nodes[Int(before)].after = after }
    if after >= 0 { nodes[Int(after)].before = before }
  }

  private mutating func replace(_ old: Int32, with new: Int32, under parent: Int32) {
    if parent < 0 {
      root = new
    } else if nodes[Int(parent)].south == old {
      nodes[Int(parent)].south = new
    } else {
      nodes[Int(parent)].north = new
    }
    if new >= 0 { nodes[Int(new)].parent = parent }
  }

  /// Rotates the tree so that an edge becomes the parent of its parent.
  private mutating func lift(_ edge: Int32) {
    let parent = nodes[Int(edge)].parent
    let above = nodes[Int(parent)].parent
    if nodes[Int(parent)].south == edge {
      let inner = nodes[Int(edge)].north
      nodes[Int(parent)].south = inner
      if inner >= 0 { nodes[Int(inner)].parent = parent }
      nodes[Int(edge)].north = parent
    } else {
      let inner = nodes[Int(edge)].south
      nodes[Int(parent)].north = inner
      if inner >= 0 { nodes[Int(inner)].parent = parent }
      nodes[Int(edge)].south = parent
    }
    replace(parent, with: edge, under: above)
    nodes[Int(parent)].parent = edge
  }

  /// Returns the priority of an edge: its number with mixed bits (Steele, Lea and Flood, OOPSLA 2014: the last step of SplitMix64).
  private static func weight(_ edge: Int32) -> UInt64 {
    var bits = UInt64(truncatingIfNeeded: edge) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
