import Foundation
import GodwitEngine
import GodwitModel
import TestTexts
import Testing

/// One test for each known fault of Rover's region manager that the watch avoids. The tombstones and the digest of R5 are tested
/// with the synchronisation, R9 and R14 with the journal.
@Suite("Regions: known faults of Rover's region manager")
struct RegionsWeaknessTests {
  @Test("R1: a large geofence around the device keeps its slot despite small ones nearby")
  func distanceToEdge() {
    let small = (0..<40).map { Regions.fence("small\($0)", north: 150 + Double($0) * 10, radius: 100) }
    let land = Regions.fence("land", north: 30_000, radius: 60_000)
    let plan = RegionSelection(place: Regions.start).plan(in: RegionCatalogue(small + [land]))
    #expect(plan.geofences.first == "land")
  }

  @Test("R2: the selection does not depend on the order; without a fix the last known position is used")
  func deterministic() throws {
    var random = SeededNumbers(2)
    let regions = RegionsSelectionTests.row(50) + (0..<9).map { Regions.beacon("beacon\($0)", $0) }
    let plan = RegionSelection(place: Regions.place(9300)).plan(in: RegionCatalogue(regions))
    for _ in 0..<5 {
      #expect(RegionSelection(place: Regions.place(9300)).plan(in: RegionCatalogue(regions.shuffled(using: &random))) == plan)
    }
    var bench = RegionsBench(regions)
    bench.fix(9300, 0)
    let before = bench.monitored
    #expect(
      try bench.relaunch(86_400).allSatisfy { $0.hasPrefix("start horizon") || !($0.hasPrefix("start") || $0.hasPrefix("stop")) })
    #expect(bench.monitored == before)
  }

  @Test("R3: a new plan touches only differences, and a region that returns while inside is no second entry")
  func difference() {
    let row = RegionsSelectionTests.row(19)
    var bench = RegionsBench(row)
    bench.fix(18_000, 0)
    bench.state("f018", true, 1)
    // Eighteen regions of other parts of the app: no slot remains, not even for the geofence that contains the device.
    #expect(bench.send(.unmanagedRegions(18), 10).contains("stop f018"))
    #expect(bench.send(.unmanagedRegions(0), 20).contains("start f018"))
    bench.state("f018", true, 21)
    #expect(bench.reported == ["entered f018 0"])
    // An equal plan has no effects.
    #expect(bench.send(.unmanagedRegions(0), 22) == [])
  }

  @Test("R4: the system wakes the app at the horizon, also after a termination")
  func horizon() throws {
    var bench = RegionsBench(RegionsSelectionTests.row(60))
    bench.fix(20_500, 0)
    try bench.relaunch(3600)
    #expect(bench.monitored.contains("horizon"))
    #expect(bench.exited("horizon", 3601) == ["fixes 100m"])
    #expect(bench.fix(31_500, 3602).contains("start f040"))
  }

  @Test("R4: regions of a sync are monitored although the position is the same")
  func sync() {
    var bench = RegionsBench([])
    bench.fix(0, 0)
    #expect(bench.replace([Regions.fence("new")], 5).prefix(2) == ["entered new 5", "start new"])
  }

  @Test("R5: deleted regions are no longer monitored")
  func deleted() {
    var bench = RegionsBench([Regions.fence("a"), Regions.fence("b", north: 900)])
    #expect(bench.replace([Regions.fence("b", north: 900)], 1) == ["stop a"])
  }

  @Test("R6: the inside state survives a relaunch; the state is requested at launch; an event is reported once")
  func memory() throws {
    var bench = RegionsBench([Regions.fence("home")])
    bench.entered("home", 1)
    try bench.relaunch(2)
    #expect(bench.geofences == ["home"])
    bench.state("home", true, 3)
    bench.entered("home", 4)
    bench.exited("home", 5)
    bench.exited("home", 6)
    #expect(bench.reported == ["entered home 1", "exited home 5"])
  }

  @Test("R7: a beacon that is missing from one ranging result is not exited")
  func missedOnce() {
    var bench = RegionsBench([Regions.beacon("door", 1)])
    bench.entered("beacons 1", 0)
    for second in 1...60 { bench.range(1, second.isMultiple(of: 3) ? [:] : [1: .near], Double(second)) }
    #expect(bench.reported == ["entered door 1"])
  }

  @Test("R8: observers are notified when ranging stops")
  func rangingStops() {
    var bench = RegionsBench([Regions.beacon("door", 1)])
    bench.entered("beacons 1", 0)
    bench.range(1, [1: .near], 1)
    bench.exited("beacons 1", 9)
    let effects = bench.send(.timer, 24)
    #expect(effects.contains("stop ranging 1") && effects.contains("changed") && bench.beacons.isEmpty)
  }

  @Test("R10: two geofences with the same circle are distinct, and a geofence keeps its state when its circle changes")
  func identity() {
    var bench = RegionsBench([Regions.fence("a"), Regions.fence("b")])
    #expect(Set([bench.identifiers["a"], bench.identifiers["b"]]).count == 2)
    bench.fix(0, 0)
    #expect(bench.reported == ["entered a 0", "entered b 0"] && bench.geofences == ["a", "b"])
    let before = bench.identifiers["a"]
    bench.replace([Regions.fence("a", radius: 500), Regions.fence("b")], 10)
    #expect(bench.identifiers["a"] != before && bench.reported.count == 2)
  }

  @Test(
    "R11: the system never gets a circle that it rejects or cannot detect",
    arguments: [1, 99, 100, 40_000, 40_001, 900_000])
  func radii(_ radius: Meters) {
    var limits = RegionLimits()
    limits.largestRadius = 40_000
    for north in [0, radius - 10, radius + 500] {
      let selection = RegionSelection(place: Regions.place(north), limits: limits)
      let plan = selection.plan(in: RegionCatalogue([Regions.fence("a", radius: radius)]))
      #expect(!plan.monitored.isEmpty)
      for region in plan.monitored {
        if case .circle(let circle) = region.shape { #expect((100...40_000).contains(circle.radius)) }
      }
    }
  }

  @Test("R11: a region that is too large for the system is still entered and exited")
  func tooLarge() {
    var bench = RegionsBench([Regions.fence("land", radius: 1_500_000)])
    bench.fix(1_600_000, 0)
    #expect(bench.monitored == ["horizon"])
    bench.exited("horizon", 100)
    bench.fix(1_499_000, 101)
    bench.exited("horizon", 9000)
    bench.fix(1_501_000, 9001)
    #expect(bench.reported == ["entered land 101", "exited land 9001"])
  }

  @Test("R12: foreign regions are counted and never stopped; the horizon is requested first")
  func others() {
    var bench = RegionsBench(RegionsSelectionTests.row(60), isLaunched: false)
    let effects = bench.send(.launched(monitored: ["com.example.shop", "other"], foreign: 7), 0) + bench.fix(20_500, 1)
    #expect(!effects.contains { $0.hasPrefix("stop") } && bench.monitored.count == 12)
    #expect(effects.first { $0.hasPrefix("start") }?.hasPrefix("start horizon") == true)
  }

  @Test("R13: a fix that changes nothing is processed without reading the geofences")
  func quick() {
    var bench = RegionsBench(RegionsSelectionTests.row(60))
    bench.fix(20_500, 0)
    // A different catalogue without a notification: the watch does not read it.
    bench.catalogue = RegionCatalogue([Regions.fence("here", north: 20_500, radius: 900)])
    for second in 1...10 { #expect(bench.fix(20_500 + Double(second) * 20, Double(second)) == []) }
    #expect(bench.fix(20_790, 20) == [])
    // At the next edge the watch reads the catalogue.
    #expect(bench.fix(20_801, 21).contains("entered here 21"))
  }
}
