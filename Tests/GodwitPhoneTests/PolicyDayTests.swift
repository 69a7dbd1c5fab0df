import Foundation
import Godwit
import GodwitModel
import GodwitSimulator
import Testing

@testable import GodwitPhone

/// Energy, track and stays of a working day with a policy, with the whole SDK on the phone.
@Suite("Policies on the simulated phone")
struct PolicyDayTests {
  private func measured(_ policy: String, _ script: String = "", system: SystemVersion = .usual) throws -> RunMeasures {
    let truth = try workday()
    var configuration = SimulatedPhone.Configuration(truth: truth)
    configuration.system = system
    configuration.start = midnight
    configuration.hazards = try HazardScript(text: script)
    let settings = try #require(Policy.named(policy)).settings
    let phone = SimulatedPhone(configuration, tracker: TrackerApp(settings: settings), server: MemoryServer())
    phone.run(until: at(86_400))
    let log = phone.finishLog(policy: policy, route: "workday", day: "2026-11-20")
    phone.end()
    return MeasuredRun(log, truth: truth).measures
  }

  /// A lower bound in joules of the policy always-best on the default phone.
  private static let best = 25_000.0

  @Test("adaptive needs at most a tenth of the energy of always-best, and less than half of two states")
  func energy() throws {
    let adaptive = try measured("adaptive").energy.joules
    let best = try measured("always-best").energy.joules
    #expect(best > Self.best)
    #expect(adaptive < best / 10)
    #expect(adaptive < (try measured("two-state").energy.joules) / 2)
  }

  @Test("adaptive covers the route and finds the stays with their times, on every system", arguments: SystemVersion.allCases)
  func everySystem(_ system: SystemVersion) throws {
    let day = try measured("adaptive", system: system)
    #expect(day.energy.joules < Self.best / 8)
    #expect(try #require(day.track.median) < 15)
    #expect(try #require(day.track.covered) > 0.9)
    #expect(day.stays.recall == 1 && day.stays.precision == 1)
    // Before iOS 16.4 a departure is known only from a region event, which is late; the visit has a more exact time.
    let isReported: [SystemVersion] = [.ios12, .ios13, .ios14, .ios15, .ios15dot3]
    #expect(try #require(day.stays.worstDelay) <= (isReported.contains(system) ? 420 : 180))
    #expect(abs(try #require(day.distance.difference)) < 0.03)
  }

  @Test(
    "adaptive records the next trip after a hazard",
    arguments: [
      "+12h kill", "+9h kill", "+12h reboot\n+12h5m unlock", "+12h motion off", "+30s motion off", "+12h low-power on",
      "+11h precise off\n+12h precise on", "+11h services off\n+12h services on\n+12h5m open\n+12h6m close", "+12h wifi off",
      "+12h aeroplane on\n+16h aeroplane off", "+12h burst 100", "+12h stale-fix 3h", "+12h clock -1h",
    ])
  func hazards(_ script: String) throws {
    let day = try measured("adaptive", script)
    // The trip back is more than a third of the distance of the day.
    #expect(try #require(day.track.covered) > 0.55, "\(day.track)")
    #expect(day.stays.unnoticed <= 1)
    #expect(day.energy.joules < Self.best / 6)
  }

  @Test("no policy that meets the bounds on a day needs less energy than the offline optimum")
  func optimum() throws {
    let truth = try workday()
    let optima = try OptimumRules.Waiting.allCases.map { waiting in
      var rules = OptimumRules()
      rules.waiting = waiting
      return try #require(OfflineOptimum(truth, from: midnight, to: at(86_400), rules: rules))
    }
    var count = 0
    for policy in ["always-best", "article-b", "adaptive", "two-state", "article-c", "battery-saving"] {
      let day = try measured(policy)
      guard let median = day.track.median, let percentile = day.track.percentile95, let covered = day.track.covered,
        median <= 15, percentile <= 60, covered >= 0.95, day.stays.recall == 1
      else { continue }
      count += 1
      for optimum in optima { #expect(optimum.joules < day.energy.joules, "\(policy)") }
    }
    #expect(count >= 2)
  }

  @Test("the documentation's type D requests nothing and records nothing")
  func nothing() throws {
    let day = try measured("article-d")
    #expect(day.traffic.points == 0 && day.traffic.delivered == 0)
    #expect(day.energy.joules < 500)
  }
}
