internal import Foundation
package import GodwitEngine
package import GodwitModel
internal import GodwitSimulator

/// A made-up town with fences all over it.
package struct FenceCity: Sendable {
  /// Metres between two streets.
  package static let block: Meters = 150

  /// Its centre, far from any real home.
  package static let middle = Coordinate(latitude: 45.5, longitude: 14)!  // in range

  package let fences: [Region]
  package let catalogue: RegionCatalogue
  /// Metres from the middle to each side.
  package let reach: Meters

  /// - Parameters:
  ///   - count: fences.
  ///   - side: metres of the town's sides.
  ///   - seed: of the places and sizes.
  ///   - more: others, with ids of their own.
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

  /// Houses and shops, blocks, quarters, and a few that hold half a town.
  private static func radius(_ random: inout RandomSource) -> Meters {
    let kind = random.uniform()
    let range: ClosedRange<Double> =
      kind < 0.6 ? 100...200 : kind < 0.9 ? 200...500 : kind < 0.99 ? 500...1_000 : 1_000...2_000
    return random.uniform(range)
  }

  /// Metres north and east of the middle, on the plane.
  package static func place(north: Meters, east: Meters) -> Coordinate {
    let degree = 111_195.08
    let latitude = middle.latitude + north / degree
    return Coordinate(
      latitude: latitude, longitude: middle.longitude + east / (degree * cos(middle.latitude * .pi / 180)))!  // in range
  }
}
