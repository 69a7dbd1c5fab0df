#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A tile: its zoom level, and its column and row in the Web Mercator square.
///
/// At zoom `z` the square has 2^z columns from west to east and 2^z rows from north to south, as in XYZ numbering of web maps.
package struct TileCoordinate: Sendable, Hashable {
  /// The largest zoom level: 22.
  package static let largestZoom = 22
  /// The latitude of the northern and southern edge of the square in degrees: atan(sinh(π)).
  package static let largestLatitude = 85.051_128_779_806_59

  /// The zoom level, 0…22.
  package let zoom: Int
  /// The column, 0…2^zoom − 1; 0 begins at 180° west.
  package let column: Int
  /// The row, 0…2^zoom − 1; 0 begins at 85.05° north.
  package let row: Int

  /// Creates a coordinate; `nil` if a number is outside its range.
  package init?(zoom: Int, column: Int, row: Int) {
    guard 0...Self.largestZoom ~= zoom else { return nil }
    guard 0..<(1 << zoom) ~= column, 0..<(1 << zoom) ~= row else { return nil }
    self.zoom = zoom
    self.column = column
    self.row = row
  }

  /// The tile that contains a position. Latitudes beyond the square are moved to its edge. `nil` for a number that is not finite, or a zoom
  /// level outside 0…22.
  package init?(zoom: Int, latitude: Double, longitude: Double) {
    guard 0...Self.largestZoom ~= zoom, latitude.isFinite, longitude.isFinite else { return nil }
    let size = Double(1 << zoom)
    let place = MercatorPoint(latitude: latitude, longitude: longitude)
    self.zoom = zoom
    column = Int(min(max(place.x * size, 0), size - 1))
    row = Int(min(max(place.y * size, 0), size - 1))
  }

  /// The western and northern edge and the width of the tile, in units of the world's square (0…1).
  package var west: Double { Double(column) / Double(1 << zoom) }
  package var north: Double { Double(row) / Double(1 << zoom) }
  package var width: Double { 1 / Double(1 << zoom) }
}

/// A position in the Web Mercator square: `x` 0…1 from west to east, `y` 0…1 from north to south.
package struct MercatorPoint: Sendable, Hashable {
  package var x: Double
  package var y: Double

  package init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The projection of a position on the sphere. Latitudes beyond ±85.05° are moved to that edge; longitudes are not wrapped.
  package init(latitude: Double, longitude: Double) {
    let limited = min(max(latitude, -TileCoordinate.largestLatitude), TileCoordinate.largestLatitude)
    x = (longitude + 180) / 360
    y = 0.5 - asinh(tan(limited * .pi / 180)) / (2 * .pi)
  }

  /// Degrees east.
  package var longitude: Double { x * 360 - 180 }
  /// Degrees north, −85.05…85.05 inside the square.
  package var latitude: Double { atan(sinh((0.5 - y) * 2 * .pi)) * 180 / .pi }
}
