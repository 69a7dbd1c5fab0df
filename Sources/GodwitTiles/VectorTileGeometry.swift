extension VectorTileWriter {
  /// The geometry of a feature: commands that move a cursor, with each position as the difference from the previous one.
  package struct Geometry: Sendable {
    /// The type of a geometry. Several points, lines or polygons are one geometry.
    package enum Kind: UInt64, Sendable {
      case points = 1
      case lines = 2
      case polygons = 3
    }

    package let kind: Kind
    /// The commands, packed.
    fileprivate(set) var commands: [UInt8] = []
    private var cursor = Point(x: 0, y: 0)

    /// An empty geometry.
    package init(_ kind: Kind) { self.kind = kind }

    package var isEmpty: Bool { commands.isEmpty }

    /// Creates a geometry of several points, each of which is drawn.
    package init(points: some Collection<Point>) {
      self.init(.points)
      guard !points.isEmpty else { return }
      command(.move, points.count)
      for point in points { append(point) }
    }

    /// Adds a line. A line whose points are all equal is drawn one unit long, because the format does not allow shorter lines.
    package mutating func line(_ points: some Collection<Point>) {
      guard let first = points.first else { return }
      // The format forbids steps of length zero.
      var steps = 0
      var last = first
      for point in points where point != last { (steps, last) = (steps + 1, point) }
      command(.move, 1)
      append(first)
      guard steps > 0 else {
        command(.line, 1)
        append(Point(x: first.x &+ 1, y: first.y))
        return
      }
      command(.line, steps)
      for point in points where point != cursor { append(point) }
    }

    /// Adds a polygon without holes. A polygon without an area is ignored.
    /// - Parameter ring: its corners in either direction; the first one is not repeated.
    package mutating func polygon(_ ring: [Point]) {
      var corners: [Point] = []
      for point in ring where point != corners.last { corners.append(point) }
      if corners.count > 1, corners.first == corners.last { corners.removeLast() }
      let area = Self.doubleArea(corners)
      guard corners.count > 2, area != 0 else { return }
      // An outer ring has a positive area, with y downwards.
      if area < 0 { corners.reverse() }
      command(.move, 1)
      append(corners[0])
      command(.line, corners.count - 1)
      for corner in corners.dropFirst() { append(corner) }
      command(.close, 1)
    }

    private static func doubleArea(_ ring: [Point]) -> Int64 {
      guard var last = ring.last else { return 0 }
      var area: Int64 = 0
      for point in ring {
        area += Int64(last.x) * Int64(point.y) - Int64(point.x) * Int64(last.y)
        last = point
      }
      return area
    }

    private enum Command: UInt64 {
      case move = 1
      case line = 2
      case close = 7
    }

    private mutating func command(_ command: Command, _ count: Int) {
      ProtobufWriter.varint(command.rawValue | UInt64(count) << 3, to: &commands)
    }

    @inline(__always)
    private mutating func append(_ point: Point) {
      ProtobufWriter.varint(ProtobufWriter.zigzag(Int64(point.x) - Int64(cursor.x)), to: &commands)
      ProtobufWriter.varint(ProtobufWriter.zigzag(Int64(point.y) - Int64(cursor.y)), to: &commands)
      cursor = point
    }
  }
}
