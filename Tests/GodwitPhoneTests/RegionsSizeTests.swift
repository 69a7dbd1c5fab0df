import FenceCity
import Foundation
import GodwitModel
import GodwitPhone
import GodwitSimulator
import Testing

/// The values of the table in Documentation/Regions.md, "What the system can see".
@Suite("The smallest detectable geofence")
struct RegionsSizeTests {
  /// A passage straight through the centre of a geofence, without a stop.
  struct Passage: Sendable, CustomTestStringConvertible {
    var name: String
    /// Metres per second.
    var speed: Double
    /// The documented radius, in metres.
    var radius: Double

    var testDescription: String { "\(name), \(Int(radius)) m" }
  }

  static let documented = [
    Passage(name: "walking", speed: 1.4, radius: 280), Passage(name: "cycling", speed: 4.5, radius: 620),
    Passage(name: "driving at 30 km/h", speed: 8.3, radius: 1_050),
    Passage(name: "driving at 50 km/h", speed: 13.9, radius: 1_660),
    Passage(name: "driving at 90 km/h", speed: 25, radius: 2_900),
  ]

  private static let seeds = UInt64(1)...6

  /// The number of passages, one per seed, that were reported before the exit from the geofence.
  private func reported(_ passage: Passage, radius: Double, on system: SystemVersion) throws -> Int {
    try Self.seeds.count { seed in
      let target = Region(id: "target", shape: .circle(Circle(center: FenceCity.middle, radius: radius)))
      let city = FenceCity(side: 20_000, seed: seed, more: [target])
      let approach = radius + 1_500
      let start = CityLife.midnight + 600
      let route = stride(from: 0, through: 2 * approach / passage.speed, by: 50).map { seconds in
        Fix(
          time: (start + seconds).date,
          coordinate: FenceCity.place(north: -approach + passage.speed * seconds, east: 0))
      }
      let left = start + (approach + radius) / passage.speed
      let atRest = Fix(time: CityLife.midnight.date, coordinate: FenceCity.place(north: -approach, east: 0))
      var soak = GeofenceSoak(in: city, route: [atRest] + route, until: left + 600, seed: seed)
      soak.system = system
      soak.hasWifiEverywhere = true
      return try soak.run().reported.contains {
        $0.event.region.id == "target" && $0.event.kind == .entered && $0.at <= left.date
      }
    }
  }

  @Test(
    "a passage through a geofence of the documented size is reported before the exit", arguments: documented,
    [SystemVersion.ios18, .ios26])
  func large(passage: Passage, system: SystemVersion) throws {
    #expect(try reported(passage, radius: passage.radius, on: system) == Self.seeds.count)
  }

  @Test(
    "the documented size is not too large: by car, some passages through a geofence of a third of the radius are missed",
    arguments: documented.dropFirst(2))
  func small(passage: Passage) throws {
    #expect(try reported(passage, radius: passage.radius / 3, on: .ios18) < Self.seeds.count)
  }
}
