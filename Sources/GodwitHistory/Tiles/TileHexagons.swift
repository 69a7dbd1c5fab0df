internal import GodwitTiles

/// The layer `hexagons`, the explored area: the number of days on which each hexagon was passed.
struct TileHexagons {
  private let frame: TileFrame
  private let grid: HexagonGrid
  /// The hexagons of the tile and its margin. All rows have the same number of hexagons. Each row is shifted by half a hexagon to the west.
  private let rows: ClosedRange<Int>
  private let columns: ClosedRange<Int>
  private var days: DayCounts
  /// The factor from units to the Mercator square.
  private let scale: Double
  /// The units between two samples of a step: a tenth of a radius.
  private let look: Double

  /// - Parameter detail: the number of zoom levels by which the hexagons are finer than those of the tile, ≥ 0.
  init(_ frame: TileFrame, detail: Int = 0) {
    self.frame = frame
    let tile = frame.tile
    grid = HexagonGrid(zoom: tile.zoom + detail)
    scale = 1 / frame.world
    look = Double(VectorTileWriter.extent) / 400 / Double(1 << detail)
    let margin = frame.margin * scale
    let first = grid.cell(x: tile.west - margin, y: tile.north - margin)
    let last = grid.cell(x: tile.west + tile.width + margin, y: tile.north + tile.width + margin)
    rows = first.r - 1...last.r + 1
    columns = Self.column(first) - 1...Self.column(last) + 1
    days = DayCounts(cells: rows.count * columns.count)
  }

  /// Returns the column of a hexagon in its row, from the western edge of the square.
  private static func column(_ cell: HexagonGrid.Cell) -> Int { cell.q + (cell.r >> 1) }

  mutating func beginDevice() { days.beginDevice() }

  /// Counts the hexagon of a place.
  @inline(__always)
  mutating func count(_ place: TileFrame.Place, day: Int64) {
    let cell = grid.cell(x: frame.tile.west + place.x * scale, y: frame.tile.north + place.y * scale)
    let (row, column) = (cell.r - rows.lowerBound, Self.column(cell) - columns.lowerBound)
    guard row >= 0, column >= 0, row < rows.count, column < columns.count else { return }
    days.count(row * columns.count + column, day)
  }

  /// Counts the hexagons of a step inside the margin.
  @inline(__always)
  mutating func count(_ a: TileFrame.Place, _ b: TileFrame.Place, day: Int64) {
    forPlaces(from: a, to: b, every: look) { count($0, day: day) }
  }

  /// Returns the layer. It has a feature for each class of days: `days` is 1, 2, 4, 8 and so on, and `count` is the number of
  /// hexagons of the class whose centre is in the tile.
  func layer() -> VectorTileWriter.Layer {
    var classes: [Int64: (geometry: VectorTileWriter.Geometry, count: Int64)] = [:]
    for (index, count) in days.counts.enumerated() where count > 0 {
      let cell = cell(index)
      let corners = grid.corners(cell).map { corner in
        TileFrame.Place(x: (corner.x - frame.tile.west) * frame.world, y: (corner.y - frame.tile.north) * frame.world)
      }
      guard touches(corners) else { continue }
      let isInside = centerInTile(cell) != nil
      let days = DayCounts.class(of: count)
      classes[days, default: (VectorTileWriter.Geometry(.polygons), 0)].geometry
        .polygon(corners.map { VectorTileWriter.Point($0) })
      if isInside { classes[days]?.count += 1 }
    }
    var layer = VectorTileWriter.Layer(HistoryTile.Layer.hexagons.rawValue)
    for (days, entry) in classes.sorted(by: { $0.key < $1.key }) {
      layer.add(entry.geometry, [("days", .integer(days)), ("count", .integer(entry.count))])
    }
    return layer
  }

  /// Returns the number of hexagons whose centre is in the tile and in an area, and the number of those that were passed.
  /// - Parameter contains: returns whether a place in the Mercator square is in the area.
  func explored(in contains: (_ x: Double, _ y: Double) -> Bool) -> ExploredArea {
    var area = ExploredArea()
    for (index, count) in days.counts.enumerated() {
      guard let center = centerInTile(cell(index)), contains(center.x, center.y) else { continue }
      area.hexagons += 1
      if count > 0 { area.explored += 1 }
    }
    return area
  }

  /// The centres of the passed hexagons in the Mercator square, if they are in the tile.
  var passed: [(x: Double, y: Double)] {
    days.counts.enumerated().compactMap { index, count in count > 0 ? centerInTile(cell(index)) : nil }
  }

  /// Returns the hexagon at an index of the counts.
  private func cell(_ index: Int) -> HexagonGrid.Cell {
    let row = rows.lowerBound + index / columns.count
    return HexagonGrid.Cell(q: columns.lowerBound + index % columns.count - (row >> 1), r: row)
  }

  /// Returns the centre of a hexagon in the Mercator square; `nil` if it is not in the tile.
  private func centerInTile(_ cell: HexagonGrid.Cell) -> (x: Double, y: Double)? {
    let center = grid.center(cell)
    let place = TileFrame.Place(x: (center.x - frame.tile.west) * frame.world, y: (center.y - frame.tile.north) * frame.world)
    return frame.contains(place) ? center : nil
  }

  /// Returns whether a hexagon overlaps the tile.
  private func touches(_ corners: [TileFrame.Place]) -> Bool {
    let extent = Double(VectorTileWriter.extent)
    return corners.contains { $0.x > 0 } && corners.contains { $0.x < extent } && corners.contains { $0.y > 0 }
      && corners.contains { $0.y < extent }
  }
}
