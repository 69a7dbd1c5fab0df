import Foundation
import GodwitTesting
import Testing

/// A scenario on one of its systems.
struct Case: Sendable, CustomTestStringConvertible {
  var scenario: Scenario
  var system: SystemVersion

  var testDescription: String { "\(scenario) on \(system.rawValue)" }

  static let folder = Bundle.module.bundleURL.appendingPathComponent("Scenarios").path
  static let all = Result {
    try Scenario.all(in: folder).flatMap { scenario in scenario.systems.map { Case(scenario: scenario, system: $0) } }
  }
}

@Suite("Scenarios")
struct ScenarioFileTests {
  @Test("every file is a scenario, with evidence and something to expect")
  func readable() throws {
    for scenario in try Case.all.get().map(\.scenario) {
      #expect(!scenario.evidence.isEmpty && !scenario.expectations.isEmpty, "\(scenario)")
    }
  }

  @Test("what a scenario expects is so", arguments: (try? Case.all.get()) ?? [])
  func holds(_ one: Case) {
    let outcome = one.scenario.run(on: one.system)
    #expect(outcome.findings.isEmpty, "\(outcome)")
  }
}
