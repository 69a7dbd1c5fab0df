internal import Synchronization

/// The maps that a server has: the built-in world, and the owner's file.
package final class Basemaps: Sendable {
  /// A file of map tiles.
  package struct OwnMap: Sendable {
    package let archive: TileArchive
    /// Changes with the file: a part of the addresses of its tiles, so that browsers may keep them.
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
  /// The names of positions.
  package let places: PlaceNames
  private let current = Mutex<OwnMap?>(nil)

  package init(world: TileArchive, names: TileArchive) throws(TileArchiveError) {
    self.world = world
    self.names = names
    places = try PlaceNames(world: world, names: names)
  }

  /// The owner's map; `nil`: none.
  package var own: OwnMap? { current.withLock(\.self) }

  /// Replaces the owner's map.
  package func use(_ map: OwnMap?) { current.withLock { $0 = map } }
}

extension TileKind {
  /// What the addresses of tiles end with.
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
