import GodwitTiles
import Testing

@Suite("TileCoordinate")
struct TileCoordinateTests {
  @Test(
    "a position has the tile of the Web Mercator scheme",
    arguments: [
      // Calculated with the formula of the OpenStreetMap wiki, "Slippy map tilenames".
      (46.0511, 14.5051, 10, 553, 364), (-33.8688, 151.2093, 12, 3768, 2457), (0.0, 0.0, 1, 1, 1), (85.2, -180.0, 3, 0, 0),
      (-89.0, 180.0, 3, 7, 7), (52.5163, 13.3777, 0, 0, 0),
    ])
  func tile(latitude: Double, longitude: Double, zoom: Int, column: Int, row: Int) throws {
    let tile = try #require(TileCoordinate(zoom: zoom, latitude: latitude, longitude: longitude))
    #expect(tile == TileCoordinate(zoom: zoom, column: column, row: row))
  }

  @Test(
    "coordinates outside the range of a zoom level are not a tile",
    arguments: [
      (-1, 0, 0), (23, 0, 0), (0, 1, 0), (0, 0, 1), (3, -1, 2), (3, 2, 8), (22, 1 << 22, 0), (Int.max, Int.min, Int.max),
    ])
  func outside(zoom: Int, column: Int, row: Int) {
    #expect(TileCoordinate(zoom: zoom, column: column, row: row) == nil)
  }

  @Test("a position that is not finite has no tile", arguments: [Double.nan, .infinity, -.infinity])
  func notFinite(number: Double) {
    #expect(TileCoordinate(zoom: 3, latitude: number, longitude: 0) == nil)
    #expect(TileCoordinate(zoom: 3, latitude: 0, longitude: number) == nil)
  }

  @Test("the projection and its inverse agree within a millionth of a degree")
  func roundTrip() {
    for latitude in stride(from: -85.0, through: 85, by: 2.5) {
      let place = MercatorPoint(latitude: latitude, longitude: latitude * 2)
      #expect(abs(place.latitude - latitude) < 1e-6)
      #expect(abs(place.longitude - latitude * 2) < 1e-6)
    }
  }
}
