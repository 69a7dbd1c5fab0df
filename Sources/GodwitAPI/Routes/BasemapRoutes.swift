internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of map tiles. They need no authentication, because share pages use them.
enum BasemapRoutes {
  typealias Route = Routes.Route
  typealias TileOperation = Operation<NoParameters, NoBody, RawResult<MapTile>>

  static let all: [Route] = [
    Route(
      .get, path: "/basemap/world/TILE", access: .open, id: "worldTile", summary: "Returns a tile of the built-in world",
      returns: "A vector tile with land, lakes, borders and states.", parameter: tile, problems: [404], as: TileOperation.self
    ) { try $0.basemap.world($1) }.answering(204, empty).unlimited,
    Route(
      .get, path: "/basemap/names/TILE", access: .open, id: "nameTile", summary: "Returns a tile of the built-in names",
      returns: "A vector tile with towns, states and countries as points.", parameter: tile, problems: [404],
      as: TileOperation.self
    ) { try $0.basemap.names($1) }.answering(204, empty).unlimited,
    Route(
      .get, path: "/basemap/TILE", access: .open, id: "basemapTile", summary: "Returns a tile of the base map",
      returns: "A tile of the file that the server was started with, as the settings describe it.", parameter: tile,
      problems: [404], as: Operation<NoParameters, NoBody, RawResult<OwnMapTile>>.self
    ) { try $0.basemap.own($1) }.answering(204, empty).unlimited,
    Route(
      .get, path: "/fonts/RANGE", access: .open, id: "glyphs", summary: "Returns letters for labels of the map",
      returns: "The letters, or nothing if no font has any of the range.",
      parameter: "Fonts and 256 characters: `Noto Sans Regular/0-255.pbf`.", problems: [400],
      as: Operation<NoParameters, NoBody, RawResult<GlyphFile>>.self
    ) { try $0.basemap.glyphs($1) }.unlimited,
  ]

  private static let tile = "Zoom, column and row: `6/34/22.mvt`."
  private static let empty = "The map has nothing there."
}
