import FenceCity
import Foundation
import GodwitModel
import GodwitPhone
import Testing

@Suite("The tracker in a city of geofences, with the server")
struct TrackerCityTests {
  /// A smaller city with as many geofences per square kilometre as the city of 5,000.
  private static func city(_ seed: UInt64) -> FenceCity { FenceCity(800, side: 8_000, seed: seed) }

  private func expectOnce(_ outcome: TrackerSoak.Outcome, fences: Int) {
    #expect(outcome.result.missed == [])
    #expect(outcome.result.late == [])
    #expect(outcome.result.doubled == [])
    #expect(outcome.result.unexpected == [])
    #expect(outcome.maximumMonitored <= 20 && outcome.keptUnmanaged)
    #expect(outcome.rejections == [])
    #expect(outcome.regions == fences)
    // The server received exactly the events of the journal, in their order, and returns each once.
    func descriptions(_ events: [RegionEvent]) -> [String] { events.map { "\($0.kind) \($0.region.id)" } }
    #expect(outcome.waiting == 0)
    #expect(descriptions(outcome.arrived) == descriptions(outcome.recorded))
    #expect(outcome.shown.map { "\($0.kind) \($0.region)" }.sorted() == descriptions(outcome.recorded).sorted())
    #expect(outcome.shown.allSatisfy { $0.source == "device" })
    // The code of the app receives each event once, or not at all if the app ended at that moment.
    #expect(Set(outcome.received).count == outcome.received.count)
    #expect(Set(outcome.received).isSubset(of: outcome.recorded))
    #expect(outcome.undelivered == [])
    #expect(outcome.repetitions == 0)
    // The state of the server at the end equals the result of all events.
    var inside: Set<String> = []
    for event in outcome.arrived {
      switch event.kind {
      case .entered: inside.insert(event.region.id)
      case .exited: inside.remove(event.region.id)
      case .dwelled, .crossed: break
      }
    }
    #expect(outcome.inside == inside)
  }

  @Test("two days without failures: every entry and exit is one record at the server and is reported to the app once")
  func quiet() throws {
    let city = Self.city(1)
    let outcome = try TrackerSoak(in: city, CityLife(in: city, days: 2, seed: 1)).run()
    expectOnce(outcome, fences: city.fences.count)
    #expect(outcome.result.stays > 50 && outcome.result.departures > 100)
    #expect(outcome.received.count == outcome.recorded.count)
  }

  @Test(
    "kills, force-quits, updates, crashes and reboots on a network that loses responses neither lose nor repeat an event",
    arguments: [UInt64(5), 8])
  func troubled(seed: UInt64) throws {
    let city = Self.city(seed)
    var soak = TrackerSoak(in: city, CityLife(in: city, days: 8, seed: seed), seed: seed)
    soak.problems = GeofenceFailures(days: 8, on: soak.system, seed: seed)
    soak.crashing = 0.003
    soak.network = """
      +7h lose-replies on
      +9h lose-replies off
      +1d10h server off
      +1d15h server on
      +2d8h aeroplane on
      +2d9h aeroplane off
      +3d7h server-status 503
      +3d8h server-status 0

      """
    let outcome = try soak.run()
    expectOnce(outcome, fences: city.fences.count)
    #expect(soak.problems.count > 40 && outcome.crashes > 20 && outcome.launches > 50)
    #expect(outcome.result.stays > 200 && outcome.recorded.count > 900 && outcome.repeated > 0)
  }

  @Test("on every system, no event of a day is lost or repeated when the app ends at random", arguments: SystemVersion.phones)
  func everySystem(system: SystemVersion) throws {
    let city = Self.city(4)
    var soak = TrackerSoak(in: city, CityLife(in: city, days: 1, seed: 4), seed: 4)
    soak.system = system
    soak.problems = GeofenceFailures(days: 1, on: system, seed: 4)
    soak.crashing = 0.003
    let outcome = try soak.run()
    expectOnce(outcome, fences: city.fences.count)
    #expect(outcome.recorded.count > 50 && outcome.launches > 3)
  }
}
