internal import CoreLocation
package import Foundation
package import GodwitPhone
internal import GodwitSimulator
internal import Synchronization

/// A simulation of many days, as lives of some weeks in some cities, on all processors.
package struct GeofenceDays: Sendable {
  /// The number of days of one life.
  package static let life = 20

  private let days: Int
  private let system: SystemVersion
  private let crashing: Double
  private let cities: [FenceCity]

  /// - Parameters:
  ///   - days: the total number of days.
  ///   - system: the system of the phones.
  ///   - crashing: the probability that the app crashes while it handles an input, 0…1.
  ///   - cities: the number of cities.
  package init(_ days: Int, on system: SystemVersion = .usual, crashing: Double = 0.01, cities: Int = 8) {
    self.days = days
    self.system = system
    self.crashing = crashing
    self.cities = (1...cities).map { FenceCity(seed: UInt64($0)) }
  }

  /// The results of all lives.
  package struct Total: Sendable, Hashable, Codable {
    package var days = 0
    package var fences = 0
    package var positions = 0
    package var endings = 0
    package var crashes = 0
    package var launches = 0
    package var stays = 0
    package var departures = 0
    package var entries = 0
    package var exits = 0
    package var missed = 0
    package var late = 0
    package var doubled = 0
    package var unexpected = 0
    package var rejections = 0
    /// Entries, exits and crossings that the server detected in the positions.
    package var serverEvents = 0
    /// Crossings among them that the server had to detect.
    package var crossings = 0
    /// The largest number of regions that were monitored at one time.
    package var maximumMonitored = 0
    /// Lives in which another part of the app lost its region.
    package var lostUnmanaged = 0
    /// The largest and the median delay of an event, in seconds.
    package var slowest = 0.0
    package var median = 0.0
    /// Descriptions of all faults.
    package var faults: [String] = []
    private var delays: [Double] = []

    private enum CodingKeys: String, CodingKey {
      case days, fences, positions, endings, crashes, launches, stays, departures, entries, exits, missed, late, doubled,
        serverEvents, crossings
      case unexpected = "groundless"
      case rejections = "refusals"
      case maximumMonitored
      case lostUnmanaged = "lostForeign"
      case slowest, median, faults
    }

    init() {}

    mutating func add(_ outcome: GeofenceSoak.Outcome, days: Int, endings: Int, life: Int, on system: SystemVersion) {
      let decision = outcome.result
      self.days += days
      positions += outcome.positions
      self.endings += endings
      crashes += outcome.crashes
      launches += outcome.launches
      stays += decision.stays
      departures += decision.departures
      entries += decision.entries
      exits += decision.exits
      missed += decision.missed.count
      late += decision.late.count
      doubled += decision.doubled.count
      unexpected += decision.unexpected.count
      rejections += outcome.rejections.count
      serverEvents += outcome.serverEvents
      crossings += outcome.certainCrossings
      faults += outcome.serverFaults.map { "life \(life), the server: \($0)" }
      maximumMonitored = max(maximumMonitored, outcome.maximumMonitored)
      lostUnmanaged += outcome.keptUnmanaged ? 0 : 1
      for (title, list) in [
        ("missed", decision.missed), ("late", decision.late), ("doubled", decision.doubled), ("unexpected", decision.unexpected),
      ] {
        faults += list.map { fault in
          let arguments = "\(life) \(CityLife.text(fault.time)) \(fault.fence)\(system == .usual ? "" : " \(system.rawValue)")"
          return "life \(life) \(title): \(fault), see: .build/release/FenceDays --life \(arguments)"
        }
      }
      faults += outcome.rejections.map { "life \(life) refused: \($0)" }
      if outcome.maximumMonitored > system.profile.maximumRegions {
        faults.append("life \(life): \(outcome.maximumMonitored) regions")
      }
      if !outcome.keptUnmanaged { faults.append("life \(life): another part of the app lost its region") }
      delays += decision.delays
    }

    mutating func finish() {
      delays.sort()
      slowest = delays.last ?? 0
      median = delays.isEmpty ? 0 : delays[delays.count / 2]
    }

    /// The total as one line of JSON.
    package func json() throws -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  /// Simulates all lives. The result does not depend on the number of processors.
  package func run() throws -> Total {
    let lives = (days + Self.life - 1) / Self.life
    let state = Mutex((next: 0, outcomes: [Result<(GeofenceSoak.Outcome, Int, Int), any Error>?](repeating: nil, count: lives)))
    let group = DispatchGroup()
    for _ in 0..<max(1, min(ProcessInfo.processInfo.activeProcessorCount, lives)) {
      group.enter()
      let thread = Thread {
        while let number = state.withLock({ state in
          guard state.next < lives else { return Int?.none }
          defer { state.next += 1 }
          return state.next
        }) {
          let outcome = Result { try live(number, days: min(Self.life, days - number * Self.life)) }
          state.withLock { $0.outcomes[number] = outcome }
        }
        group.leave()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
    group.wait()
    var total = Total()
    total.fences = cities[0].fences.count
    for (number, outcome) in state.withLock({ $0.outcomes }).enumerated() {
      guard let (outcome, days, endings) = try outcome?.get() else { continue }
      total.add(outcome, days: days, endings: endings, life: number, on: system)
    }
    total.finish()
    return total
  }

  /// Simulates one life again in its full length, and logs a part of it.
  /// - Parameters:
  ///   - number: the number of the life, from 0.
  ///   - time: the middle of the logged period.
  ///   - fences: the ids of the geofences whose distances are logged.
  ///   - line: receives each line of the log and, at the end, the faults of the life.
  package func report(
    life number: Int, around time: Date, fences: [String], line: @escaping @Sendable (String) -> Void
  ) throws {
    let lifeLog = LifeLog(around: time, fences: fences, in: cities[number % cities.count], line: line)
    let (outcome, length, endings) = try live(number, days: Self.life, lifeLog)
    var total = Total()
    total.add(outcome, days: length, endings: endings, life: number, on: system)
    for fault in total.faults { line(fault) }
  }

  private func live(_ number: Int, days length: Int, _ lifeLog: LifeLog? = nil) throws -> (GeofenceSoak.Outcome, Int, Int) {
    let seed = UInt64(number + 1)
    let city = cities[number % cities.count]
    var soak = GeofenceSoak(in: city, CityLife(in: city, days: length, seed: seed), seed: seed)
    soak.system = system
    soak.crashing = crashing
    soak.hasWifiEverywhere = true
    soak.lifeLog = lifeLog
    soak.problems = GeofenceFailures(days: length, on: system, seed: seed)
    var outcome = try soak.run()
    // The events have been checked; those of 10,000 days would use a gigabyte.
    outcome.reported = []
    return (outcome, length, soak.problems.count)
  }
}
