/// A road network for searches: nodes where roads meet or end, edges with their shapes, and a grid that finds the edges near a
/// position.
///
/// The graph is one block of memory in the layout of its file, so that a mapped file is used without parsing. All numbers are
/// validated when the graph is opened, so that a search never accesses memory outside the block.
// The sections point into `memory`, which each copy retains and which is never written.
package struct RoadGraph: @unchecked Sendable {
  /// An edge with its direction of travel: twice the edge number, plus 1 against the order of its points.
  package struct DirectedEdge: Sendable, Hashable {
    package let raw: UInt32

    init(raw: UInt32) { self.raw = raw }

    package init(edge: Int, isReversed: Bool) { raw = UInt32(truncatingIfNeeded: edge) << 1 | (isReversed ? 1 : 0) }

    package var edge: Int { Int(raw >> 1) }
    package var isReversed: Bool { raw & 1 != 0 }
    /// The same edge in the other direction.
    package var opposite: DirectedEdge { DirectedEdge(raw: raw ^ 1) }
  }

  /// An edge in the layout of the file.
  struct Edge {
    var from: UInt32
    var to: UInt32
    /// Index of the first shape point. The shape ends at the first shape point of the next edge.
    var firstShapePoint: UInt32
    /// Length in metres.
    var length: Float
    var attributes: UInt32

    /// Stores the directions of travel at both ends, in the order of the points, in 1/256 of a circle.
    mutating func setDirections(first: UInt8, last: UInt8) {
      attributes = attributes & 0xffff | UInt32(first) << 16 | UInt32(last) << 24
    }

    /// Returns the direction of travel at the start of the directed edge.
    @inline(__always)
    func departure(isReversed: Bool) -> UInt8 {
      isReversed ? UInt8(truncatingIfNeeded: attributes >> 24) &+ 128 : UInt8(truncatingIfNeeded: attributes >> 16)
    }

    /// Returns the direction of travel at the end of the directed edge.
    @inline(__always)
    func arrival(isReversed: Bool) -> UInt8 {
      isReversed ? UInt8(truncatingIfNeeded: attributes >> 16) &+ 128 : UInt8(truncatingIfNeeded: attributes >> 24)
    }
  }

  /// A cell of the grid. In an empty slot of the table, `row` is ``emptyRow``.
  struct Cell {
    var row: Int32
    var column: Int32
    var first: UInt32
    var count: UInt32

    static let emptyRow = Int32.min
  }

  /// Size of a cell in 1e-7 degrees: 217 m from south to north.
  static let cellSize: Int32 = 19_532

  let memory: RoadMemory
  /// Checksum of the file after its header.
  package let checksum: UInt32
  let nodes: UnsafeBufferPointer<RoadPoint>
  let edges: UnsafeBufferPointer<Edge>
  let shapePoints: UnsafeBufferPointer<RoadPoint>
  /// Index of the first directed edge that leaves each node, with one more entry at the end.
  let firstLeaving: UnsafeBufferPointer<UInt32>
  let leaving: UnsafeBufferPointer<UInt32>
  let cells: UnsafeBufferPointer<Cell>
  let cellEdges: UnsafeBufferPointer<UInt32>

  package var nodeCount: Int { nodes.count }
  package var edgeCount: Int { edges.count }
  /// Size of the graph in bytes, in memory or mapped.
  package var byteCount: Int { memory.bytes.count }

  /// Returns the length in metres.
  @inline(__always)
  package func length(of edge: DirectedEdge) -> Double { Double(edges[edge.edge].length) }

  @inline(__always)
  func start(of edge: DirectedEdge) -> UInt32 { edge.isReversed ? edges[edge.edge].to : edges[edge.edge].from }

  @inline(__always)
  func end(of edge: DirectedEdge) -> UInt32 { edge.isReversed ? edges[edge.edge].from : edges[edge.edge].to }

  @inline(__always)
  func isOpen(_ edge: DirectedEdge, to travel: Travel) -> Bool {
    RoadAttributes(bits: edges[edge.edge].attributes).isOpen(to: travel, reversed: edge.isReversed)
  }

  /// Returns the directed edges that leave a node, open or not.
  @inline(__always)
  func edgesLeaving(_ node: UInt32) -> UnsafeBufferPointer<UInt32> {
    let first = Int(firstLeaving[Int(node)])
    return UnsafeBufferPointer(rebasing: leaving[first..<Int(firstLeaving[Int(node) + 1])])
  }

  /// Returns the indices of the shape points of an edge, without its two nodes.
  @inline(__always)
  func shape(of edge: Int) -> Range<Int> {
    let next = edge + 1 < edges.count ? Int(edges[edge + 1].firstShapePoint) : shapePoints.count
    return Int(edges[edge].firstShapePoint)..<next
  }

  /// Returns the points of an edge in the direction of travel, including both ends.
  package func points(of edge: DirectedEdge) -> [RoadPoint] {
    let stored = edges[edge.edge]
    let points =
      [nodes[Int(stored.from)]] + shapePoints[shape(of: edge.edge)] + [nodes[Int(stored.to)]]
    return edge.isReversed ? points.reversed() : points
  }

  static func cell(of point: RoadPoint) -> (row: Int32, column: Int32) {
    (floorDivide(point.latitude, cellSize), floorDivide(point.longitude, cellSize))
  }

  static func floorDivide(_ value: Int32, _ by: Int32) -> Int32 {
    let quotient = value / by
    return value % by < 0 ? quotient - 1 : quotient
  }

  static func slot(row: Int32, column: Int32, capacity: Int) -> Int {
    var hash = UInt64(UInt32(bitPattern: row)) << 32 | UInt64(UInt32(bitPattern: column))
    hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
    return Int(truncatingIfNeeded: (hash ^ hash >> 33) & UInt64(capacity - 1))
  }

  /// Returns the edges in a cell.
  func edges(row: Int32, column: Int32) -> UnsafeBufferPointer<UInt32> {
    guard !cells.isEmpty else { return UnsafeBufferPointer(start: nil, count: 0) }
    var slot = Self.slot(row: row, column: column, capacity: cells.count)
    while cells[slot].row != Cell.emptyRow {
      let cell = cells[slot]
      if cell.row == row, cell.column == column {
        return UnsafeBufferPointer(rebasing: cellEdges[Int(cell.first)..<Int(cell.first) + Int(cell.count)])
      }
      slot = (slot + 1) & (cells.count - 1)
    }
    return UnsafeBufferPointer(start: nil, count: 0)
  }
}

/// Memory of a graph: allocated, or a mapped file. It is immutable after the graph is created.
// Only the initializers and `deinit` write; the pointer is constant.
final class RoadMemory: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer
  private let release: @Sendable (UnsafeRawBufferPointer) -> Void

  init(_ bytes: UnsafeRawBufferPointer, release: @escaping @Sendable (UnsafeRawBufferPointer) -> Void) {
    (self.bytes, self.release) = (bytes, release)
  }

  deinit { release(bytes) }
}
