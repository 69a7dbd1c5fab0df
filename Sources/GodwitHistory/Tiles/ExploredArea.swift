internal import GodwitModel
package import GodwitStore
package import GodwitTiles

/// The explored share of an area: the number of passed hexagons, and the number of all hexagons whose centre is in the area.
package struct ExploredArea: Sendable, Hashable {
  package var explored = 0
  package var hexagons = 0

  /// The explored share of the hexagons, 0…1.
  package var share: Double { hexagons > 0 ? Double(explored) / Double(hexagons) : 0 }

  /// The zoom level of the hexagons: their radius is 245 m times the cosine of the latitude.
  package static let zoom = 12
  /// The maximum number of tiles, counted by their hexagons. A circle with a radius of 50 km at a latitude of 70° has fewer.
  private static let maximumTiles = 900

  /// Measures the circle of a city.
  /// - Parameters:
  ///   - city: the circle.
  ///   - sources: the devices.
  ///   - cache: the data of tiles that was computed before.
  ///   - isLand: returns whether a position in the circle is on land. Hexagons at sea are not counted.
  ///   - db: the database of the overviews.
  package static func measured(
    in city: City, of sources: [HistoryTile.Source], _ cache: HistoryTileCache, _ db: any SQLConnection,
    isLand: (_ latitude: Double, _ longitude: Double) throws -> Bool
  ) throws -> ExploredArea {
    let center = MercatorPoint(latitude: city.latitude, longitude: city.longitude)
    let radius = city.squareRadius
    let side = Double(1 << zoom)
    func tiles(_ middle: Double) -> ClosedRange<Int> {
      Int(max((middle - radius) * side, 0))...Int(min(max((middle + radius) * side, 0), side - 1))
    }
    var area = ExploredArea()
    var failure: (any Error)?
    for row in tiles(center.y) {
      for column in tiles(center.x) {
        guard let coordinate = TileCoordinate(zoom: zoom, column: column, row: row), area.hexagons < maximumTiles * 700 else {
          continue
        }
        let tile = HistoryTile(coordinate, layers: [.hexagons], sources: sources)
        let part = try HistoryTileReader(db, cache).explored(tile) { x, y in
          let (dx, dy) = (x - center.x, y - center.y)
          guard dx * dx + dy * dy <= radius * radius else { return false }
          let place = MercatorPoint(x: x, y: y)
          do { return try isLand(place.latitude, place.longitude) } catch {
            failure = error
            return false
          }
        }
        if let failure { throw failure }
        area.explored += part.explored
        area.hexagons += part.hexagons
      }
    }
    return area
  }
}
