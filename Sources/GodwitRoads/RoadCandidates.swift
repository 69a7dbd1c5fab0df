/// A point on an edge near a given position.
struct RoadCandidate {
  var edge: UInt32
  /// Metres from the first point of the edge.
  var offset: Double
  /// Metres from the given position.
  var distance: Double
  /// Direction of the edge there, as a unit vector to the east and to the north.
  var direction: SIMD2<Double>
}

extension RoadGraph {
  /// Finds the nearest point of each edge within a distance of a position, nearest edges first.
  /// - Parameters:
  ///   - travel: Edges that are closed to it in both directions are ignored.
  ///   - radius: Metres, at most 1,000.
  ///   - found: Replaced by the result.
  func candidates(near point: RoadPoint, travel: Travel, radius: Double, into found: inout [RoadCandidate]) {
    found.removeAll(keepingCapacity: true)
    let plane = LocalPlane(around: point)
    visitEdges(near: point, plane, travel: travel, radius: radius) { edge in
      guard !found.contains(where: { $0.edge == edge }), let candidate = nearest(of: edge, plane, radius) else { return }
      found.append(candidate)
    }
    found.sort { ($0.distance, $0.edge) < ($1.distance, $1.edge) }
  }

  /// Calls a closure with the edges in the grid cells near a position. An edge can be passed several times.
  /// - Parameters:
  ///   - plane: A plane around the position.
  ///   - travel: Edges that are closed to it in both directions are ignored.
  ///   - radius: Metres, at most 1,000. Some edges are farther away.
  @inline(__always)
  func visitEdges(near point: RoadPoint, _ plane: LocalPlane, travel: Travel, radius: Double, _ visit: (UInt32) -> Void) {
    let reach = plane.reach(of: radius)
    let rows =
      Self.floorDivide(
        point.latitude &- reach.latitude, Self.cellSize)...Self.floorDivide(
        point.latitude &+ reach.latitude, Self.cellSize)
    let mask = travel.forwardBit * 3
    for row in rows {
      for column in Self.columns(around: point.longitude, reach.longitude) {
        for edge in edges(row: row, column: column) where edges[Int(edge)].attributes & mask != 0 { visit(edge) }
      }
    }
  }

  /// Returns the columns of the grid around a longitude. At the antimeridian these are columns on both sides.
  private static func columns(around longitude: Int32, _ reach: Int32) -> [Int32] {
    let (west, east) = (Int64(longitude) - Int64(reach), Int64(longitude) + Int64(reach))
    func column(_ value: Int64) -> Int32 { floorDivide(Int32(max(-1_800_000_000, min(1_800_000_000, value))), cellSize) }
    var columns = Array(column(west)...column(east))
    if west < -1_800_000_000 { columns += Array(column(west + 3_600_000_000)...column(1_800_000_000)) }
    if east > 1_800_000_000 { columns += Array(column(-1_800_000_000)...column(east - 3_600_000_000)) }
    return columns
  }

  @inline(__always)
  private func nearest(of edge: UInt32, _ plane: LocalPlane, _ radius: Double) -> RoadCandidate? {
    let stored = edges[Int(edge)]
    let shape = shape(of: Int(edge))
    var last = plane.position(nodes[Int(stored.from)])
    var minimum = radius * radius
    var nearest: (index: Int, share: Double)?
    for index in shape.lowerBound...shape.upperBound {
      let next = plane.position(index < shape.upperBound ? shapePoints[index] : nodes[Int(stored.to)])
      let along = next - last
      let square = (along * along).sum()
      let share = square > 0 ? max(0, min(1, -(last * along).sum() / square)) : 0
      let foot = last + along * share
      let distance = (foot * foot).sum()
      if distance < minimum { (minimum, nearest) = (distance, (index, share)) }
      last = next
    }
    guard let nearest else { return nil }
    return candidate(edge, plane, shape, nearest, minimum.squareRoot())
  }

  private func candidate(
    _ edge: UInt32, _ plane: LocalPlane, _ shape: Range<Int>, _ nearest: (index: Int, share: Double), _ distance: Double
  ) -> RoadCandidate {
    let stored = edges[Int(edge)]
    var last = plane.position(nodes[Int(stored.from)])
    var offset = 0.0
    var direction = SIMD2<Double>(0, 0)
    for index in shape.lowerBound...nearest.index {
      let next = plane.position(index < shape.upperBound ? shapePoints[index] : nodes[Int(stored.to)])
      let along = next - last
      let length = along.length
      offset += index < nearest.index ? length : length * nearest.share
      direction = length > 0 ? along / length : SIMD2(0, 0)
      last = next
    }
    return RoadCandidate(edge: edge, offset: min(offset, Double(stored.length)), distance: distance, direction: direction)
  }
}
