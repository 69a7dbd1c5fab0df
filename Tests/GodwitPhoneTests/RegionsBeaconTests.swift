import FenceCity
import Foundation
import Godwit
import GodwitEngine
import GodwitModel
import GodwitPhone
import GodwitSimulator
import Testing

@Suite("Beacon regions on the simulated phone")
struct RegionsBeaconTests {
  private static let building = ProximityUUID(high: 0xF782_6DA6_4FA2_4E98, low: 0x8024_BC5B_71E0_893E)

  /// The events of a walk past a building with a beacon at its door, or of a stay near it.
  /// - Parameters:
  ///   - distance: shortest distance from the beacon, in metres.
  ///   - rest: duration of the stay there, in seconds.
  private func reported(distance: Meters, rest: Double, seed: UInt64) throws -> [String] {
    func place(_ north: Meters) -> Coordinate { FenceCity.place(north: north, east: distance) }
    let (start, speed, reach) = (CityLife.midnight + 600, 1.3, 400.0)
    var route = [Fix(time: CityLife.midnight.date, coordinate: place(-reach))]
    var time = start
    for north in stride(from: -reach, through: reach, by: 50) {
      route.append(Fix(time: time.date, coordinate: place(north)))
      if north == 0, rest > 0 {
        time = time + rest
        route.append(Fix(time: time.date, coordinate: place(north)))
      }
      time = time + 50 / speed
    }
    let regions = [
      Region(id: "building", shape: .beacon(Beacon(identity: BeaconIdentity(uuid: Self.building)))),
      Region(
        id: "door",
        shape: .beacon(Beacon(identity: BeaconIdentity(uuid: Self.building, major: 1, minor: 2), place: FenceCity.middle))),
      Region(id: "cellar", shape: .beacon(Beacon(identity: BeaconIdentity(uuid: Self.building, major: 9)))),
    ]
    var configuration = SimulatedPhone.Configuration(truth: try Truth(days: [route]))
    configuration.seed = seed
    configuration.start = CityLife.midnight
    configuration.beacons = [
      SimulatedBeacon(
        uuid: try #require(UUID(uuidString: Self.building.description)), major: 1, minor: 2, at: FenceCity.middle)
    ]
    let disk = FenceDisk()
    let phone = SimulatedPhone(
      configuration, app: FenceApp.app(RegionCatalogue(regions), on: disk), server: MemoryServer())
    phone.run(until: time + 600)
    phone.end()
    #expect(disk.keptUnmanaged && disk.maximumMonitored == 2)
    return disk.reported.map { "\($0.event.kind.rawValue) \($0.event.region.id)" }
  }

  @Test("a walk past a beacon causes one entry and one exit of each of its regions", arguments: UInt64(1)...10)
  func walk(seed: UInt64) throws {
    let reported = try reported(distance: 10, rest: 0, seed: seed)
    for id in ["building", "door"] { #expect(reported.filter { $0.hasSuffix(id) } == ["entered \(id)", "exited \(id)"]) }
    #expect(!reported.contains { $0.hasSuffix("cellar") })
  }

  @Test(
    "half an hour with a quarter or half of the advertisements lost is one stay, or two with a sighting on approach",
    arguments: UInt64(1)...10, [37.0, 45])
  func edge(seed: UInt64, distance: Meters) throws {
    let reported = try reported(distance: distance, rest: 1_800, seed: seed)
    for id in ["building", "door"] {
      let kinds = reported.filter { $0.hasSuffix(id) }
      #expect(kinds.count == 2 || kinds.count == 4, "\(kinds)")
    }
  }
}
