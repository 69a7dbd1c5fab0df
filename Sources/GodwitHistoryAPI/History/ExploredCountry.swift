internal import GodwitHistory
internal import GodwitModel
internal import GodwitStore
internal import GodwitTiles

/// How much of a country was explored: the ground of the hexagons that were passed, of those whose centre is in it.
struct ExploredCountry: Sendable, Hashable {
  /// Square kilometres.
  private(set) var explored = 0.0
  /// Square kilometres of the country.
  let area: Double

  /// From 0 to 1.
  var share: Double { area > 0 ? min(explored / area, 1) : 0 }

  /// The zoom level of the hexagons: their radius is 1,957 m times the cosine of the latitude.
  private static let zoom = 9
  /// Square kilometres below which a country has the hexagons of a city.
  private static let small = 1_000.0
  /// Zoom levels between the hexagons and the tiles that are read for them.
  private static let detail = 4

  private init(area: Double) { self.area = area }

  /// Measures a country.
  /// - Parameters:
  ///   - country: its code.
  ///   - world: the countries; lakes belong to them.
  ///   - sources: the devices.
  ///   - cache: what was computed for tiles.
  ///   - db: where their overviews are.
  /// - Returns: `nil` for a country whose area is not known.
  static func measured(
    _ country: String, of world: PlaceNames, _ sources: [HistoryTile.Source], _ cache: HistoryTileCache, _ db: any SQLConnection
  ) throws -> ExploredCountry? {
    guard let area = world.squareKilometers(ofCountry: country) else { return nil }
    let zoom = area < small ? ExploredArea.zoom : zoom
    let reader = HistoryTileReader(db, cache)
    let grid = HexagonGrid(zoom: zoom)
    var measured = ExploredCountry(area: area)
    for tile in try tiles(at: zoom - detail, passedBy: sources, reader) where try world.hasCountry(country, near: tile) {
      for center in try reader.passed(tile, by: sources, detail: detail) {
        let place = MercatorPoint(x: center.x, y: center.y)
        guard try world.isInside(country, latitude: place.latitude, longitude: place.longitude) else { continue }
        measured.explored += grid.squareKilometers(at: place.latitude)
      }
    }
    return measured
  }

  /// The tiles with anything of the devices, by a look at the world.
  private static func tiles(
    at zoom: Int, passedBy sources: [HistoryTile.Source], _ reader: HistoryTileReader
  ) throws -> Set<TileCoordinate> {
    guard let root = TileCoordinate(zoom: 0, column: 0, row: 0) else { return [] }
    // The hexagons of zoom 5. A line at that scale is up to 3 km from its positions, which is less than a radius.
    let side = Double(1 << zoom)
    let reach = HexagonGrid(zoom: look).radius * 2
    var tiles: Set<TileCoordinate> = []
    for center in try reader.passed(root, by: sources, detail: look) {
      func range(_ middle: Double) -> ClosedRange<Int> {
        Int(max((middle - reach) * side, 0))...Int(min((middle + reach) * side, side - 1))
      }
      for row in range(center.y) {
        for column in range(center.x) {
          if let tile = TileCoordinate(zoom: zoom, column: column, row: row) { tiles.insert(tile) }
        }
      }
    }
    return tiles
  }

  private static let look = 5
}
