package import GodwitTiles

/// What a tile of the history shows.
package struct HistoryTile: Sendable {
  /// A layer of a tile.
  package enum Layer: String, Sendable, Hashable, CaseIterable {
    /// Lines of the tracks, each stretch once, as travelled last.
    case lines
    /// Positions of the tracks, one a cell.
    case points
    /// On how many days a cell was passed.
    case heat
    /// The same in hexagons: the explored area.
    case hexagons
    /// Visits, those of a cell together.
    case stays
  }

  /// A device, and what of it is shown.
  package struct Source: Sendable {
    package var device: Int64
    package var name: String
    /// Milliseconds since 1970.
    package var times: Range<Int64>
    /// Of a friend's device: the places that are not shown.
    package var hidden: (any HiddenArea)?
    /// Whether its visits and the modes of its trips are shown, beside its positions.
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

  /// Maximum devices in a tile: their numbers have six bits in the keys of steps.
  package static let maximumSources = 64
  /// Maximum bytes of a tile.
  package static let maximumSize = 60_000
  /// A number that changes with the content of tiles, for entity tags.
  package static let format = 1

  /// Units of a pixel: a tile is 512 pixels wide.
  static let pixel = 8.0
  /// Units around a tile that are drawn as well: more than a hexagon reaches beyond the edge.
  static let margin = 256.0
}

/// Places of a device that others do not see.
package protocol HiddenArea: Sendable {
  /// Whether a position, or another one within a distance, is hidden.
  /// - Parameters:
  ///   - latitude: 1e-7 degrees.
  ///   - longitude: 1e-7 degrees.
  ///   - metres: the distance.
  func isNear(latitude: Int32, longitude: Int32, within metres: Double) -> Bool
}
