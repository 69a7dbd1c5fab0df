import FenceCity
import Foundation
import GodwitPhone
import GodwitSimulator
import Testing

@Suite("A city of geofences on the simulated phone")
struct RegionsCityTests {
  private func expectFaultless(_ outcome: GeofenceSoak.Outcome) {
    #expect(outcome.result.missed == [])
    #expect(outcome.result.late == [])
    #expect(outcome.result.doubled == [])
    #expect(outcome.result.unexpected == [])
    #expect(outcome.maximumMonitored <= 20)
    #expect(outcome.keptUnmanaged)
    #expect(outcome.rejections == [])
    #expect(outcome.serverFaults == [])
  }

  @Test(
    "five days in a city of 5,000 geofences, with significant changes only, miss no event that the system can detect",
    arguments: [UInt64(1), 2])
  func city(seed: UInt64) throws {
    let city = FenceCity(seed: seed)
    #expect(city.fences.count == 5_000)
    var soak = GeofenceSoak(in: city, CityLife(in: city, days: 5, seed: seed), seed: seed)
    soak.hasWifiEverywhere = true
    let outcome = try soak.run()
    expectFaultless(outcome)
    #expect(outcome.result.stays > 400 && outcome.result.departures > 1_000)
    #expect(outcome.result.entries - outcome.result.exits < 20)
    // An event is reported at once if another event woke the app, otherwise when the system reports it.
    #expect(try #require(outcome.result.delays.last) <= GeofenceSoak.bound(soak.system.profile))
  }

  @Test("40 days in which the app ends at random every three hours miss no event; `make soak` runs 10,000 days")
  func kills() throws {
    let total = try GeofenceDays(40).run()
    #expect(total.faults == [] && total.late == 0)
    #expect(total.days == 40 && total.fences == 5_000)
    #expect(total.endings > 200 && total.crashes > 30 && total.launches > 200)
    #expect(total.stays > 3_000 && total.departures > 10_000)
    #expect(total.maximumMonitored <= 20 && total.lostUnmanaged == 0 && total.rejections == 0)
    // Each event of the server is compared with an oracle.
    #expect(total.serverEvents > 10_000 && total.crossings > 1_000)
  }

  @Test("on every system, all detectable events are reported when the app ends at random", arguments: SystemVersion.phones)
  func everySystem(system: SystemVersion) throws {
    let city = FenceCity(seed: 3)
    var soak = GeofenceSoak(in: city, CityLife(in: city, days: 2, seed: 3), seed: 3)
    soak.system = system
    soak.problems = GeofenceFailures(days: 2, on: system, seed: 3)
    let outcome = try soak.run()
    expectFaultless(outcome)
    #expect(outcome.result.stays > 100 && outcome.launches > 3)
  }

  @Test(
    "a force-quit app is launched at the next crossing, but on iOS 26 not until the user opens it",
    arguments: SystemVersion.phones)
  func forceQuits(system: SystemVersion) throws {
    let city = FenceCity(seed: 4)
    let (forceQuit, opened) = (CityLife.midnight + 21_600, CityLife.midnight + 129_600)
    var soak = GeofenceSoak(in: city, CityLife(in: city, days: 3, seed: 4), seed: 4)
    soak.system = system
    soak.problems = GeofenceFailures(
      "+6h force-quit\n+36h open\n+36h1m close", unreachable: system == .ios26 ? [(forceQuit.date, opened.date)] : [])
    let outcome = try soak.run()
    expectFaultless(outcome)
    let meanwhile = outcome.reported.count { forceQuit.date < $0.at && $0.at < opened.date }
    #expect((meanwhile == 0) == (system == .ios26), "\(meanwhile)")
    #expect(outcome.reported.contains { $0.at >= opened.date })
  }
}
