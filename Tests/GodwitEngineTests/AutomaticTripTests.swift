import Foundation
import GodwitEngine
import GodwitModel
import Testing

private func cyclist(
  _ launch: Launch = Launch(wasTracking: false, waiting: [:]), _ change: (inout Settings) -> Void = { _ in }
) -> (engine: Engine, launched: [Effect]) {
  var settings = Settings()
  settings.startsTripsByMotion = true
  settings.main.trackingMode = .both
  settings.main.desiredAccuracy = .threeKilometers
  settings.trip.desiredAccuracy = .tenMeters
  change(&settings)
  var engine = Engine(settings: settings, endpoints: [home])
  let effects = engine.handle(.launched(launch), at: start)
  _ = engine.handle(.authorizationChanged(.always), at: start)
  _ = engine.handle(.start, at: start)
  return (engine, effects)
}

extension [Effect] {
  fileprivate var recorded: Int {
    reduce(0) { if case .record(let records) = $1 { $0 + records.count } else { $0 } }
  }
  fileprivate var accuracy: DesiredAccuracy? {
    compactMap { if case .configureLocation(let request) = $0 { request?.desiredAccuracy } else { nil } }.last
  }
}

@Suite("The engine: automatic trips")
struct AutomaticTripTests {
  @Test("cycling begins a trip with the accuracy of trips; a rest ends it at its start and restores the main accuracy")
  func ride() throws {
    var (engine, _) = cyclist()
    let begun = engine.handle(.motionChanged(.cycling, isSure: true), at: at(60))
    #expect(engine.isOnTrip && engine.trip?.mode == .bicycle)
    #expect(begun.accuracy == .tenMeters)
    for second in 1...10 {
      _ = engine.handle(.fixes([fix(60 + Double(second), north: Double(second) * 5)]), at: at(60 + Double(second)))
    }
    let rest = engine.handle(.motionChanged(.walking, isSure: true), at: at(80))
    #expect(rest.timer(.tripRest) == 380)
    // A fix of the walk after the ride, which is not part of the trip.
    _ = engine.handle(.fixes([fix(100, north: 400)]), at: at(100))
    let over = engine.handle(.timerFired(.tripRest), at: at(380))
    #expect(over.accuracy == .threeKilometers && over.contains(.withdraw(.trip)))
    #expect(try #require(over.timer(.steps)) > 380)
    let trip = try #require(engine.handle(.stepsCounted(nil), at: at(381)).trips.first)
    #expect(trip.start == at(60) && trip.end == at(80) && trip.stoppedAutomatically)
    #expect(abs(trip.distance - 45) < 1)
    #expect(trip.endFix == fix(70, north: 50))
    #expect(engine.isTracking)
  }

  @Test(
    "only certain motion of the mode, not stationary, starts a trip",
    arguments: [
      (TripMode.bicycle, Motion.cycling, true, true), (.bicycle, .cycling, false, false),
      (.bicycle, .walking, true, false), (.bicycle, .driving, true, false), (.bicycle, [], true, false),
      (.bicycle, [.cycling, .stationary], true, false), (.walk, .walking, true, true), (.run, .running, true, true),
      (.run, .walking, true, false), (.car, .driving, true, true), (.train, .driving, true, true),
      (.car, [.driving, .stationary], true, false), (.boat, .driving, true, false), (.boat, [], true, false),
    ] as [(TripMode, Motion, Bool, Bool)])
  func begins(mode: TripMode, motion: Motion, isSure: Bool, begins: Bool) {
    var (engine, _) = cyclist { $0.tripMode = mode }
    _ = engine.handle(.motionChanged(motion, isSure: isSure), at: at(1))
    #expect(engine.isOnTrip == begins)
    #expect(engine.motion == motion)
  }

  @Test("a red light does not end the ride if it continues in time")
  func light() {
    var (engine, _) = cyclist()
    _ = engine.handle(.motionChanged(.cycling, isSure: true), at: at(0))
    let stopped = engine.handle(.motionChanged([.cycling, .stationary], isSure: true), at: at(50))
    #expect(stopped.timer(.tripRest) == 350)
    // Uncertain motion during the rest does not prolong the rest.
    #expect(engine.handle(.motionChanged([], isSure: false), at: at(60)).isEmpty)
    #expect(engine.handle(.motionChanged(.cycling, isSure: false), at: at(90)).contains(.cancelTimer(.tripRest)))
    // The timer fires after its cancellation.
    #expect(engine.handle(.timerFired(.tripRest), at: at(350)).timer(.steps) == nil)
    #expect(engine.isOnTrip)
  }

  @Test("with only trips recorded, fixes outside of trips are not recorded, and the coverage log has the reason")
  func onlyTrips() {
    var (engine, _) = cyclist {
      $0.recordsOnlyTrips = true
      $0.main.tracksVisits = true
    }
    #expect(engine.handle(.fixes([fix(1)]), at: at(1)).recorded == 0)
    #expect(engine.lastFix == fix(1))
    let visit = Visit(time: at(2), coordinate: fix(2).coordinate)
    #expect(engine.handle(.visit(visit, cached: fix(2)), at: at(2)).recorded == 0)
    #expect(engine.handle(.becameActive(cached: fix(3)), at: at(3)).recorded == 0)
    let minute = engine.handle(.tick, at: at(120)) + engine.handle(.tick, at: at(240))
    let lines = minute.flatMap { if case .storeCoverage(let lines) = $0 { lines } else { [CoverageEntry]() } }
    #expect(lines.first?.reason == .notOnTrip)
    _ = engine.handle(.motionChanged(.cycling, isSure: true), at: at(250))
    #expect(engine.handle(.fixes([fix(251)]), at: at(251)).recorded == 1)
  }

  @Test("without the setting, with tracking off, and during a manual trip, motion starts and ends nothing")
  func manual() {
    var (engine, _) = cyclist { $0.startsTripsByMotion = false }
    #expect(engine.handle(.motionChanged(.cycling, isSure: true), at: at(1)).isEmpty)
    (engine, _) = cyclist()
    _ = engine.handle(.stop, at: at(1))
    #expect(engine.handle(.motionChanged(.cycling, isSure: true), at: at(2)).isEmpty)
    (engine, _) = cyclist()
    _ = engine.handle(.startTrip(.walk), at: at(1))
    #expect(engine.handle(.motionChanged(.driving, isSure: true), at: at(2)).isEmpty)
    #expect(engine.isOnTrip)
  }

  @Test("a trip after a relaunch continues with new motion, else it ends at its last position")
  func relaunch() throws {
    var (before, _) = cyclist()
    _ = before.handle(.motionChanged(.cycling, isSure: true), at: at(-100))
    _ = before.handle(.fixes([fix(-90), fix(-80, north: 50)]), at: at(-80))
    let kept = try #require(before.trip)
    // Encoded and decoded, as in the journal.
    var launch = Launch(wasTracking: true, waiting: [:])
    launch.trip = try JSONDecoder().decode(RunningTrip.self, from: JSONEncoder().encode(kept))

    var (engine, launched) = cyclist(launch)
    #expect(launched.timer(.tripRest) == 300)
    _ = engine.handle(.timerFired(.tripRest), at: at(300))
    let trip = try #require(engine.handle(.stepsCounted(nil), at: at(300)).trips.first)
    #expect(trip.end == at(-80) && trip.stoppedAutomatically)

    (engine, _) = cyclist(launch)
    _ = engine.handle(.motionChanged(.cycling, isSure: true), at: at(20))
    #expect(engine.isOnTrip && engine.trip?.rest == nil)
  }

  @Test("a device context without motion keeps the motion of the chip; a context with motion replaces it")
  func context() {
    var (engine, _) = cyclist()
    _ = engine.handle(.motionChanged(.walking, isSure: true), at: at(1))
    _ = engine.handle(.contextChanged(DeviceContext(batteryLevel: 0.5)), at: at(2))
    #expect(engine.motion == .walking)
    _ = engine.handle(.contextChanged(DeviceContext(motion: .cycling)), at: at(3))
    #expect(engine.isOnTrip)
  }
}
