package import GodwitTiles

/// The content of a tile of the history.
package struct HistoryTile: Sendable {
  /// A layer of a tile.
  package enum Layer: String, Sendable, Hashable, CaseIterable {
    /// Lines of the tracks. Each stretch is drawn once, with the properties of its newest passage.
    case lines
    /// Positions of the tracks, at most one in each cell.
    case points
    /// The number of days on which each cell was passed.
    case heat
    /// The number of days on which each hexagon was passed: the explored area.
    case hexagons
    /// Visits, grouped by cell.
    case stays
  }

  /// A device, and the part of its data that is shown.
  package struct Source: Sendable {
    package var device: Int64
    package var name: String
    /// Milliseconds since 1970.
    package var times: Range<Int64>
    /// For the device of a friend: the places that are not shown.
    package var hidden: (any HiddenArea)?
    /// Whether the visits and the modes of the trips are shown in addition to the positions.
    package var hasTimeline: Bool

    package init(device: Int64, name: String, times: Range<Int64>, hasTimeline: Bool, hidden: (any HiddenArea)? = nil) {
      self.device = device
      self.name = name
      self.times = times
      self.hidden = hidden
      self.hasTimeline = hasTimeline
    }
  }

  package var coordinate: TileCoordinate
  package var layers: Set<Layer>
  /// At most ``maximumSources``.
  package var sources: [Source]

  package init(_ coordinate: TileCoordinate, layers: Set<Layer>, sources: [Source]) {
    self.coordinate = coordinate
    self.layers = layers
    self.sources = sources
  }

  /// The maximum number of devices in a tile. The keys of steps have eight bits for the index of the device.
  package static let maximumSources = 64
  /// The maximum size of a tile in bytes.
  package static let maximumSize = 60_000
  /// The version of the tile format, a part of the entity tags. It is increased when the content of tiles changes.
  package static let format = 1

  /// The units of a pixel: a tile is 512 pixels wide.
  static let pixel = 8.0
  /// The width in units of the margin around a tile that is drawn as well. It is wider than the part of a hexagon beyond the edge.
  static let margin = 256.0
}

/// Places of a device that are hidden from other users.
package protocol HiddenArea: Sendable {
  /// Returns whether a position is in a hidden place, or within a distance of one.
  /// - Parameters:
  ///   - latitude: 1e-7 degrees.
  ///   - longitude: 1e-7 degrees.
  ///   - metres: the distance.
  func isNear(latitude: Int32, longitude: Int32, within metres: Double) -> Bool
}
