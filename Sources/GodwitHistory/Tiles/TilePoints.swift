internal import GodwitTiles

/// The layer `points`: for each device at most one position in each cell of a grid, the newest.
struct TilePoints {
  private let frame: TileFrame
  private var cell = HistoryTile.pixel
  private var taken = StepSet()
  private var points: [(attributes: TileAttributes, point: VectorTileWriter.Point)] = []

  init(_ frame: TileFrame) { self.frame = frame }

  /// Adds a position, unless its cell already has one of the same device.
  @inline(__always)
  mutating func add(_ place: TileFrame.Place, of source: Int, attributes: () -> TileAttributes) {
    guard frame.contains(place) else { return }
    let (column, row) = (UInt64(place.x / cell), UInt64(place.y / cell))
    guard taken.insert(UInt64(source) << 56 | column << 28 | row << 1 | 1) else { return }
    points.append((attributes(), VectorTileWriter.Point(place)))
  }

  /// Returns the layer with at most a number of bytes: while it is larger, the cells grow.
  func layer(_ names: [String], limit: Int) -> VectorTileWriter.Layer {
    var thinned = self
    while true {
      let layer = thinned.layer(names)
      if layer.size <= limit || thinned.cell > Double(VectorTileWriter.extent) { return layer }
      var next = TilePoints(frame)
      next.cell = thinned.cell * 1.5
      for (attributes, point) in thinned.points {
        // Rounding may have moved the point to the edge, which belongs to the next tile.
        let edge = Double(VectorTileWriter.extent - 1)
        let place = TileFrame.Place(x: min(Double(point.x), edge), y: min(Double(point.y), edge))
        next.add(place, of: attributes.source) { attributes }
      }
      thinned = next
    }
  }

  private func layer(_ names: [String]) -> VectorTileWriter.Layer {
    var layer = VectorTileWriter.Layer(HistoryTile.Layer.points.rawValue)
    let groups = DayGroups(points.lazy.map(\.attributes.day))
    for (attributes, points) in Dictionary(grouping: points, by: { $0.attributes.grouped(groups) }).sorted(by: { $0.key < $1.key }
    ) {
      // The points are ordered by rows, so that the differences between them are small.
      let sorted = points.map(\.point).sorted { ($0.y >> 6, $0.x) < ($1.y >> 6, $1.x) }
      layer.add(VectorTileWriter.Geometry(points: sorted), attributes.properties(names))
    }
    return layer
  }
}
