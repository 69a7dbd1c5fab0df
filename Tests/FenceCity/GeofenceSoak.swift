package import CoreLocation
internal import Foundation
internal import Godwit
import GodwitHTTPClient
package import GodwitModel
package import GodwitPhone
package import GodwitSimulator

/// A phone with the app on it that goes through a life, and what came of it.
package struct GeofenceSoak: Sendable {
  package var city: FenceCity
  /// Where the phone really is.
  package var route: [Fix]
  package var end: SimulatedTime
  package var system = SystemVersion.usual
  package var problems = GeofenceFailures()
  /// Share of the news after which the app ends in the middle of what it does, 0…1.
  package var crashing = 0.0
  package var seed: UInt64 = 1
  /// Whether the system always knows its place to some 30 m, but for one time in a hundred; otherwise it is as in a town.
  package var hasWifiEverywhere = false
  /// Receives what happens.
  package var story: FenceStory?

  /// A life in a town.
  package init(in city: FenceCity, _ life: CityLife, seed: UInt64 = 1) {
    self.init(in: city, route: life.fixes, until: life.end, seed: seed)
  }

  /// Any way; between two places more than a minute apart it waits and then goes straight on.
  package init(in city: FenceCity, route: [Fix], until end: SimulatedTime, seed: UInt64 = 1) {
    self.city = city
    self.route = route
    self.end = end
    self.seed = seed
  }

  package struct Outcome: Sendable {
    package var result: GeofenceResult
    package var maximumMonitored: Int
    package var keptUnmanaged: Bool
    package var launches: Int
    package var crashes: Int
    /// What the system refused.
    package var rejections: [String]
    package var positions: Int
    package var reported: [FenceDisk.Reported]
    /// Entries, exits and crossings that the server found in the same positions.
    package var serverEvents: Int
    /// Crossings among them that had to be found.
    package var certainCrossings: Int
    /// Events of the server that are missing, or have no cause.
    package var serverFaults: [String]
  }

  /// Seconds after which the system must have informed what it saw: the crossing, the delay, and a look that may have to be
  /// taken first.
  package static func bound(_ profile: OSProfile) -> Double { profile.regionCrossingTime + profile.regionLatency + 20 }

  private func truth() throws -> Truth {
    var rules = TruthRules()
    if hasWifiEverywhere {
      // Surroundings in which every place has a known network.
      rules.stretches = [TruthRules.Stretch(from: SimulatedTime(microseconds: 0), to: end + 86_400, environment: .canyon)]
    }
    return try Truth(days: [route], rules: rules)
  }

  package func live() throws -> Outcome {
    let disk = FenceDisk(crashing: crashing, seed: seed)
    var configuration = SimulatedPhone.Configuration(truth: try truth())
    configuration.system = system
    configuration.seed = seed
    configuration.start = CityLife.midnight
    configuration.hazards = try HazardScript(text: problems.script)
    let phone = SimulatedPhone(configuration, app: FenceApp.app(city.catalogue, on: disk, story), server: NoFenceServer())
    let oracle = GeofenceOracle(city.fences, system.profile)
    let events = EventOracle(city.fences)
    phone.watchesPositions = { [story, weak phone] fix in
      oracle.see(fix)
      events.evaluate(fix)
      if let story, let phone { story.position(fix, at: phone.clock) }
    }
    story?.problems(problems)
    phone.run(until: end)
    oracle.finish(at: phone.clock)
    phone.end()
    story?.evaluate(oracle, city.fences)
    let windows = (disk.deaf + problems.deaf).sorted { $0.from < $1.from }
    return Outcome(
      result: GeofenceResult(
        oracle, city.fences, disk.reported, bound: Self.bound(system.profile), deaf: windows, held: disk.held),
      maximumMonitored: disk.maximumMonitored, keptUnmanaged: disk.keptUnmanaged, launches: disk.launches, crashes: disk.crashes,
      rejections: disk.rejections, positions: oracle.positions, reported: disk.reported,
      serverEvents: events.outcome.entries + events.outcome.exits + events.outcome.crossings,
      certainCrossings: events.outcome.certain, serverFaults: events.outcome.faults)
  }
}

/// Nothing is sent.
private final class NoFenceServer: SimulatedServer {
  func respond(_ request: HTTPClient.Request, at time: Date) -> HTTPClient.Response { HTTPClient.Response(status: 404, body: []) }
}
