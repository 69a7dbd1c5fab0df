package import GodwitHTTP

/// The map tiles of the pages, as returned by the API.
package struct MapTilesResult: ResultObject {
  package var url: String
  package var attribution: String
  package var maxZoom: Int

  package static let schemaName: String? = "Tiles"
  package static let notes: [String: JSONValue] = ["url": "With `{z}`, `{x}` and `{y}`.", "max_zoom": ["minimum": 0]]

  package init(_ tiles: MapTiles) {
    (url, attribution, maxZoom) = (tiles.url, tiles.attribution, 19)
  }
}
