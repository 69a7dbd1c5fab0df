import Foundation
import GodwitEngine
import GodwitModel
import Testing

@Suite("Regions: dwell and schedules")
struct RegionsDwellTests {
  @Test("dwell is reported once, at its time, and not after an exit")
  func dwell() {
    var bench = RegionsBench([Regions.fence("shop", dwell: 300)])
    #expect(bench.entered("shop", 100) == ["entered shop 100", "changed", "timer 400"])
    // A timer that fires early is set again.
    #expect(bench.send(.timer, 399) == ["timer 400"])
    #expect(bench.send(.timer, 400) == ["dwelled shop 400", "no timer"])
    #expect(bench.send(.timer, 500) == [])
    #expect(bench.events.last?.entered == at(100))
    #expect(bench.exited("shop", 600) == ["exited shop 600", "changed"])
    bench.entered("shop", 700)
    #expect(bench.exited("shop", 999) == ["exited shop 999", "changed", "no timer"])
    #expect(bench.reported.count == 5)
  }

  @Test("a late timer, or an exit before it, does not change the reported time")
  func late() {
    var bench = RegionsBench([Regions.fence("shop", dwell: 300)])
    bench.entered("shop", 100)
    bench.send(.timer, 5000)
    #expect(bench.reported.last == "dwelled shop 400")
    var other = RegionsBench([Regions.fence("shop", dwell: 300)])
    other.entered("shop", 100)
    other.exited("shop", 5000)
    #expect(other.reported == ["entered shop 100", "dwelled shop 400", "exited shop 5000"])
  }

  @Test("setting the clock back during a stay does not delay its dwell")
  func setBack() {
    var bench = RegionsBench([Regions.fence("shop", dwell: 300)])
    bench.entered("shop", 20 * day)
    // The timer measures elapsed time.
    #expect(bench.send(.timer, 300) == ["dwelled shop \(Int(20 * day) + 300)"])
  }

  @Test("after a relaunch dwell is reported with its time, when the system confirms the stay or does not answer")
  func relaunch() throws {
    var bench = RegionsBench([Regions.fence("shop", dwell: 300)])
    bench.entered("shop", 100)
    #expect(try bench.relaunch(5000) == ["state shop", "timer 5010"])
    #expect(bench.state("shop", true, 5001) == ["dwelled shop 400", "no timer"])
    try bench.relaunch(6000)
    #expect(bench.state("shop", true, 6001) == ["no timer"] && bench.reported.count == 2)

    var offline = RegionsBench([Regions.fence("shop", dwell: 300)])
    offline.entered("shop", 100)
    try offline.relaunch(5000)
    #expect(offline.send(.timer, 5010) == ["dwelled shop 400", "no timer"])

    var gone = RegionsBench([Regions.fence("shop", dwell: 300)])
    gone.entered("shop", 100)
    try gone.relaunch(5000)
    // The time of the exit is unknown.
    #expect(gone.state("shop", false, 5001) == ["exited shop 5001", "changed", "no timer"])
  }

  @Test("a dwell time that is changed or set while inside counts from the entry")
  func changed() {
    var bench = RegionsBench([Regions.fence("shop")])
    bench.entered("shop", 100)
    #expect(bench.replace([Regions.fence("shop", dwell: 600)], 200) == ["timer 700"])
    #expect(bench.replace([Regions.fence("shop", dwell: 60)], 300) == ["dwelled shop 160", "no timer"])
  }

  // MARK: Schedules. The start is a Friday, 08:00 UTC.

  static let hour = 3600.0
  static let open = RegionSchedule(windows: [.init(from: 9 * 60, to: 17 * 60)])

  @Test("while closed, an entry is not reported; opening while inside is an entry, closing an exit, each at its time")
  func schedule() {
    let hour = Self.hour
    var bench = RegionsBench([Regions.fence("shop", dwell: 2 * hour, schedule: Self.open)])
    #expect(bench.entered("shop", 100) == ["timer 3600"])
    #expect(bench.geofences.isEmpty)
    #expect(bench.send(.timer, hour) == ["entered shop 3600", "changed", "timer \(Int(3 * hour))"])
    #expect(bench.geofences == ["shop"])
    #expect(bench.send(.timer, 3 * hour) == ["dwelled shop \(Int(3 * hour))", "timer \(Int(9 * hour))"])
    #expect(bench.send(.timer, 9 * hour) == ["exited shop \(Int(9 * hour))", "changed", "timer \(Int(25 * hour))"])
    #expect(bench.exited("shop", 10 * hour) == ["no timer"])
    #expect(bench.reported.count == 3)
  }

  @Test("openings and closings while the app did not run are reported later, in order, with their times")
  func scheduleLate() {
    let hour = Self.hour
    var bench = RegionsBench([Regions.fence("shop", dwell: hour, schedule: Self.open)])
    bench.entered("shop", 100)
    bench.exited("shop", 26 * hour)
    let hours = [("entered", 1), ("dwelled", 2), ("exited", 9), ("entered", 25), ("dwelled", 26), ("exited", 26)]
    #expect(bench.reported == hours.map { "\($0) shop \($1 * 3600)" })
  }

  @Test("a schedule that is changed while inside applies at once")
  func scheduleChanged() {
    var bench = RegionsBench([Regions.fence("shop")])
    bench.entered("shop", 100)
    #expect(bench.replace([Regions.fence("shop", schedule: Self.open)], 200) == ["exited shop 200", "changed", "timer 3600"])
    #expect(bench.replace([Regions.fence("shop")], 300) == ["entered shop 300", "changed", "no timer"])
  }

  @Test("the schedule uses the time zone of the region, or of the device, and follows its changes")
  func zones() {
    let hour = Self.hour
    let abroad = RegionSchedule(windows: Self.open.windows, timeZone: "Asia/Tokyo")
    var bench = RegionsBench([Regions.fence("here", schedule: Self.open), Regions.fence("there", schedule: abroad)])
    bench.send(.zones(RegionZones(device: .init(offset: 3600), named: ["Asia/Tokyo": .init(offset: 9 * 3600)])), 0)
    bench.entered("here", 100)
    #expect(bench.reported == ["entered here 100"])
    bench.entered("there", 200)
    // The start is 17:00 in Tokyo; 09:00 is 16 hours later.
    bench.send(.timer, 16 * hour)
    #expect(bench.reported == ["entered here 100", "exited here \(Int(8 * hour))", "entered there \(Int(16 * hour))"])
    // In the new time zone of the device the window is open again.
    bench.send(.zones(RegionZones(device: .init(offset: 10 * 3600), named: ["Asia/Tokyo": .init(offset: 9 * 3600)])), 16.5 * hour)
    bench.send(.timer, 16.5 * hour)
    #expect(bench.reported.last == "entered here \(Int(16.5 * hour))")
  }

  @Test("a clock change before a launch reports nothing of a stay that may be over")
  func zonesBeforeLaunch() throws {
    var bench = RegionsBench([Regions.fence("shop", dwell: 300)])
    bench.entered("shop", 100)
    #expect(bench.send(.zones(RegionZones(device: .init(offset: 3600))), 5000) == ["timer 5000"])
    try bench.relaunch(5000)
    #expect(bench.state("shop", false, 5001) == ["exited shop 5001", "changed", "no timer"])
  }

  @Test("a change of the clock moves the openings", arguments: [(3600, 7200, 23), (7200, 3600, 24), (3600, 0, 25)])
  func summerTime(_ before: Int, _ after: Int, _ opens: Int) {
    let hour = Self.hour
    let zone = RegionZones.Zone(offset: before, changes: [.init(at: at(18 * hour), offset: after)])
    var bench = RegionsBench([Regions.fence("shop", schedule: Self.open)])
    bench.send(.zones(RegionZones(device: zone)), 0)
    bench.entered("shop", 12 * hour)
    bench.send(.timer, 30 * hour)
    #expect(bench.reported == ["entered shop \(opens * 3600)"])
  }

  @Test("a night window ends on the next day, and a schedule that never opens reports nothing")
  func nights() {
    let hour = Self.hour
    let night = RegionSchedule(windows: [.init(days: [.friday], from: 22 * 60, to: 6 * 60)])
    var bench = RegionsBench([
      Regions.fence("club", schedule: night), Regions.fence("never", schedule: RegionSchedule(windows: [])),
    ])
    bench.entered("club", 0)
    bench.entered("never", 0)
    bench.send(.timer, 6 * 24 * hour)
    #expect(bench.reported == ["entered club \(Int(14 * hour))", "exited club \(Int(22 * hour))"])
  }
}
