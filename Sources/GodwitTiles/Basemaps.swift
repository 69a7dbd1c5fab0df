internal import Synchronization

/// The maps of a server: the built-in world, and the base map file.
package final class Basemaps: Sendable {
  /// A file of map tiles.
  package struct OwnMap: Sendable {
    package let archive: TileArchive
    /// Changes with the file. It is a part of the URLs of tiles, so that browsers can cache them.
    package let version: String

    package init(archive: TileArchive, version: String) {
      self.archive = archive
      self.version = version
    }
  }

  /// Land, lakes, borders and states.
  package let world: TileArchive
  /// Towns, states and countries as points.
  package let names: TileArchive
  /// Finds the names of positions.
  package let places: PlaceNames
  private let current = Mutex<OwnMap?>(nil)

  package init(world: TileArchive, names: TileArchive) throws(TileArchiveError) {
    self.world = world
    self.names = names
    places = try PlaceNames(world: world, names: names)
  }

  /// The base map file; `nil`: none.
  package var own: OwnMap? { current.withLock(\.self) }

  /// Replaces the base map file.
  package func use(_ map: OwnMap?) { current.withLock { $0 = map } }
}

extension TileKind {
  /// The extension in the URLs of tiles.
  package var fileExtension: String {
    switch self {
    case .vector: "mvt"
    case .png: "png"
    case .jpeg: "jpg"
    case .webp: "webp"
    case .avif: "avif"
    }
  }
}
