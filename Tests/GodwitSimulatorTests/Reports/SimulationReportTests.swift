import Foundation
import GodwitModel
import Testing

@testable import GodwitSimulator

/// Returns a drive of 20 minutes that is recorded `aside` metres beside the true track, with this energy.
func measured(
  _ policy: String, aside: Double, joules: Double, each seconds: Double = 10, day: String = "2026-11-20"
) throws -> (run: MeasuredRun, drawing: RunDrawing) {
  let truth = try Truth(days: [straight(from: 0, seconds: 1_200, speed: 10)])
  let records = stride(from: 0.0, through: 1_200, by: seconds).map { fix($0, north: $0 * 10, east: aside) }
  let log = log(policy, day: day, until: 1_200, records).using(joules)
  return (MeasuredRun(log, truth: truth), RunDrawing(log, truth: truth))
}

@Suite("Report of a simulation")
struct SimulationReportTests {
  private func report(_ runs: [(String, aside: Double, joules: Double)]) throws -> SimulationReport {
    SimulationReport(try runs.map { try measured($0.0, aside: $0.aside, joules: $0.joules).run }, version: "0.1.0")
  }

  @Test("the relative energy is compared with always-best on the same days, or with the first policy")
  func relative() throws {
    let both = try report([("adaptive", 10, 25), ("always-best", 4, 500)])
    #expect(both.baseline == "always-best")
    #expect(both.policies.map(\.relativeEnergy) == [0.05, 1])
    #expect(both.runs.map(\.relativeEnergy) == [0.05, 1])
    let without = try report([("one", 10, 50), ("two", 4, 25)])
    #expect(without.baseline == "one" && without.policies.map(\.relativeEnergy) == [1, 0.5])
    // A day without a run of always-best has no relative energy, and does not affect the other days.
    let runs = [
      try measured("always-best", aside: 4, joules: 500).run, try measured("adaptive", aside: 9, joules: 25).run,
      try measured("adaptive", aside: 9, joules: 400, day: "2026-11-21").run,
    ]
    let uneven = SimulationReport(runs, version: "0.1.0")
    #expect(uneven.policies.map(\.relativeEnergy) == [1, 0.05])
    #expect(uneven.runs.map(\.relativeEnergy) == [1, 0.05, nil])
    #expect(uneven.policies.map(\.runs) == [1, 2])
  }

  @Test("each policy is compared with the optimum of the days that have one, in the table, the JSON and the page")
  func optimum() throws {
    let runs = [
      try measured("adaptive", aside: 10, joules: 100).run, try measured("adaptive", aside: 9, joules: 60, day: "2026-11-21").run,
      try measured("other", aside: 5, joules: 400).run,
    ]
    let truth = try Truth(days: [straight(from: 0, seconds: 1_200, speed: 10)])
    let found = try #require(OfflineOptimum(truth, from: at(0), to: at(1_200)))
    let optima = [
      OptimumOfDay(route: "way", day: "2026-11-20", start: at(0), waiting: .asleep, optimum: found),
      OptimumOfDay(route: "way", day: "2026-11-21", start: at(0), waiting: .asleep, optimum: nil),
    ]
    let report = SimulationReport(runs, optima: optima, version: "0.1.0")
    let ratios = try report.policies.map { try #require($0.optimum?.first) }
    #expect(ratios.map(\.days) == [1, 1])
    #expect(abs(ratios[0].median - 100 / found.joules) < 0.001 && abs(ratios[1].median - 400 / found.joules) < 0.001)
    #expect(ratios[0].medianToLowerBound >= ratios[0].median)
    #expect(abs(ratios[0].medianWithStandby - 110 / (found.joules + 10)) < 0.001)
    #expect(report.optima?.map { $0.joules == nil } == [false, true])
    #expect(report.table().contains("Energy relative to the offline optimum"))
    #expect(report.table().split(separator: "\n").allSatisfy { $0.count <= 110 })
    #expect(try SimulationReport(json: report.json()) == report)
    #expect(String(decoding: report.html(drawings: []), as: UTF8.self).contains("id=\"optimum\""))
    let none = SimulationReport(runs, optima: [optima[1]], version: "0.1.0")
    #expect(none.table().contains("no schedule meets the bounds"))
    let without = SimulationReport(runs, version: "0.1.0")
    #expect(without.optima == nil && without.policies.allSatisfy { $0.optimum == nil })
    #expect(!String(decoding: try without.json(), as: UTF8.self).contains("optim"))
  }

  @Test("the Pareto front has the policies that no other policy surpasses in energy and error")
  func front() throws {
    let report = try report([("best", 4, 500), ("middle", 10, 100), ("worse", 20, 200), ("least", 50, 10), ("same", 50, 10)])
    #expect(report.policies.map(\.isOnMedianFront) == [true, true, false, true, true])
    #expect(report.policies.map(\.isOnPercentile95Front) == [true, true, false, true, true])
  }

  @Test("a policy that recorded nothing has no error and is on no front")
  func nothingRecorded() throws {
    let truth = try Truth(days: [straight(from: 0, seconds: 1_200, speed: 10)])
    let report = SimulationReport(
      [MeasuredRun(log("off", until: 1_200).using(1), truth: truth), try measured("some", aside: 10, joules: 100).run],
      version: "0.1.0")
    #expect(report.policies.map(\.isOnMedianFront) == [false, true])
    #expect(report.policies[0].errorPercentiles == [])
    #expect(report.policies[1].errorPercentiles.count == 101)
    #expect(report.table().contains("–"))
  }

  @Test("the goals are those of adaptive against always-best, and there are none without both")
  func goals() throws {
    #expect(try report([("adaptive", 10, 25)]).goals.isEmpty)
    #expect(try report([("always-best", 10, 25), ("two-state", 4, 500)]).goals.isEmpty)
    let good = try report([("always-best", 4, 500), ("adaptive", 10, 50)])
    let names = good.goals.map(\.name)
    #expect(names.count == 7)
    // A drive has no stay, so there are no times to compare. A goal without a measurement is not met.
    #expect(good.goals.filter { !$0.isMet }.map(\.name) == ["Recorded times of stays"])
    let bad = try report([("always-best", 4, 500), ("adaptive", 101, 51)])
    #expect(
      bad.goals.filter { !$0.isMet }.map(\.name) == [
        "Energy for location and upload", "Median error while moving", "95th percentile error while moving",
        "Covered time while moving",
        "Recorded times of stays",
      ])
  }

  @Test(
    "adaptive must need half of two-state's energy at no more error",
    arguments: [(joules: 100.0, aside: 10.0, isMet: true), (99, 10, false), (100, 9, false), (100, 11, true)])
  func twoState(joules: Double, aside: Double, isMet: Bool) throws {
    let report = try report([("always-best", 4, 1_000), ("adaptive", 10, 50), ("two-state", aside, joules)])
    #expect(report.goals.count == 8)
    #expect(report.goals.last?.isMet == isMet, "\(report.goals.last?.reached ?? "")")
  }

  @Test("the JSON round-trips")
  func json() throws {
    let report = try report([("always-best", 4, 500), ("adaptive", 10, 25), ("ключ \"<&>\"", 3, 1)])
    let json = try report.json()
    #expect(try SimulationReport(json: json) == report)
    #expect(try report.json() == json)
    let text = String(decoding: json, as: UTF8.self)
    for key in [
      "\"baseline\" : \"always-best\"", "\"milliwatt_hours_per_day\"", "\"percentile95\"", "\"is_on_median_front\"", "\"seeds\"",
    ] {
      #expect(text.contains(key))
    }
    #expect(throws: DecodingError.self) { try SimulationReport(json: Array("{}".utf8)) }
  }

  @Test("the table has a row for each policy and is at most 110 columns wide, whatever the names and the figures")
  func table() throws {
    let long = String(repeating: "a policy with a very long name ", count: 5)
    let text = try report([
      ("always-best", 4, 5_000), (long, 250_000, 0.001), ("adaptive", 10, 25), ("naïve 🐦", 10, 45_000),
    ]).table()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= 110 }, "\(text)")
    #expect(
      lines.count { $0.hasPrefix("always-") || $0.hasPrefix("adaptive") || $0.hasPrefix("a poli") || $0.hasPrefix("naïve") } == 4)
    #expect(text.contains("1 day on 1 route, phone-2023 with ios18, seed 1, Godwit 0.1.0"))
    // All rows end in the same column.
    let rows = lines.drop { !$0.hasPrefix("policy") }.prefix(5)
    #expect(Set(rows.map(\.count)).count == 1, "\(text)")
    #expect(SimulationReport([], version: "0.1.0").table() == "No simulation was run.\n")
  }

  @Test(
    "numbers are formatted with thousands separators, and invalid numbers as a dash",
    arguments: [
      (0, 0, "0"), (999.5, 0, "1,000"), (1_234_567, 0, "1,234,567"), (0.05, 1, "0.1"), (12.34, 1, "12.3"), (-0.04, 1, "0.0"),
      (-1_234.5, 1, "−1,234.5"), (1.005, 3, "1.005"), (.infinity, 1, "–"), (.nan, 0, "–"),
    ] as [(Double, Int, String)])
  func numbers(value: Double, digits: Int, text: String) {
    #expect(SimulationReport.text(value, digits: digits) == text)
  }
}
