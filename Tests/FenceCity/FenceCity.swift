internal import Foundation
package import GodwitEngine
package import GodwitModel
internal import GodwitSimulator

/// An artificial city with geofences at random places.
package struct FenceCity: Sendable {
  /// The distance between two streets, in metres.
  package static let block: Meters = 150

  /// The centre of the city.
  package static let middle = Coordinate(latitude: 45.5, longitude: 14)!  // in range

  package let fences: [Region]
  package let catalogue: RegionCatalogue
  /// The distance from the centre to each side, in metres.
  package let reach: Meters

  /// - Parameters:
  ///   - count: the number of geofences.
  ///   - side: the length of the sides of the city, in metres.
  ///   - seed: the seed of the places and sizes.
  ///   - more: additional regions.
  package init(_ count: Int = 5_000, side: Meters = 20_000, seed: UInt64 = 1, more: [Region] = []) {
    var random = RandomSource(seed: seed, stream: "fences")
    reach = side / 2
    let reach = reach
    let made = (0..<count).map { number in
      let place = Self.place(north: random.uniform(-reach...reach), east: random.uniform(-reach...reach))
      return Region(
        id: "fence\(number)", shape: .circle(Circle(center: place, radius: Self.radius(&random).rounded())))
    }
    fences = made + more
    catalogue = RegionCatalogue(fences)
  }

  /// A random radius: usually that of a house or a shop, less often of a block or a quarter, rarely of a large part of the city.
  private static func radius(_ random: inout RandomSource) -> Meters {
    let kind = random.uniform()
    let range: ClosedRange<Double> =
      kind < 0.6 ? 100...200 : kind < 0.9 ? 200...500 : kind < 0.99 ? 500...1_000 : 1_000...2_000
    return random.uniform(range)
  }

  /// The place at some metres north and east of the centre, on a plane.
  package static func place(north: Meters, east: Meters) -> Coordinate {
    let degree = 111_195.08
    let latitude = middle.latitude + north / degree
    return Coordinate(
      latitude: latitude, longitude: middle.longitude + east / (degree * cos(middle.latitude * .pi / 180)))!  // in range
  }
}
