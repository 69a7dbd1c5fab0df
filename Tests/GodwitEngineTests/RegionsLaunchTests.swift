import Foundation
import GodwitEngine
import GodwitModel
import Testing

@Suite("Regions: launches, changes and failures")
struct RegionsLaunchTests {
  @Test("a first launch monitors the regions that fit, and requests the state of each")
  func first() {
    var bench = RegionsBench([Regions.fence("a"), Regions.fence("b", north: 900)], isLaunched: false)
    #expect(bench.send(.launched(monitored: [], foreign: 2), 0) == ["start a", "start b", "state a", "state b"])
  }

  @Test("a relaunch does not restart monitored regions, requests their states, and reports nothing twice")
  func relaunch() throws {
    var bench = RegionsBench([Regions.fence("a"), Regions.fence("b", north: 900)])
    bench.entered("a", 10)
    #expect(try bench.relaunch(100) == ["state a", "state b", "timer 110"])
    #expect(bench.geofences == ["a"])
    #expect(bench.state("a", true, 101) == ["no timer"] && bench.state("b", false, 101) == [])
    #expect(bench.reported == ["entered a 10"])
  }

  @Test("inside the horizon a new catalogue is planned for the position of the former plan, so that less changes")
  func samePlace() throws {
    var bench = RegionsBench(RegionsSelectionTests.row(60))
    bench.fix(20_500, 1)
    #expect(bench.fix(24_500, 100) == [])
    #expect(try bench.relaunch(101).allSatisfy { $0.hasPrefix("state") || $0.hasPrefix("start horizon") })
    let fewer = bench.send(.unmanagedRegions(1), 102)
    #expect(fewer.count == 3 && fewer.contains("start horizon \(9195 - 1000)"))
    #expect(bench.watch.plan.place == Regions.place(20_500))
    // Too few slots for the former position: the device may be beyond the horizon.
    bench.send(.unmanagedRegions(11), 103)
    #expect(bench.watch.plan.place == Regions.place(24_500))
  }

  @Test("the horizon is requested again at a launch, because the system's may belong to an older plan")
  func horizon() throws {
    var bench = RegionsBench(RegionsSelectionTests.row(60))
    let horizon = try #require(bench.fix(20_500, 1).first { $0.hasPrefix("start horizon") })
    let effects = try bench.relaunch(101)
    #expect(effects.filter { $0.contains("horizon") } == [horizon, "state horizon"])
  }

  @Test("a crossing while the app did not run is reported when the system reports it")
  func missed() throws {
    var bench = RegionsBench([Regions.fence("a"), Regions.fence("b", north: 900)])
    bench.entered("a", 10)
    try bench.relaunch(100)
    #expect(bench.state("a", false, 101) == ["exited a 101", "changed", "no timer"])
    #expect(bench.state("b", true, 101) == ["entered b 101", "changed"])
  }

  @Test("regions that the system lost are monitored again; obsolete and unknown regions of Godwit are stopped")
  func different() throws {
    var bench = RegionsBench([Regions.fence("a"), Regions.fence("b", north: 900), Regions.fence("c", north: 5000)])
    let old = RegionIdentifier.geofence("a", version: 12).description
    bench.watch = try JSONDecoder().decode(RegionWatch.self, from: JSONEncoder().encode(bench.watch))
    let listed = [bench.identifiers["b"] ?? "", bench.identifiers["c"] ?? "", old, "com.example.shop"]
    bench.catalogue = RegionCatalogue([Regions.fence("a"), Regions.fence("b", north: 900)])
    #expect(
      bench.send(.launched(monitored: listed, foreign: 1), 5) == ["stop a", "stop c", "start a", "state a", "state b"])
  }

  @Test("after a loss of its state the watch keeps the system's regions that still match the catalogue")
  func memoryLost() {
    var bench = RegionsBench(RegionsSelectionTests.row(60))
    bench.fix(20_500, 1)
    let listed = bench.monitored.compactMap { bench.identifiers[$0] }
    bench.watch = RegionWatch()
    // The position is unknown: all geofences stay, and a fix is requested. The old horizon cannot be used.
    let effects = bench.send(.launched(monitored: listed, foreign: 0), 100)
    #expect(effects.filter { $0.hasPrefix("stop") } == ["stop horizon"] && effects.last == "fixes 100m")
    #expect(effects.count { $0.hasPrefix("state") } == 18)
    let placed = bench.fix(20_500, 101)
    #expect(placed.filter { $0.hasPrefix("st") } == ["start horizon 9195", "state horizon"])
  }

  @Test("a region that is deleted while inside is exited, with its last definition")
  func deleted() {
    var bench = RegionsBench([Regions.fence("a"), Regions.fence("b", north: 900)])
    bench.entered("a", 10)
    #expect(bench.replace([Regions.fence("b", north: 900)], 20) == ["exited a 20", "stop a", "changed"])
    #expect(bench.events[1].region.name == "Name of a")
    #expect(bench.replace([Regions.fence("a"), Regions.fence("b", north: 900)], 30) == ["start a", "state a"])
    #expect(bench.state("a", true, 31) == ["entered a 31", "changed"])
  }

  @Test("a region that is moved or resized while inside is monitored again, and exited only if the device is now outside")
  func moved() {
    var bench = RegionsBench([Regions.fence("a")])
    bench.entered("a", 10)
    #expect(bench.replace([Regions.fence("a", radius: 300)], 20) == ["stop a", "start a", "state a"])
    #expect(bench.state("a", true, 21) == [])
    bench.replace([Regions.fence("a", north: 5000)], 30)
    #expect(bench.state("a", false, 31) == ["exited a 31", "changed"])
    // After a recent fix no response of the system is needed.
    bench.fix(5000, 40)
    #expect(bench.reported.last == "entered a 40")
    #expect(bench.replace([Regions.fence("a")], 45).first == "exited a 45")
  }

  @Test("a new geofence around an old position requests a fix; one elsewhere does not")
  func newHere() {
    var bench = RegionsBench([Regions.fence("a")])
    bench.fix(3000, 0)
    #expect(!bench.replace([Regions.fence("a"), Regions.fence("b", north: 9000)], 3600).contains("fixes 100m"))
    #expect(bench.replace([Regions.fence("a"), Regions.fence("c", north: 3000)], 7200).contains("fixes 100m"))
    #expect(bench.fix(3000, 7201).contains("entered c 7201"))
  }

  @Test("an equal catalogue, or one that differs elsewhere, changes nothing")
  func same() {
    var bench = RegionsBench(RegionsSelectionTests.row(60))
    bench.fix(20_500, 1)
    #expect(bench.replace(RegionsSelectionTests.row(60), 2) == [])
    #expect(bench.replace(RegionsSelectionTests.row(200), 2) == [])
  }

  @Test("other users of regions in the app take slots and return them")
  func unmanaged() {
    var bench = RegionsBench(RegionsSelectionTests.row(19))
    bench.fix(-2000, 0)
    #expect(bench.monitored.count == 19)
    let fewer = bench.send(.unmanagedRegions(4), 10)
    #expect(fewer.prefix(5) == ["stop f014", "stop f015", "stop f016", "stop f017", "stop f018"])
    #expect(fewer[5].hasPrefix("start horizon") && bench.monitored.count == 15)
    #expect(bench.send(.unmanagedRegions(0), 20).contains("stop horizon") && bench.monitored.count == 19)
    #expect(bench.send(.unmanagedRegions(0), 21) == [])
  }

  // MARK: Failures

  @Test("a region that the system rejects frees its slot, limits the horizon, and is tried again at growing intervals")
  func rejected() {
    var bench = RegionsBench(RegionsSelectionTests.row(30))
    bench.fix(-2000, 0)
    let effects = bench.send(.monitoringFailed(bench.identifiers["f003"] ?? ""), 10)
    // The free slot is used for the next geofence, and the horizon ends at the rejected one.
    #expect(effects == ["start horizon \(5000 - 200 - 105)", "start f018", "state horizon", "state f018", "timer 310"])
    let again = bench.send(.timer, 310)
    #expect(again.contains("start f003") && again.contains("stop f018") && again.last == "no timer")
    #expect(bench.send(.monitoringFailed(bench.identifiers["f003"] ?? ""), 311).last == "timer 911")
    bench.send(.timer, 911)
    // The system accepts the region now.
    bench.state("f003", false, 912)
    #expect(bench.send(.monitoringFailed(bench.identifiers["f003"] ?? ""), 1000).last == "timer 1300")
  }

  @Test("setting the clock back does not delay the next attempt")
  func setBack() {
    var bench = RegionsBench(RegionsSelectionTests.row(30))
    bench.fix(-2000, 20 * day)
    bench.send(.monitoringFailed(bench.identifiers["f003"] ?? ""), 20 * day + 10)
    #expect(bench.send(.timer, 310).contains("start f003"))
  }

  @Test("a rejected region is still entered by fixes")
  func rejectedEntry() {
    var bench = RegionsBench([Regions.fence("a", north: 5000)])
    bench.fix(0, 0)
    bench.send(.monitoringFailed(bench.identifiers["a"] ?? ""), 1)
    #expect(bench.monitored == ["horizon"])
    #expect(bench.exited("horizon", 100) == ["fixes 100m"])
    #expect(bench.fix(4790, 102).contains { $0.hasPrefix("start horizon") })
    bench.fix(5000, 110)
    #expect(bench.reported == ["entered a 110"])
  }

  @Test("if the system rejects the horizon, fixes are needed until the system accepts it")
  func horizonRejected() {
    var bench = RegionsBench(RegionsSelectionTests.row(30))
    bench.fix(-2000, 0)
    #expect(bench.send(.monitoringFailed(bench.identifiers["horizon"] ?? ""), 1).contains("fixes 100m"))
    #expect(bench.send(.timer, 301) == ["start horizon \(19_800 - 105)", "state horizon", "no fixes", "no timer"])
  }

  @Test("without permission all monitoring stops and the state remains; after permission is granted the system is queried")
  func permission() {
    var bench = RegionsBench([Regions.fence("a"), Regions.fence("b", north: 900), Regions.beacon("c", 1)])
    bench.entered("a", 10)
    bench.entered("beacons 1", 10)
    bench.range(1, [1: .near], 11)
    #expect(
      bench.send(.permission(canMonitor: false), 20)
        == ["stop beacons 1", "stop ranging 1", "exited c 20", "stop a", "stop b", "changed"])
    #expect(bench.geofences == ["a"] && bench.monitored.isEmpty)
    #expect(bench.send(.unmanagedRegions(3), 30) == [] && bench.send(.permission(canMonitor: false), 31) == [])
    let back = bench.send(.permission(canMonitor: true), 40)
    #expect(back == ["start a", "start b", "start beacons 1", "state a", "state b", "state beacons 1", "timer 50"])
    #expect(bench.state("a", false, 41).first == "exited a 41")
  }
}
