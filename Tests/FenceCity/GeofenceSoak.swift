package import CoreLocation
internal import Foundation
internal import Godwit
import GodwitHTTPClient
package import GodwitModel
package import GodwitPhone
package import GodwitSimulator

/// A simulation of a phone with the app through a life.
package struct GeofenceSoak: Sendable {
  package var city: FenceCity
  /// The true positions of the phone.
  package var route: [Fix]
  package var end: SimulatedTime
  package var system = SystemVersion.usual
  package var problems = GeofenceFailures()
  /// The probability that the app crashes while it handles an input, 0…1.
  package var crashing = 0.0
  package var seed: UInt64 = 1
  /// Whether 99 % of the positions of the system are accurate to about 30 m; otherwise the accuracy is that in a city.
  package var hasWifiEverywhere = false
  /// A log of a part of the life.
  package var lifeLog: LifeLog?

  /// Creates a simulation of a random life in a city.
  package init(in city: FenceCity, _ life: CityLife, seed: UInt64 = 1) {
    self.init(in: city, route: life.fixes, until: life.end, seed: seed)
  }

  /// Creates a simulation of a route. Between two places more than a minute apart, the phone waits and then moves in a straight line.
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
    /// The regions that the system failed to monitor, with the errors.
    package var rejections: [String]
    package var positions: Int
    package var reported: [FenceDisk.Reported]
    /// Entries, exits and crossings that the server detected in the same positions.
    package var serverEvents: Int
    /// Crossings among them that the server had to detect.
    package var certainCrossings: Int
    /// Events of the server that are missing, or have no cause.
    package var serverFaults: [String]
  }

  /// The seconds within which the system must report a crossing: the time of the crossing, the latency, and the time of a position
  /// that it may need first.
  package static func bound(_ profile: OSProfile) -> Double { profile.regionCrossingTime + profile.regionLatency + 20 }

  private func truth() throws -> Truth {
    var rules = TruthRules()
    if hasWifiEverywhere {
      // Surroundings in which every place has a known Wi-Fi network.
      rules.stretches = [TruthRules.Stretch(from: SimulatedTime(microseconds: 0), to: end + 86_400, environment: .canyon)]
    }
    return try Truth(days: [route], rules: rules)
  }

  package func run() throws -> Outcome {
    let disk = FenceDisk(crashing: crashing, seed: seed)
    var configuration = SimulatedPhone.Configuration(truth: try truth())
    configuration.system = system
    configuration.seed = seed
    configuration.start = CityLife.midnight
    configuration.hazards = try HazardScript(text: problems.script)
    let phone = SimulatedPhone(configuration, app: FenceApp.app(city.catalogue, on: disk, lifeLog), server: NoFenceServer())
    let oracle = GeofenceOracle(city.fences, system.profile)
    let events = EventOracle(city.fences)
    phone.watchesPositions = { [lifeLog, weak phone] fix in
      oracle.add(fix)
      events.evaluate(fix)
      if let lifeLog, let phone { lifeLog.position(fix, at: phone.clock) }
    }
    lifeLog?.problems(problems)
    phone.run(until: end)
    oracle.finish(at: phone.clock)
    phone.end()
    lifeLog?.evaluate(oracle, city.fences)
    let windows = (disk.unreachable + problems.unreachable).sorted { $0.from < $1.from }
    return Outcome(
      result: GeofenceResult(
        oracle, city.fences, disk.reported, bound: Self.bound(system.profile), unreachable: windows, held: disk.held),
      maximumMonitored: disk.maximumMonitored, keptUnmanaged: disk.keptUnmanaged, launches: disk.launches, crashes: disk.crashes,
      rejections: disk.rejections, positions: oracle.positions, reported: disk.reported,
      serverEvents: events.outcome.entries + events.outcome.exits + events.outcome.crossings,
      certainCrossings: events.outcome.certain, serverFaults: events.outcome.faults)
  }
}

/// The app sends no requests.
private final class NoFenceServer: SimulatedServer {
  func respond(_ request: HTTPClient.Request, at time: Date) -> HTTPClient.Response { HTTPClient.Response(status: 404, body: []) }
}
