import Foundation
import GodwitEngine
import GodwitModel
import Testing

@Suite("Regions: beacons")
struct RegionsBeaconTests {
  static let three = [Regions.beacon("a", 1, major: 1), Regions.beacon("b", 1, major: 2), Regions.beacon("c", 1, major: 3)]

  func near(_ regions: [Region] = three) -> RegionsBench {
    var bench = RegionsBench(regions)
    bench.entered("beacons 1", 0)
    return bench
  }

  @Test("inside the region of a UUID its beacons are ranged; a beacon is entered at its first sighting with known proximity")
  func entry() {
    var bench = RegionsBench(Self.three)
    #expect(bench.monitored == ["beacons 1"])
    #expect(bench.entered("beacons 1", 0) == ["range 1"])
    #expect(bench.entered("beacons 1", 1) == [])
    #expect(bench.range(1, [1: .unknown], 1) == [])
    #expect(bench.range(1, [1: .far, 2: .unknown], 2) == ["entered a 2", "changed"])
    #expect(bench.range(1, [1: .far], 3) == [])
    #expect(bench.events[0].region.beacon?.major == 1)
  }

  @Test("ranging starts if the device is inside the region of the UUID when monitoring begins")
  func already() {
    var bench = RegionsBench(Self.three)
    #expect(bench.state("beacons 1", false, 1) == [])
    #expect(bench.state("beacons 1", true, 2) == ["range 1"])
  }

  @Test("a beacon is exited after eight ranging results without it, and not before", arguments: [1, 7, 8])
  func misses(_ count: Int) {
    var bench = near()
    bench.range(1, [1: .near], 1)
    for second in 0..<count { bench.range(1, second.isMultiple(of: 2) ? [:] : [1: .unknown], 2 + Double(second)) }
    #expect(bench.reported == ["entered a 1"] + (count == 8 ? ["exited a 9"] : []))
    #expect(bench.beacons == (count == 8 ? [] : ["a"]))
    bench.range(1, [1: .near], 10)
    #expect(bench.reported.count == (count == 8 ? 3 : 1))
  }

  @Test("a beacon is exited after half a minute if ranging results are rare; one missed result is never an exit")
  func rare() {
    var bench = near()
    bench.range(1, [1: .near], 1)
    bench.range(1, [:], 500)
    #expect(bench.reported == ["entered a 1"])
    #expect(bench.range(1, [:], 531) == ["exited a 531", "changed"])
  }

  @Test("leaving the region of the UUID ends ranging, and exits of its beacons are reported")
  func left() {
    var bench = near()
    bench.range(1, [1: .near, 2: .far], 1)
    #expect(bench.exited("beacons 1", 5) == ["timer 20"])
    for second in 6...12 { #expect(bench.range(1, [:], Double(second)) == []) }
    #expect(bench.range(1, [:], 13) == ["exited a 13", "exited b 13", "stop ranging 1", "changed", "no timer"])
    #expect(bench.beacons.isEmpty && bench.range(1, [1: .near], 14) == [])
    #expect(bench.entered("beacons 1", 19) == ["range 1"])
  }

  @Test("a beacon without ranging results is exited 15 s after the system's exit")
  func offline() {
    var bench = near()
    bench.range(1, [1: .near], 1)
    bench.exited("beacons 1", 5)
    #expect(bench.send(.timer, 20) == ["stop ranging 1", "exited a 20", "changed", "no timer"])
  }

  @Test("repeated exits from the UUID's region are not an exit from a beacon while ranging detects it")
  func edge() {
    var bench = near()
    bench.range(1, [1: .far], 1)
    for round in 1...20 {
      let time = Double(round) * 60
      bench.exited("beacons 1", time)
      for second in 1...7 { bench.range(1, [:], time + Double(second)) }
      bench.range(1, [1: .far], time + 8)
      #expect(bench.entered("beacons 1", time + 8) == [])
    }
    #expect(bench.reported == ["entered a 1"])
  }

  @Test("beacons are sorted by proximity, then by accuracy, then by id, and every change of the order is reported")
  func order() {
    var bench = near()
    bench.range(1, [1: .far, 2: .near, 3: .near], 1)
    #expect(bench.beacons == ["b", "c", "a"])
    #expect(bench.range(1, [1: .immediate, 2: .near, 3: .near], 2) == ["changed"])
    #expect(bench.beacons == ["a", "b", "c"])
    let sightings = [(2, 3.0), (3, 1.5), (1, 2)].map { major, accuracy in
      BeaconSighting(
        identity: BeaconIdentity(uuid: Regions.uuid(1), major: major, minor: 1), proximity: .near, accuracy: accuracy, rssi: -70)
    }
    bench.send(.ranged(Regions.uuid(1), sightings), 3)
    #expect(bench.beacons == ["c", "a", "b"])
    #expect(bench.watch.beacons(in: bench.catalogue).first?.accuracy == 1.5)
  }

  @Test("unknown beacons are ignored; a region of all beacons of a UUID or of a major number uses the nearest one")
  func wild() {
    let all = Region(id: "all", shape: .beacon(Beacon(identity: BeaconIdentity(uuid: Regions.uuid(1)))))
    let some = Region(id: "some", shape: .beacon(Beacon(identity: BeaconIdentity(uuid: Regions.uuid(1), major: 7))))
    var bench = near([all, some, Regions.beacon("one", 1, major: 7)])
    #expect(bench.range(2, [7: .near], 1) == [])
    bench.range(1, [9: .far], 1)
    #expect(bench.reported == ["entered all 1"])
    bench.range(1, [9: .far, 7: .immediate], 2)
    #expect(bench.reported == ["entered all 1", "entered one 2", "entered some 2"])
    #expect(bench.watch.beacons(in: bench.catalogue).map(\.proximity) == [.immediate, .immediate, .immediate])
    var unknown = near()
    #expect(unknown.range(1, [99: .near], 1) == [])
  }

  @Test("dwelling at a beacon is reported as for a geofence, and a deleted beacon or one with another identity is exited")
  func dwellAndDeletion() {
    var bench = near([Regions.beacon("a", 1, dwell: 60), Regions.beacon("b", 1, major: 2), Regions.beacon("c", 1, major: 3)])
    bench.range(1, [1: .near, 2: .near, 3: .near], 1)
    #expect(bench.send(.timer, 61).first == "dwelled a 61")
    #expect(
      bench.replace([Regions.beacon("a", 1), Regions.beacon("b", 1, major: 9)], 70).prefix(2) == ["exited b 70", "exited c 70"])
    #expect(bench.replace([Regions.fence("a")], 80).contains("exited a 80"))
    #expect(bench.monitored == ["a"])
  }

  @Test("after a relaunch ranging continues, and no entry is reported twice")
  func relaunch() throws {
    var bench = near()
    bench.range(1, [1: .near], 1)
    #expect(try bench.relaunch(100) == ["state beacons 1", "range 1"])
    bench.range(1, [1: .near], 101)
    #expect(bench.reported == ["entered a 1"] && bench.beacons == ["a"])
  }

  @Test("UUIDs that are detected often have priority")
  func met() {
    var bench = RegionsBench((1...7).map { Regions.beacon("b\($0)", $0) })
    #expect(bench.monitored == ["beacons 1", "beacons 2", "beacons 3", "beacons 4", "beacons 5"])
    bench.entered("beacons 5", 0)
    bench.range(5, [1: .near], 1)
    bench.exited("beacons 5", 2)
    #expect(bench.send(.unmanagedRegions(15), 3).filter { $0.hasPrefix("stop") } == ["stop beacons 4"])
    #expect(bench.monitored.sorted() == ["beacons 1", "beacons 2", "beacons 3", "beacons 5"])
  }

  @Test("a UUID that the system rejects, or that was deleted before a relaunch, is no longer ranged")
  func gone() throws {
    var bench = near()
    bench.range(1, [1: .near], 1)
    let rejected = bench.send(.monitoringFailed(bench.identifiers["beacons 1"] ?? ""), 2)
    #expect(rejected == ["stop ranging 1", "exited a 2", "changed", "timer 302"])
    var other = near()
    other.range(1, [1: .near], 1)
    other.catalogue = RegionCatalogue([Regions.beacon("z", 2)])
    #expect(try other.relaunch(10) == ["stop beacons 1", "exited a 10", "start beacons 2", "state beacons 2", "changed"])
  }
}
