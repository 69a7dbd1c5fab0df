package import GodwitModel

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A position in 1e-7 degrees (11 mm), as OpenStreetMap stores it.
package struct RoadPoint: Sendable, Hashable {
  var latitude: Int32
  var longitude: Int32

  init(latitude: Int32, longitude: Int32) { (self.latitude, self.longitude) = (latitude, longitude) }

  package init(_ coordinate: Coordinate) {
    // Both products are within ±1.8e9.
    latitude = Int32((coordinate.latitude * 1e7).rounded())
    longitude = Int32((coordinate.longitude * 1e7).rounded())
  }

  /// The position; `nil` if the numbers are out of range.
  package var coordinate: Coordinate? { Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7) }
}

/// Normalizes a sum or difference of longitudes in 1e-7 degrees to ±180°.
@inline(__always)
func withinHalfCircle(_ longitude: Double) -> Double {
  longitude > 1.8e9 ? longitude - 3.6e9 : longitude < -1.8e9 ? longitude + 3.6e9 : longitude
}

extension SIMD2<Double> {
  var length: Double { (self * self).sum().squareRoot() }
}

/// A local plane around a position, in metres to the east and to the north. Within a few kilometres its lengths differ from those
/// of the sphere by less than 0.1 %.
struct LocalPlane {
  private let latitude, longitude: Double
  private let east: Double
  private static let metersPerStep = GreatCircle.earthRadius * .pi / 180 * 1e-7

  init(around point: RoadPoint) {
    latitude = Double(point.latitude)
    longitude = Double(point.longitude)
    east = Self.metersPerStep * max(0.01, cos(latitude * 1e-7 * .pi / 180))
  }

  @inline(__always)
  func position(_ point: RoadPoint) -> SIMD2<Double> {
    SIMD2(
      withinHalfCircle(Double(point.longitude) - longitude) * east, (Double(point.latitude) - latitude) * Self.metersPerStep)
  }

  /// Returns the direction from the origin to a point, in 1/256 of a circle clockwise from north.
  func direction(to point: RoadPoint) -> UInt8 {
    let position = position(point)
    return UInt8(truncatingIfNeeded: Int((atan2(position.x, position.y) / .pi * 128).rounded()))
  }

  /// Returns the differences of latitude and longitude, in 1e-7 degrees, that cover a distance in metres.
  func reach(of distance: Double) -> (latitude: Int32, longitude: Int32) {
    // A degree of longitude counts as at least 1 % of its length at the equator: at most 9e8 for 1,000 m.
    (Int32(min(distance / Self.metersPerStep + 1, 1e8)), Int32(min(distance / east + 1, 9e8)))
  }

  /// Returns the point at a position on the plane, clamped to the range of the numbers.
  func point(_ position: SIMD2<Double>) -> RoadPoint {
    let across = withinHalfCircle(longitude + position.x / east)
    let up = latitude + position.y / Self.metersPerStep
    return RoadPoint(
      latitude: Int32(min(max(up, -9e8), 9e8).rounded()), longitude: Int32(min(max(across, -1.8e9), 1.8e9).rounded()))
  }
}
