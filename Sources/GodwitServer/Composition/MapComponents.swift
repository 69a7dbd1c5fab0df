internal import GodwitAPI
internal import GodwitResources
internal import GodwitTiles

/// The maps of the pages: the built-in world with its letters, and the owner's file.
struct MapComponents: Sendable {
  let basemaps: Basemaps
  let fonts: MapFonts
  let folder: BasemapFolder

  /// Opens the owner's file.
  /// - Throws: ``BasemapError`` if it was named and cannot be served.
  init(_ configuration: Server.Configuration) throws {
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
  }
}
