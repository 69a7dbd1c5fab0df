#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A grid of hexagons over the Web Mercator square, with a corner at the top.
///
/// Coordinates are axial: `q` increases to the east, `r` to the south. The centre of (0, 0) is the north-western corner of the square.
package struct HexagonGrid: Sendable {
  /// The distance from the centre to a corner, in units of the square (0…1).
  package let radius: Double

  package struct Cell: Sendable, Hashable {
    package var q: Int
    package var r: Int

    package init(q: Int, r: Int) {
      self.q = q
      self.r = r
    }
  }

  /// The grid for a zoom level: a tile is forty radii wide, a radius is 13 pixels.
  package init(zoom: Int) { radius = 1 / Double(1 << zoom) / 40 }

  /// Returns the hexagon that contains a position of the square.
  package func cell(x: Double, y: Double) -> Cell {
    let r = y / radius * 2 / 3
    let q = x / radius / Self.root - r / 2
    return Self.rounded(q, r)
  }

  /// Returns the centre of a hexagon.
  package func center(_ cell: Cell) -> (x: Double, y: Double) {
    (radius * Self.root * (Double(cell.q) + Double(cell.r) / 2), radius * 1.5 * Double(cell.r))
  }

  /// The area on the ground of a hexagon at a latitude, in square kilometres.
  package func squareKilometers(at latitude: Double) -> Double {
    let side = radius * GroundScale(latitude: latitude).square / 1000
    return 1.5 * Self.root * side * side
  }

  /// The corners of a hexagon, clockwise from the northern one.
  package func corners(_ cell: Cell) -> [(x: Double, y: Double)] {
    let center = center(cell)
    let (wide, high) = (radius * Self.root / 2, radius / 2)
    return [(0, -radius), (wide, -high), (wide, high), (0, radius), (-wide, high), (-wide, -high)]
      .map { (center.x + $0.0, center.y + $0.1) }
  }

  private static let root = 3.0.squareRoot()

  /// Returns the hexagon nearest to fractional axial coordinates: the integers closest to them whose sum with −q − r is zero.
  private static func rounded(_ q: Double, _ r: Double) -> Cell {
    let s = -q - r
    var (wholeQ, wholeR) = (q.rounded(), r.rounded())
    let wholeS = s.rounded()
    let (offQ, offR, offS) = (abs(wholeQ - q), abs(wholeR - r), abs(wholeS - s))
    if offQ > offR, offQ > offS { wholeQ = -wholeR - wholeS } else if offR > offS { wholeR = -wholeQ - wholeS }
    return Cell(q: Int(wholeQ), r: Int(wholeR))
  }
}
