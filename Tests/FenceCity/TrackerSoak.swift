internal import Foundation
internal import Godwit
package import GodwitModel
package import GodwitPhone
internal import GodwitSimulator

/// A phone with this project's tracker in a town: its regions come from the real server over the simulated network, and what happens at
/// their edges goes through the journal back to it.
package struct TrackerSoak: Sendable {
  package var city: FenceCity
  package var life: CityLife
  package var system = SystemVersion.usual
  package var problems = GeofenceFailures()
  /// Lines of a script of what happens to the network and the server.
  package var network = ""
  /// Share of the tracker's steps after which the app ends, 0…1.
  package var crashing = 0.0
  package var seed: UInt64 = 1

  package init(in city: FenceCity, _ life: CityLife, seed: UInt64 = 1) {
    self.city = city
    self.life = life
    self.seed = seed
  }

  /// An event as the server shows it to its owner.
  package struct Shown: Sendable, Hashable {
    package var kind: RegionEvent.Kind
    package var region: String
    /// The source of the event: "device" or "server".
    package var source: String
  }

  package struct Outcome: Sendable {
    package var result: GeofenceResult
    /// The region events that the journal took, in its order.
    package var recorded: [RegionEvent]
    /// Those that came on the wire, by their numbers in the journal.
    package var arrived: [RegionEvent]
    /// Those that the server shows.
    package var shown: [Shown]
    /// Those that the app's own code was reported of.
    package var received: [RegionEvent]
    /// Those that it was not reported of, although the app did not end just then.
    package var unheard: [RegionEvent]
    /// How often an observer was reported of the same geofences again.
    package var repetitions: Int
    /// Ids of the geofences that the tracker says it is in at the end.
    package var inside: Set<String>
    package var regions: Int
    package var waiting: Int
    package var maximumMonitored: Int
    package var keptUnmanaged: Bool
    package var launches: Int
    package var crashes: Int
    /// Records that came more than once.
    package var repeated: Int
    /// What the system or the server refused.
    package var rejections: [String]
  }

  package func live() throws -> Outcome {
    let server = try CityServer(city.fences)
    let diary = CityDiary(crashing: crashing, seed: seed)
    var rules = TruthRules()
    rules.stretches = [
      TruthRules.Stretch(from: SimulatedTime(microseconds: 0), to: life.end + 86_400, environment: .canyon)
    ]
    var configuration = SimulatedPhone.Configuration(truth: try Truth(days: [life.fixes], rules: rules))
    configuration.system = system
    configuration.seed = seed
    configuration.start = CityLife.midnight
    configuration.hazards = try HazardScript(text: problems.script + network)
    var settings = Settings()
    settings.apply(.batterySaving)
    var app = TrackerApp(settings: settings)
    app.configure = { configuration in
      configuration.regions = configuration.endpoints.first.flatMap { RegionConfiguration(beside: $0) }
      let noted = configuration.recorded
      configuration.recorded = { records in
        noted?(records)
        diary.recorded(records)
      }
    }
    app.launches = { diary.launched($0) }
    app.senses = { WatchedSensor($0, diary) }
    app.launched = { diary.launched($0) }
    let phone = SimulatedPhone(configuration, tracker: app, server: server)
    let oracle = GeofenceOracle(city.fences, system.profile)
    phone.watchesPositions = { oracle.see($0) }
    phone.run(until: life.end)
    oracle.finish(at: phone.clock)
    // The person opens the app once more, and nothing goes wrong any more: what waits is sent.
    diary.stopCrashing()
    phone.apply(.open)
    diary.tracker?.sendNow()
    phone.run(until: life.end + 600)
    let regions = diary.tracker?.regions
    let waiting = diary.tracker?.journal.waiting(endpoint: "home") ?? -1
    let inside = Set((regions?.currentGeofences ?? []).map(\.id))
    let count = regions?.regions.count ?? 0
    let windows = (diary.deaf + problems.deaf).sorted { $0.from < $1.from }
    let outcome = Outcome(
      result: GeofenceResult(
        oracle, city.fences, diary.reported, bound: GeofenceSoak.bound(system.profile), deaf: windows,
        held: diary.held),
      recorded: diary.reported.map(\.event), arrived: server.arrivals.map(\.event), shown: try server.shown(),
      received: diary.received,
      unheard: diary.unheard,
      repetitions: diary.repetitions, inside: inside, regions: count, waiting: waiting, maximumMonitored: diary.maximumMonitored,
      keptUnmanaged: diary.keptUnmanaged, launches: diary.launches, crashes: diary.crashes, repeated: server.repeated,
      rejections: diary.rejections + server.rejections)
    diary.finish()
    phone.end()
    try server.close()
    return outcome
  }
}
