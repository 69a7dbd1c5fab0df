internal import GodwitHistory
internal import GodwitModel
internal import GodwitStore
internal import GodwitTiles

/// The explored share of a country: the area of the passed hexagons whose centre is in the country, and the area of the country.
struct ExploredCountry: Sendable, Hashable {
  /// The explored area in square kilometres.
  private(set) var explored = 0.0
  /// The area of the country in square kilometres.
  let area: Double

  /// The explored share of the country, 0…1.
  var share: Double { area > 0 ? min(explored / area, 1) : 0 }

  /// The zoom level of the hexagons: their radius is 1,957 m times the cosine of the latitude.
  private static let zoom = 9
  /// The area in square kilometres below which a country is measured with the hexagons of cities.
  private static let small = 1_000.0
  /// The number of zoom levels between the hexagons and the tiles that are read for them.
  private static let detail = 4

  private init(area: Double) { self.area = area }

  /// Measures a country.
  /// - Parameters:
  ///   - country: the code of the country.
  ///   - world: the countries, including their lakes.
  ///   - sources: the devices.
  ///   - cache: the data of tiles that was computed before.
  ///   - db: the database of the overviews.
  /// - Returns: `nil` if the area of the country is not known.
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

  /// Returns the tiles that contain data of the devices, determined from the tile of the whole world.
  private static func tiles(
    at zoom: Int, passedBy sources: [HistoryTile.Source], _ reader: HistoryTileReader
  ) throws -> Set<TileCoordinate> {
    guard let root = TileCoordinate(zoom: 0, column: 0, row: 0) else { return [] }
    // The hexagons have the zoom level 5. A line at that scale is up to 3 km from its positions, which is less than a radius.
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
