internal import Foundation
internal import Godwit
package import GodwitModel
package import GodwitPhone
internal import GodwitSimulator

/// A simulation of a phone with Godwit's tracker in a city. The tracker downloads its regions from the real server over the
/// simulated network, and uploads the region events through its journal.
package struct TrackerSoak: Sendable {
  package var city: FenceCity
  package var life: CityLife
  package var system = SystemVersion.usual
  package var problems = GeofenceFailures()
  /// Lines of a `HazardScript` for the network and the server.
  package var network = ""
  /// The probability that the app crashes after a step of the tracker, 0…1.
  package var crashing = 0.0
  package var seed: UInt64 = 1

  package init(in city: FenceCity, _ life: CityLife, seed: UInt64 = 1) {
    self.city = city
    self.life = life
    self.seed = seed
  }

  /// An event that the server returns to its administrator.
  package struct Shown: Sendable, Hashable {
    package var kind: RegionEvent.Kind
    package var region: String
    /// The source of the event: "device" or "server".
    package var source: String
  }

  package struct Outcome: Sendable {
    package var result: GeofenceResult
    /// The region events of the journal, in its order.
    package var recorded: [RegionEvent]
    /// The region events that arrived at the server, sorted by their numbers in the journal.
    package var arrived: [RegionEvent]
    /// The region events that the server returns.
    package var shown: [Shown]
    /// The region events that the code of the app received.
    package var received: [RegionEvent]
    /// The recorded events that the code of the app did not receive although the app did not end at that moment.
    package var undelivered: [RegionEvent]
    /// The number of times that an observer received the same geofences twice in succession.
    package var repetitions: Int
    /// The ids of the geofences that contain the device at the end, according to the tracker.
    package var inside: Set<String>
    package var regions: Int
    package var waiting: Int
    package var maximumMonitored: Int
    package var keptUnmanaged: Bool
    package var launches: Int
    package var crashes: Int
    /// The number of records that arrived again.
    package var repeated: Int
    /// The errors of monitoring, and the rejections of the server.
    package var rejections: [String]
  }

  package func run() throws -> Outcome {
    let server = try CityServer(city.fences)
    let outcome: Outcome
    do { outcome = try run(on: server) } catch {
      try? server.close()
      throw error
    }
    try server.close()
    return outcome
  }

  private func run(on server: CityServer) throws -> Outcome {
    let log = TrackerLog(crashing: crashing, seed: seed)
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
        log.recorded(records)
      }
    }
    app.launches = { log.launched($0) }
    app.senses = { WatchedSensor($0, log) }
    app.launched = { log.launched($0) }
    let phone = SimulatedPhone(configuration, tracker: app, server: server)
    defer {
      log.finish()
      phone.end()
    }
    let oracle = GeofenceOracle(city.fences, system.profile)
    phone.watchesPositions = { oracle.add($0) }
    phone.run(until: life.end)
    oracle.finish(at: phone.clock)
    // The user opens the app again, and without further failures all waiting records are sent.
    log.stopCrashing()
    phone.apply(.open)
    log.tracker?.sendNow()
    phone.run(until: life.end + 600)
    let regions = log.tracker?.regions
    let waiting = log.tracker?.journal.waiting(endpoint: "home") ?? -1
    let inside = Set((regions?.currentGeofences ?? []).map(\.id))
    let count = regions?.regions.count ?? 0
    let windows = (log.unreachable + problems.unreachable).sorted { $0.from < $1.from }
    return Outcome(
      result: GeofenceResult(
        oracle, city.fences, log.reported, bound: GeofenceSoak.bound(system.profile), unreachable: windows,
        held: log.held),
      recorded: log.reported.map(\.event), arrived: server.arrivals.map(\.event), shown: try server.shown(),
      received: log.received,
      undelivered: log.undelivered,
      repetitions: log.repetitions, inside: inside, regions: count, waiting: waiting, maximumMonitored: log.maximumMonitored,
      keptUnmanaged: log.keptUnmanaged, launches: log.launches, crashes: log.crashes, repeated: server.repeated,
      rejections: log.rejections + server.rejections)
  }
}
