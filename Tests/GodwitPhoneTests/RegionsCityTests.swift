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
    #expect(outcome.result.groundless == [])
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
    var rollout = GeofenceSoak(in: city, CityLife(in: city, days: 5, seed: seed), seed: seed)
    rollout.hasWifiEverywhere = true
    let outcome = try rollout.live()
    expectFaultless(outcome)
    #expect(outcome.result.stays > 400 && outcome.result.departures > 1_000)
    #expect(outcome.result.entries - outcome.result.exits < 20)
    // At once where other news woke the app, else when the system reports.
    #expect(try #require(outcome.result.delays.last) <= GeofenceSoak.bound(rollout.system.profile))
  }

  @Test("40 days with a random end every three hours miss none; `make soak` runs 10,000")
  func kills() throws {
    let total = try GeofenceDays(40).live()
    #expect(total.faults == [] && total.late == 0)
    #expect(total.days == 40 && total.fences == 5_000)
    #expect(total.endings > 200 && total.crashes > 30 && total.launches > 200)
    #expect(total.stays > 3_000 && total.departures > 10_000)
    #expect(total.maximumMonitored <= 20 && total.lostUnmanaged == 0 && total.rejections == 0)
    // The server's events are compared with an oracle one by one.
    #expect(total.serverEvents > 10_000 && total.crossings > 1_000)
  }

  @Test("every system reports all that it can detect, with random ends of the app", arguments: SystemVersion.phones)
  func everySystem(system: SystemVersion) throws {
    let city = FenceCity(seed: 3)
    var rollout = GeofenceSoak(in: city, CityLife(in: city, days: 2, seed: 3), seed: 3)
    rollout.system = system
    rollout.problems = GeofenceFailures(days: 2, on: system, seed: 3)
    let outcome = try rollout.live()
    expectFaultless(outcome)
    #expect(outcome.result.stays > 100 && outcome.launches > 3)
  }

  @Test(
    "a force-quit app runs at the next crossing, but on iOS 26 only after the user opens it",
    arguments: SystemVersion.phones)
  func swipedAway(system: SystemVersion) throws {
    let city = FenceCity(seed: 4)
    let (swiped, opened) = (CityLife.midnight + 21_600, CityLife.midnight + 129_600)
    var rollout = GeofenceSoak(in: city, CityLife(in: city, days: 3, seed: 4), seed: 4)
    rollout.system = system
    rollout.problems = GeofenceFailures(
      "+6h force-quit\n+36h open\n+36h1m close", deaf: system == .ios26 ? [(swiped.date, opened.date)] : [])
    let outcome = try rollout.live()
    expectFaultless(outcome)
    let meanwhile = outcome.reported.count { swiped.date < $0.at && $0.at < opened.date }
    #expect((meanwhile == 0) == (system == .ios26), "\(meanwhile)")
    #expect(outcome.reported.contains { $0.at >= opened.date })
  }
}
