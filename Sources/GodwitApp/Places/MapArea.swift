internal import Foundation
internal import GodwitModel

/// A part of a map: its centre and its extent in degrees.
public struct MapArea: Sendable, Hashable {
  public var center: MapPoint
  /// Degrees, 0…180.
  public var latitudeSpan: Double
  /// Degrees, 0…360.
  public var longitudeSpan: Double

  /// The minimum extent in degrees: some hundred metres.
  static let minimumSpan = 0.005
  /// The factor of the extent around the outermost places.
  static let margin = 1.2

  /// - Parameters:
  ///   - center: the middle.
  ///   - latitudeSpan: degrees, 0…180.
  ///   - longitudeSpan: degrees, 0…360.
  public init(center: MapPoint, latitudeSpan: Double, longitudeSpan: Double) {
    self.center = center
    self.latitudeSpan = latitudeSpan
    self.longitudeSpan = longitudeSpan
  }

  /// The part with all places and a margin, also across the antimeridian; `nil` if `places` is empty.
  init?(around places: [Coordinate]) {
    guard let south = places.map(\.latitude).min(), let north = places.map(\.latitude).max() else { return nil }
    let (west, width) = Self.longitudes(places.map(\.longitude))
    var middle = west + width / 2
    if middle > 180 { middle -= 360 }
    center = MapPoint(latitude: (south + north) / 2, longitude: middle)
    latitudeSpan = min(180, max(Self.minimumSpan, (north - south) * Self.margin))
    longitudeSpan = min(360, max(Self.minimumSpan, width * Self.margin))
  }

  var south: Double { max(-90, center.latitude - latitudeSpan / 2) }
  var north: Double { min(90, center.latitude + latitudeSpan / 2) }
  /// Greater than ``east`` if the part crosses the antimeridian.
  var west: Double { longitudeSpan >= 360 ? -180 : Self.wrapped(center.longitude - longitudeSpan / 2) }
  var east: Double { longitudeSpan >= 360 ? 180 : Self.wrapped(center.longitude + longitudeSpan / 2) }

  private static func wrapped(_ longitude: Double) -> Double {
    longitude < -180 ? longitude + 360 : longitude > 180 ? longitude - 360 : longitude
  }

  /// The narrowest range of longitudes: the complement of the widest gap between two neighbours.
  private static func longitudes(_ longitudes: [Double]) -> (west: Double, width: Double) {
    let sorted = longitudes.sorted()
    guard let first = sorted.first, let last = sorted.last else { return (0, 0) }
    var (west, widest) = (first, first + 360 - last)
    for (left, right) in zip(sorted, sorted.dropFirst()) where right - left > widest {
      (west, widest) = (right, right - left)
    }
    return (west, 360 - widest)
  }
}
