/// Creates the memory layout of a graph.
struct RoadGraphWriter {
  let points: [RoadPoint]
  /// Numbers of the points of each edge.
  let paths: [[UInt32]]
  let attributes: [UInt32]

  func write() -> (graph: RoadGraph, origins: RoadGraphBuilder.Origins) {
    var origins = RoadGraphBuilder.Origins()
    var edges: [RoadGraph.Edge] = []
    edges.reserveCapacity(paths.count)
    var nodes = [UInt32](repeating: .max, count: points.count)
    func node(of point: UInt32) -> UInt32 {
      if nodes[Int(point)] == .max {
        nodes[Int(point)] = UInt32(origins.nodes.count)
        origins.nodes.append(point)
      }
      return nodes[Int(point)]
    }
    for (path, attributes) in zip(paths, attributes) {
      var edge = RoadGraph.Edge(
        from: node(of: path[0]), to: node(of: path[path.count - 1]),
        firstShapePoint: UInt32(truncatingIfNeeded: origins.shapePoints.count), length: Float(length(of: path)),
        attributes: attributes)
      edge.setDirections(
        first: direction(from: path[0], to: path[1]), last: direction(from: path[path.count - 2], to: path[path.count - 1]))
      edges.append(edge)
      origins.shapePoints += path.dropFirst().dropLast()
    }
    let (firstLeaving, leaving) = leaving(edges, nodeCount: origins.nodes.count)
    let (cells, cellEdges) = grid()

    var header = RoadGraphHeader()
    (header.nodes, header.edges, header.shapePoints) = (origins.nodes.count, edges.count, origins.shapePoints.count)
    (header.leaving, header.cells, header.cellEdges) = (leaving.count, cells.count, cellEdges.count)
    let offsets = header.offsets
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: offsets[7], alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    func store<T>(_ section: Int, _ values: [T]) {
      values.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: bytes[offsets[section]...]).copyMemory(from: $0) }
    }
    store(0, origins.nodes.map { points[Int($0)] })
    store(1, edges)
    store(2, origins.shapePoints.map { points[Int($0)] })
    store(3, firstLeaving)
    store(4, leaving)
    store(5, cells)
    store(6, cellEdges)
    header.checksum = RoadGraph.checksum(of: UnsafeRawBufferPointer(bytes))
    header.write(to: bytes)
    let memory = RoadMemory(UnsafeRawBufferPointer(bytes)) { UnsafeMutableRawBufferPointer(mutating: $0).deallocate() }
    return (RoadGraph(memory, header), origins)
  }

  private func length(of path: [UInt32]) -> Double {
    zip(path, path.dropFirst()).reduce(0) { sum, pair in
      sum + LocalPlane(around: points[Int(pair.0)]).position(points[Int(pair.1)]).length
    }
  }

  /// Returns the direction of a straight segment, in 1/256 of a circle.
  private func direction(from: UInt32, to: UInt32) -> UInt8 {
    LocalPlane(around: points[Int(from)]).direction(to: points[Int(to)])
  }

  private func leaving(_ edges: [RoadGraph.Edge], nodeCount: Int) -> (first: [UInt32], leaving: [UInt32]) {
    let ends = SegmentsOfPoints(edges.map { ($0.from, $0.to) }, pointCount: nodeCount)
    var first: [UInt32] = [0]
    var leaving: [UInt32] = []
    leaving.reserveCapacity(edges.count * 2)
    for node in 0..<nodeCount {
      var last = UInt32.max
      for edge in ends[node] {
        // A loop occurs twice in the list, in consecutive elements.
        let isReversed = edges[Int(edge)].from != UInt32(node) || edge == last
        leaving.append(edge << 1 | (isReversed ? 1 : 0))
        last = edge
      }
      first.append(UInt32(leaving.count))
    }
    return (first, leaving)
  }

  /// Returns the table of grid cells, and the edges of each cell.
  private func grid() -> (cells: [RoadGraph.Cell], edges: [UInt32]) {
    var entries: [(row: Int32, column: Int32, edge: UInt32)] = []
    for (edge, path) in paths.enumerated() {
      var last: (Int32, Int32)?
      for (a, b) in zip(path, path.dropFirst()) {
        for (row, column) in Self.cells(from: points[Int(a)], to: points[Int(b)]) where last.map({ $0 != (row, column) }) ?? true
        {
          entries.append((row, column, UInt32(edge)))
          last = (row, column)
        }
      }
    }
    entries.sort { ($0.row, $0.column, $0.edge) < ($1.row, $1.column, $1.edge) }
    var cells: [RoadGraph.Cell] = []
    var edges: [UInt32] = []
    for entry in entries {
      if let cell = cells.last, cell.row == entry.row, cell.column == entry.column {
        if edges[edges.count - 1] == entry.edge { continue }
        cells[cells.count - 1].count += 1
      } else {
        cells.append(RoadGraph.Cell(row: entry.row, column: entry.column, first: UInt32(edges.count), count: 1))
      }
      edges.append(entry.edge)
    }
    guard !cells.isEmpty else { return ([], []) }
    var capacity = 1
    while capacity < cells.count * 3 / 2 + 1 { capacity *= 2 }
    var table = [RoadGraph.Cell](
      repeating: RoadGraph.Cell(row: RoadGraph.Cell.emptyRow, column: 0, first: 0, count: 0), count: capacity)
    for cell in cells {
      var slot = RoadGraph.slot(row: cell.row, column: cell.column, capacity: capacity)
      while table[slot].row != RoadGraph.Cell.emptyRow { slot = (slot + 1) & (capacity - 1) }
      table[slot] = cell
    }
    return (table, edges)
  }

  /// Returns the cells that a straight segment of a road passes.
  private static func cells(from start: RoadPoint, to end: RoadPoint) -> [(row: Int32, column: Int32)] {
    let (first, last) = (RoadGraph.cell(of: start), RoadGraph.cell(of: end))
    if first == last { return [first] }
    let width = withinHalfCircle(Double(end.longitude) - Double(start.longitude))
    let height = Double(end.latitude) - Double(start.latitude)
    // Steps of an eighth of a cell. A missed corner of a cell is closer to its neighbour cells than the radius of any search.
    let steps = Int(max(abs(width), abs(height)) / Double(RoadGraph.cellSize) * 8) + 1
    return (0...steps).map { step in
      let share = Double(step) / Double(steps)
      let longitude = withinHalfCircle(Double(start.longitude) + width * share)
      return RoadGraph.cell(
        of: RoadPoint(latitude: Int32(Double(start.latitude) + height * share), longitude: Int32(longitude)))
    }
  }
}
