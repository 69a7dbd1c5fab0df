internal import CoreLocation
package import Foundation
package import GodwitPhone
internal import GodwitSimulator
internal import Synchronization

/// Many days, as lives of some weeks in some cities, on all processors.
package struct GeofenceDays: Sendable {
  /// Days of one life.
  package static let life = 20

  private let days: Int
  private let system: SystemVersion
  private let crashing: Double
  private let cities: [FenceCity]

  /// - Parameters:
  ///   - days: in all.
  ///   - system: of the phones.
  ///   - crashing: share of the news after which the app ends in the middle of what it does, 0…1.
  ///   - cities: how many different ones.
  package init(_ days: Int, on system: SystemVersion = .usual, crashing: Double = 0.01, cities: Int = 8) {
    self.days = days
    self.system = system
    self.crashing = crashing
    self.cities = (1...cities).map { FenceCity(seed: UInt64($0)) }
  }

  /// What came of all of them.
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
    package var groundless = 0
    package var refusals = 0
    /// The largest number of regions that the system watched at one time.
    package var maximumMonitored = 0
    /// Lives in which another part of the app lost a region.
    package var lostForeign = 0
    /// Seconds of the slowest event and of the median one.
    package var slowest = 0.0
    package var median = 0.0
    /// What is wrong, in words.
    package var faults: [String] = []
    private var delays: [Double] = []

    private enum CodingKeys: String, CodingKey {
      case days, fences, positions, endings, crashes, launches, stays, departures, entries, exits, missed, late, doubled,
        groundless
      case refusals, maximumMonitored, lostForeign, slowest, median, faults
    }

    init() {}

    mutating func add(_ outcome: GeofenceSoak.Outcome, days: Int, endings: Int, life: Int, on system: SystemVersion) {
      let verdict = outcome.verdict
      self.days += days
      positions += outcome.positions
      self.endings += endings
      crashes += outcome.crashes
      launches += outcome.launches
      stays += verdict.stays
      departures += verdict.departures
      entries += verdict.entries
      exits += verdict.exits
      missed += verdict.missed.count
      late += verdict.late.count
      doubled += verdict.doubled.count
      groundless += verdict.groundless.count
      refusals += outcome.refusals.count
      maximumMonitored = max(maximumMonitored, outcome.maximumMonitored)
      lostForeign += outcome.keptForeign ? 0 : 1
      for (title, list) in [
        ("missed", verdict.missed), ("late", verdict.late), ("doubled", verdict.doubled), ("groundless", verdict.groundless),
      ] {
        faults += list.map { fault in
          let arguments = "\(life) \(CityLife.text(fault.time)) \(fault.fence)\(system == .usual ? "" : " \(system.rawValue)")"
          return "life \(life) \(title): \(fault), see: .build/release/FenceDays --life \(arguments)"
        }
      }
      faults += outcome.refusals.map { "life \(life) refused: \($0)" }
      if outcome.maximumMonitored > system.profile.maximumRegions {
        faults.append("life \(life): \(outcome.maximumMonitored) regions")
      }
      if !outcome.keptForeign { faults.append("life \(life): another part of the app lost its region") }
      delays += verdict.delays
    }

    mutating func finish() {
      delays.sort()
      slowest = delays.last ?? 0
      median = delays.isEmpty ? 0 : delays[delays.count / 2]
    }

    /// One line.
    package func json() throws -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  /// Lives them all; what comes out does not depend on the number of processors.
  package func live() throws -> Total {
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

  /// Lives one of them again, in its full length.
  /// - Parameters:
  ///   - number: of the life, from 0.
  ///   - time: around which it is reported.
  ///   - fences: ids of those that it is about.
  ///   - line: gets it, line by line, and what was wrong with the life in the end.
  package func tell(
    life number: Int, around time: Date, fences: [String], line: @escaping @Sendable (String) -> Void
  ) throws {
    let story = FenceStory(around: time, fences: fences, in: cities[number % cities.count], line: line)
    let (outcome, length, endings) = try live(number, days: Self.life, story)
    var total = Total()
    total.add(outcome, days: length, endings: endings, life: number, on: system)
    for fault in total.faults { line(fault) }
  }

  private func live(_ number: Int, days length: Int, _ story: FenceStory? = nil) throws -> (GeofenceSoak.Outcome, Int, Int) {
    let seed = UInt64(number + 1)
    let city = cities[number % cities.count]
    var trial = GeofenceSoak(in: city, CityLife(in: city, days: length, seed: seed), seed: seed)
    trial.system = system
    trial.crashing = crashing
    trial.hasWifiEverywhere = true
    trial.story = story
    trial.troubles = GeofenceFailures(days: length, on: system, seed: seed)
    var outcome = try trial.live()
    // They have been judged, and are a gigabyte in 10,000 days.
    outcome.told = []
    return (outcome, length, trial.troubles.count)
  }
}
