#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A tile with a margin. It projects positions into its units and clips line segments.
package struct TileFrame: Sendable {
  package let tile: TileCoordinate
  /// The width of the margin in units.
  package let margin: Double
  /// The width of the world in units.
  package let world: Double
  /// Projected rows at the latitudes of a table, from south to north.
  private let rows: [Double]
  private let southernmost: Double
  private let rowsOfDegree: Double

  /// A position in units of the tile: x from its western edge, y from its northern edge.
  package struct Place: Sendable, Hashable {
    package var x: Double
    package var y: Double

    package init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// - Parameters:
  ///   - tile: the tile.
  ///   - margin: the width of the margin in units, ≥ 0.
  package init(_ tile: TileCoordinate, margin: Double) {
    self.tile = tile
    self.margin = margin
    let world = Double(VectorTileWriter.extent) * Double(1 << tile.zoom)
    self.world = world
    // The table covers the tile and as much again above and below it, which contains nearly all projected positions. Between two of 1024
    // latitudes, linear interpolation deviates by at most a fifth of a unit near the poles, and by less elsewhere.
    let north = MercatorPoint(x: 0, y: max(0, tile.north - tile.width)).latitude
    let south = MercatorPoint(x: 0, y: min(1, tile.north + 2 * tile.width)).latitude
    let step = (north - south) / Double(Self.knots)
    southernmost = south
    rowsOfDegree = 1 / step
    rows = (0...Self.knots).map {
      MercatorPoint(latitude: south + Double($0) * step, longitude: 0).y * world - tile.north * world
    }
  }

  private static let knots = 1024

  /// Projects a position.
  /// - Parameters:
  ///   - latitude: 1e-7 degrees.
  ///   - longitude: 1e-7 degrees.
  @inline(__always)
  package func place(latitude: Int32, longitude: Int32) -> Place {
    let x = (Double(longitude) / 3_600_000_000 + 0.5 - tile.west) * world
    let knot = (Double(latitude) / 1e7 - southernmost) * rowsOfDegree
    if knot >= 0, knot < Double(Self.knots) {
      let index = Int(knot)
      let share = knot - Double(index)
      return Place(x: x, y: rows[index] + (rows[index + 1] - rows[index]) * share)
    }
    return Place(x: x, y: (MercatorPoint(latitude: Double(latitude) / 1e7, longitude: 0).y - tile.north) * world)
  }

  /// The length of a unit at a place in metres.
  package func metres(at place: Place) -> Double {
    let y = tile.north + place.y / world
    return Self.equator / world / cosh((1 - 2 * y) * .pi)
  }

  /// The length of the equator in metres.
  private static let equator = 40_075_016.686

  /// Whether a place is in the tile. The northern and western edges belong to the tile.
  @inline(__always)
  package func contains(_ place: Place) -> Bool {
    place.x >= 0 && place.y >= 0 && place.x < Double(VectorTileWriter.extent) && place.y < Double(VectorTileWriter.extent)
  }

  /// Returns the part of a line segment inside the tile and its margin; `nil`: there is none.
  @inline(__always)
  package func clipped(_ a: Place, _ b: Place) -> (Place, Place)? {
    let (low, high) = (-margin, Double(VectorTileWriter.extent) + margin)
    if min(a.x, b.x) >= low, max(a.x, b.x) <= high, min(a.y, b.y) >= low, max(a.y, b.y) <= high { return (a, b) }
    if max(a.x, b.x) < low || min(a.x, b.x) > high || max(a.y, b.y) < low || min(a.y, b.y) > high { return nil }
    return crossed(a, b, low, high)
  }

  /// Clips a segment that crosses an edge. Liang and Barsky, "A new concept and method for line clipping" (1984).
  private func crossed(_ a: Place, _ b: Place, _ low: Double, _ high: Double) -> (Place, Place)? {
    var (enters, leaves) = (0.0, 1.0)
    let (dx, dy) = (b.x - a.x, b.y - a.y)
    for (step, distance) in [(-dx, a.x - low), (dx, high - a.x), (-dy, a.y - low), (dy, high - a.y)] {
      if step == 0 {
        if distance < 0 { return nil }
        continue
      }
      let share = distance / step
      if step < 0 { enters = max(enters, share) } else { leaves = min(leaves, share) }
      if enters > leaves { return nil }
    }
    return (Place(x: a.x + dx * enters, y: a.y + dy * enters), Place(x: a.x + dx * leaves, y: a.y + dy * leaves))
  }
}
