#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A town with its surroundings as a circle, because the built-in world has no borders of towns.
package struct City: Sendable, Hashable {
  package let name: String
  /// The code of ISO 3166-1, two letters.
  package let countryCode: String
  package let latitude: Double
  package let longitude: Double
  /// The radius in metres, computed for 4,000 inhabitants per km², the density of a city with its suburbs.
  package let radius: Double

  /// The radius in units of the square of web Mercator (0…1).
  package var squareRadius: Double { GroundScale(latitude: latitude).world(meters: radius) }

  /// Inhabitants per square metre.
  private static let density = 0.004
  /// The radius in metres. The largest city has forty million inhabitants.
  private static let radii = 1_000.0...50_000.0

  init(_ town: NearTown) {
    name = town.name
    countryCode = town.code
    (latitude, longitude) = (town.center.latitude, town.center.longitude)
    let radius = (town.population / .pi / Self.density).squareRoot()
    self.radius = min(max(radius, Self.radii.lowerBound), Self.radii.upperBound)
  }
}

extension PlaceNames {
  /// Returns the city of a position: the largest whose circle contains it; `nil` if there is none.
  /// - Throws: an error if a tile cannot be read.
  package func city(latitude: Double, longitude: Double) throws(TileArchiveError) -> City? {
    let towns = try towns(near: latitude, longitude)
    let around = towns.map { (city: City($0), town: $0) }.filter { $0.town.distance <= $0.city.radius }
    return around.max { $0.town.population < $1.town.population }?.city
  }
}
