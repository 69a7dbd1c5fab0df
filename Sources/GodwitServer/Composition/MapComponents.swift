internal import GodwitAPI
internal import GodwitHistory
internal import GodwitResources
internal import GodwitTiles

/// The maps of the pages: the built-in world map with its glyphs, and the configured files of map tiles and roads.
struct MapComponents: Sendable {
  let basemaps: Basemaps
  let fonts: MapFonts
  let folder: BasemapFolder
  let roads = RoadLibrary()
  let roadFolder: RoadFolder

  /// Opens the configured files.
  /// - Throws: ``BasemapError`` or ``RoadFileError`` if a file named in the configuration cannot be used; errors of the store.
  init(_ configuration: Server.Configuration, _ stores: StoreComponents) throws {
    let files = EmbeddedFiles.world
    let world = try TileArchive(StaticBytes(files["CResources/World/world.pmtiles"]))
    let names = try TileArchive(StaticBytes(files["CResources/World/names.pmtiles"]))
    basemaps = try Basemaps(world: world, names: names)
    fonts = MapFonts { weight, range in
      let bytes = files["CResources/World/Fonts/NotoSans-\(weight)-\(range).pbf.gz"]
      return bytes.isEmpty ? nil : Array(bytes)
    }
    folder = BasemapFolder(path: configuration.basemap, dataFolder: configuration.dataFolder, basemaps: basemaps)
    try folder.open(configuration.notices)
    roadFolder = RoadFolder(
      path: configuration.roads, dataFolder: configuration.dataFolder, database: stores.store, library: roads)
    try roadFolder.open(configuration.notices)
  }
}
