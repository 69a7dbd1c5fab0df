import Foundation
import GodwitEngine
import GodwitModel
import Testing

@Suite("Regions: entries and exits")
struct RegionsCrossingTests {
  @Test("the system's entries and exits are reported once, with the entry's time at the exit")
  func reported() {
    var bench = RegionsBench([Regions.fence("home")])
    #expect(bench.monitored == ["home"])
    #expect(bench.entered("home", 10) == ["entered home 10", "changed"])
    #expect(bench.entered("home", 11) == [] && bench.state("home", true, 12) == [])
    #expect(bench.geofences == ["home"])
    #expect(bench.exited("home", 50) == ["exited home 50", "changed"])
    #expect(bench.exited("home", 51) == [] && bench.state("home", false, 52) == [])
    #expect(bench.geofences.isEmpty)
    #expect(bench.events[1].entered == at(10) && bench.events[0].entered == nil)
    #expect(bench.events[0].region.name == "Name of home" && bench.events[0].region.radius == 200)
    #expect(bench.events[0].coordinate == nil)
  }

  @Test("being inside when monitoring begins is an entry, once; an unknown state changes nothing")
  func already() {
    var bench = RegionsBench([Regions.fence("home")], isLaunched: false)
    #expect(bench.send(.launched(monitored: [], foreign: 0), 0) == ["start home", "state home"])
    #expect(bench.state("home", nil, 1) == [])
    #expect(bench.state("home", true, 2) == ["entered home 2", "changed"])
    #expect(bench.entered("home", 3) == [])
  }

  @Test("fixes report entries and exits too, before the system does, with position and time")
  func fixes() {
    var bench = RegionsBench([Regions.fence("home")])
    bench.fix(1000, 0)
    #expect(bench.send(.fix(Regions.fix(100, at: 20)), 23) == ["entered home 20", "changed"])
    #expect(bench.events[0].coordinate == Regions.place(100) && bench.events[0].horizontalAccuracy == 5)
    #expect(bench.entered("home", 30) == [])
    #expect(bench.fix(300, 60).contains("exited home 60"))
    #expect(bench.exited("home", 70).filter { $0.contains("home") } == [])
    #expect(bench.reported.count == 2)
  }

  @Test("a fix that another part of the app repeats does not override the system's later report")
  func sameFix() {
    var bench = RegionsBench([Regions.fence("home"), Regions.fence("school", north: 3_000)])
    bench.fix(1000, 0)
    bench.fix(150, 20)
    #expect(bench.exited("home", 70).contains("exited home 70"))
    _ = bench.send(.fix(Regions.fix(150, at: 20)), 71)
    #expect(bench.reported == ["entered home 20", "exited home 70"])
    // The same position at another time is a new fix.
    bench.fix(150, 80)
    #expect(bench.reported.last == "entered home 80")
  }

  @Test(
    "outside means farther than 20 m and than the accuracy",
    arguments: [(5, 219.0, false), (5, 222, true), (100, 295, false), (100, 305, true)])
  func hysteresis(_ accuracy: Meters, _ north: Meters, _ isExit: Bool) {
    var bench = RegionsBench([Regions.fence("home")])
    bench.fix(0, 0)
    bench.fix(north, 10, accuracy: accuracy)
    #expect(bench.reported.contains("exited home 10") == isExit)
  }

  @Test("a fix that alternates at the edge reports one entry only")
  func flapping() {
    var bench = RegionsBench([Regions.fence("home")])
    bench.fix(260, 0)
    for step in 1...60 { bench.fix(200 + (step.isMultiple(of: 2) ? -15 : 15), Double(step)) }
    #expect(bench.reported == ["entered home 2"])
  }

  @Test("fixes inside by less than their accuracy do not revert the system's exit at the edge")
  func exitAtTheEdge() {
    var bench = RegionsBench([Regions.fence("home")])
    bench.fix(100, 0)
    bench.entered("home", 1)
    bench.fix(195, 9)
    bench.exited("home", 20)
    for step in 21...60 { bench.fix(190 + Double(step % 3) * 8, Double(step), accuracy: 10) }
    #expect(bench.reported == ["entered home 0", "exited home 20"])
    bench.fix(150, 61, accuracy: 10)
    #expect(bench.reported.last == "entered home 61")
  }

  @Test(
    "a rough fix is no entry into a small geofence; a large one accepts an accuracy up to its radius",
    arguments: [(200, 150, true), (200, 250, false), (120, 99, true), (2000, 1900, true), (2000, 2500, false)])
  func rough(_ radius: Meters, _ accuracy: Meters, _ isEntry: Bool) {
    var bench = RegionsBench([Regions.fence("home", radius: radius)])
    bench.fix(0, 0, accuracy: accuracy)
    #expect(bench.reported == (isEntry ? ["entered home 0"] : []))
  }

  @Test("a report of the system is ignored where the device cannot have moved so far since the last fix")
  func impossible() {
    var bench = RegionsBench([Regions.fence("home", radius: 1000)])
    bench.fix(0, 0)
    bench.state("home", true, 0)
    // The device was inside by 1000 m a second ago, so this is no exit. The system would not report the next exit, so its state
    // is requested again.
    #expect(bench.exited("home", 1) == ["stop home", "start home", "state home"])
    // The system repeats its report, so fixes determine the exit.
    let effects = bench.state("home", false, 1)
    #expect(bench.reported == ["entered home 0"] && effects.contains("start horizon 895"))
    // The system and the fixes agree again.
    #expect(bench.entered("home", 5) == ["stop horizon"])
    // A minute later the exit is possible.
    #expect(bench.exited("home", 60).first == "exited home 60")
  }

  @Test(
    "if a fix contradicts the system, the system's state is requested again, at most once a minute",
    arguments: [true, false])
  func refreshes(_ isInside: Bool) {
    let (here, there) = isInside ? (0.0, 400.0) : (400.0, 0.0)
    var bench = RegionsBench([Regions.fence("home")])
    bench.fix(here, 0)
    bench.state("home", isInside, 0)
    let effects = bench.fix(there, 100)
    #expect(Array(effects.dropFirst().prefix(3)) == ["stop home", "start home", "state home"])
    #expect(bench.state("home", !isInside, 100) == [])
    #expect(
      (isInside ? bench.entered("home", 300) : bench.exited("home", 300)).first == (isInside ? "entered" : "exited") + " home 300"
    )
    // A second contradiction within a minute: fixes determine the state, and the system is not queried.
    bench.fix(there, 400)
    bench.state("home", !isInside, 400)
    #expect(!bench.fix(here, 430).contains("stop home"))
  }

  @Test("ignored reports: unknown and foreign identifiers, and fixes from before the last one")
  func noEvent() {
    var bench = RegionsBench([Regions.fence("home")])
    bench.fix(1000, 100)
    for identifier in ["home", "", "com.example.shop", RegionIdentifier.geofence("home", version: 1).description] {
      #expect(bench.send(.entered(identifier), 101) == [] && bench.send(.exited(identifier), 101) == [])
      #expect(bench.send(.state(identifier, isInside: true), 101) == [])
      #expect(bench.send(.monitoringFailed(identifier), 101) == [])
    }
    #expect(bench.send(.fix(Regions.fix(0, at: 99)), 102) == [] && bench.reported.isEmpty)
  }

  @Test("a late fix from before a crossing reverts it only where the device cannot have moved so far since")
  func late() {
    var bench = RegionsBench([Regions.fence("home"), Regions.fence("work", north: 5000)])
    bench.fix(1000, 0)
    // When the app runs again, the system reports both ends of a stay, and then the fixes of that time.
    bench.entered("home", 1300)
    bench.exited("home", 1300)
    bench.entered("work", 1300)
    #expect(bench.send(.fix(Regions.fix(0, at: 100)), 1300).filter { $0.contains("home") || $0.contains("work") } == [])
    #expect(bench.reported == ["entered home 1300", "exited home 1300", "entered work 1300"])
    bench.fix(0, 1310)
    #expect(bench.reported.suffix(2) == ["exited work 1310", "entered home 1310"])
    bench.exited("home", 1400)
    bench.send(.fix(Regions.fix(0, at: 1399)), 1401)
    #expect(bench.reported.last == "entered home 1399")
    bench.entered("work", 1500)
    bench.send(.fix(Regions.fix(0, at: 1499)), 1501)
    #expect(bench.reported.last == "exited work 1500")
  }

  @Test("after the clock was set back fixes apply again, and a future fix counts as now")
  func clock() {
    var bench = RegionsBench([Regions.fence("home")])
    bench.send(.fix(Regions.fix(1000, at: 9000)), 5000)
    bench.fix(0, 5001)
    #expect(bench.reported == ["entered home 5001"])
    bench.fix(1000, 100)
    #expect(bench.reported.last == "exited home 5001")
  }

  @Test("a fix from before the clock was set back decides nothing about a new catalogue: another fix is requested")
  func catalogueAfterClock() {
    var bench = RegionsBench([])
    bench.fix(0, 20 * day)
    #expect(bench.replace([Regions.fence("home")], 100).contains("fixes 100m") && bench.reported.isEmpty)
    bench.fix(0, 101)
    #expect(bench.reported == ["entered home 101"])
  }

  @Test("after the clock was set back, five minutes at rest end the requests for fixes")
  func crowdedAfterClock() {
    var bench = RegionsBench((1...40).map { Regions.fence(String(format: "r%02d", $0), radius: 120 + Double($0)) })
    bench.fix(0, 20 * day)
    bench.fix(5, 0)
    #expect(bench.send(.timer, 300).contains("no fixes"))
  }

  @Test("exits come before entries; those inside are listed by the nearest edge, then by id")
  func order() {
    var bench = RegionsBench([
      Regions.fence("a"), Regions.fence("wide", radius: 1300), Regions.fence("c", north: 1000), Regions.fence("b", north: 1000),
    ])
    bench.fix(0, 0)
    #expect(bench.reported == ["entered a 0", "entered wide 0"] && bench.geofences == ["a", "wide"])
    bench.fix(1000, 60)
    #expect(bench.reported.dropFirst(2) == ["exited a 60", "entered b 60", "entered c 60"])
    #expect(bench.geofences == ["b", "c", "wide"])
  }

  // MARK: The horizon

  @Test("inside the horizon the plan does not change; outside, only differences are applied")
  func horizon() {
    var bench = RegionsBench(RegionsSelectionTests.row(60), isLaunched: false)
    #expect(bench.send(.launched(monitored: [], foreign: 0), 0) == ["fixes 100m"])
    let first = bench.fix(20_500, 1)
    #expect(first.filter { $0.hasPrefix("start") }.count == 19 && first.contains("no fixes"))
    #expect(first.firstIndex(of: "start horizon \(9500 - 200 - 5 - 100)") == first.firstIndex { $0.hasPrefix("start") })
    #expect(bench.fix(24_500, 100) == [])
    let second = bench.fix(30_500, 200)
    #expect(second.filter { $0.hasPrefix("stop") }.allSatisfy { $0 < "stop f022" })
    let started = second.filter { $0.hasPrefix("start f") }
    #expect(started.count == second.count { $0.hasPrefix("stop") } && started.count == 10)
    #expect(bench.monitored.count == 19)
  }

  @Test("after an exit from the horizon old fixes are not used, and a new fix is requested")
  func horizonLeft() {
    var bench = RegionsBench(RegionsSelectionTests.row(60))
    bench.fix(20_500, 1)
    #expect(bench.exited("horizon", 100) == ["fixes 100m"])
    #expect(bench.send(.fix(Regions.fix(20_600, at: 99)), 101) == [])
    let effects = bench.fix(30_500, 900)
    #expect(effects.contains("no fixes") && effects.contains { $0.hasPrefix("start horizon") })
    // A recent fix outside of the horizon is sufficient.
    #expect(!bench.fix(39_780, 1919, accuracy: 300).contains { $0.hasPrefix("start") })
    #expect(bench.exited("horizon", 1920).contains { $0.hasPrefix("start horizon") })
  }

  @Test("false exits from the horizon request at most one fix a minute")
  func horizonMistaken() {
    var bench = RegionsBench(RegionsSelectionTests.row(60))
    bench.fix(20_500, 0)
    #expect(bench.state("horizon", false, 0) == ["timer 60"])
    #expect(bench.exited("horizon", 2) == [])
    #expect(bench.send(.timer, 60) == ["fixes 100m", "no timer"])
    let effects = bench.fix(20_510, 61)
    #expect(effects.contains { $0.hasPrefix("start horizon") } && effects.contains("no fixes"))
    #expect(bench.state("horizon", false, 61) == ["timer 121"])
    // A fix that is a minute old is not used.
    #expect(bench.exited("horizon", 110).contains("fixes 100m"))
  }

  @Test("a fix outside of the horizon by less than its accuracy does not change the plan")
  func roughBeyond() {
    var bench = RegionsBench(RegionsSelectionTests.row(60))
    bench.fix(20_500, 1)
    #expect(bench.fix(30_500, 60, accuracy: 3000) == [])
  }

  @Test(
    "if the horizon would be too small, fixes are requested until five minutes at rest or until there is room again")
  func crowded() {
    let regions = (1...40).map { Regions.fence(String(format: "r%02d", $0), radius: 120 + Double($0)) }
    var bench = RegionsBench(regions)
    #expect(bench.fix(0, 0).last == "timer 300")
    bench.fix(10, 100)
    #expect(bench.send(.timer, 300) == ["no fixes", "no timer"])
    #expect(bench.fix(15, 400) == [])
    // The device moves.
    #expect(bench.fix(90, 500).contains("fixes 100m"))
    for second in stride(from: 505, to: 600, by: 5) { bench.fix(Double(second) - 410, Double(second)) }
    #expect(bench.fix(900, 700).contains("no fixes"))
    // All regions were entered and exited once.
    #expect(bench.reported.count { $0.hasPrefix("entered") } == 40 && bench.reported.count { $0.hasPrefix("exited") } == 40)
    #expect(bench.geofences.isEmpty)
  }
}
