internal import GodwitTiles

/// The layer `lines`: each step from one cell of a grid to another is drawn once, with the properties of its newest passage.
struct TileLines {
  private let frame: TileFrame
  /// The width of a cell in units. Initially its diagonal is shorter than a pixel.
  private var cell = HistoryTile.pixel * 0.7
  private var taken = StepSet()

  /// A part of a line with one set of properties. The points of all parts are stored consecutively.
  private struct Part {
    var start: Int
    var attributes: TileAttributes
  }
  private var parts: [Part] = []
  private var points: [VectorTileWriter.Point] = []

  /// The position of the line: the last place in another cell than the place before it.
  private var last: (place: TileFrame.Place, column: Int64, row: Int64)?
  /// The end of the open part; `nil` if the next step begins a part.
  private var open: TileFrame.Place?
  private var hasMoved = false

  init(_ frame: TileFrame) { self.frame = frame }

  /// Begins a line.
  mutating func begin(at place: TileFrame.Place) {
    last = located(place)
    open = nil
    hasMoved = false
  }

  /// Continues a line.
  /// - Parameters:
  ///   - place: the next place of the line.
  ///   - source: the index of the device.
  ///   - attributes: returns the properties of the step. It is called if the step is drawn.
  @inline(__always)
  mutating func move(to place: TileFrame.Place, of source: Int, attributes: () -> TileAttributes) {
    let next = located(place)
    guard let last, next.column != last.column || next.row != last.row else { return }
    self.last = next
    hasMoved = true
    guard let (a, b) = frame.clipped(last.place, place), taken.insert(key(a, b, source)) else {
      open = nil
      return
    }
    let attributes = attributes()
    if open != last.place || parts.last?.attributes != attributes {
      parts.append(Part(start: points.count, attributes: attributes))
      points.append(VectorTileWriter.Point(a))
    }
    points.append(VectorTileWriter.Point(b))
    // A clipped step ends the part.
    open = b == place ? place : nil
  }

  /// Ends a line. A line that stayed in one cell is drawn as a dot.
  mutating func end(of source: Int, attributes: () -> TileAttributes) {
    defer { last = nil }
    guard !hasMoved, let place = last?.place, frame.contains(place), taken.insert(key(place, place, source)) else { return }
    parts.append(Part(start: points.count, attributes: attributes()))
    points.append(VectorTileWriter.Point(place))
  }

  @inline(__always)
  private func located(_ place: TileFrame.Place) -> (place: TileFrame.Place, column: Int64, row: Int64) {
    // Far outside the tile, the cell does not matter.
    let limit = 1e15
    return (
      place, Int64(min(max(place.x / cell, -limit), limit).rounded(.down)),
      Int64(min(max(place.y / cell, -limit), limit).rounded(.down))
    )
  }

  /// Returns the key of a step between two places inside the margin. Both directions have the same key.
  @inline(__always)
  private func key(_ a: TileFrame.Place, _ b: TileFrame.Place, _ source: Int) -> UInt64 {
    let (one, other) = (index(a), index(b))
    return UInt64(source) << 56 | min(one, other) << 28 | max(one, other)
  }

  /// Returns the index of a cell, 1 ≤ index < 2^28.
  @inline(__always)
  private func index(_ place: TileFrame.Place) -> UInt64 {
    let (column, row) = ((place.x + frame.margin) / cell, (place.y + frame.margin) / cell)
    return UInt64(max(0, column)) << 14 | UInt64(max(0, row)) + 1
  }

  // MARK: Writing

  /// Returns the layer with at most a number of bytes: while it is larger, the cells grow, so that parallel lines merge and no
  /// route disappears.
  /// - Parameters:
  ///   - names: the names of the sources.
  ///   - limit: the maximum size in bytes.
  func layer(_ names: [String], limit: Int) -> VectorTileWriter.Layer {
    var lines = self
    while true {
      let layer = lines.layer(names)
      if layer.size <= limit || lines.cell > Double(VectorTileWriter.extent) { return layer }
      // The size falls with about the square of the width of a cell.
      let excess = (Double(layer.size) / Double(limit)).squareRoot()
      lines = lines.thinned(to: lines.cell * min(max(1.2, excess), 2))
    }
  }

  private func layer(_ names: [String]) -> VectorTileWriter.Layer {
    var geometries: [TileAttributes: VectorTileWriter.Geometry] = [:]
    let groups = DayGroups(parts.lazy.map(\.attributes.day))
    for index in parts.indices {
      geometries[parts[index].attributes.grouped(groups), default: VectorTileWriter.Geometry(.lines)].line(
        points[range(of: index)])
    }
    var layer = VectorTileWriter.Layer(HistoryTile.Layer.lines.rawValue)
    for (attributes, geometry) in geometries.sorted(by: { $0.key < $1.key }) {
      layer.add(geometry, attributes.properties(names))
    }
    return layer
  }

  private func range(of part: Int) -> Range<Int> {
    parts[part].start..<(part + 1 < parts.count ? parts[part + 1].start : points.count)
  }

  /// Returns the same lines with larger cells.
  private func thinned(to cell: Double) -> TileLines {
    var lines = TileLines(frame)
    lines.cell = cell
    for index in parts.indices {
      let attributes = parts[index].attributes
      for point in points[range(of: index)] {
        let place = TileFrame.Place(x: Double(point.x), y: Double(point.y))
        if lines.last == nil {
          lines.begin(at: place)
        } else {
          lines.move(to: place, of: attributes.source) { attributes }
        }
      }
      lines.end(of: attributes.source) { attributes }
    }
    return lines
  }
}
