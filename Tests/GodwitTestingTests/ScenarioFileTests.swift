import GodwitTesting
import Testing

/// A scenario on one of its systems.
struct Case: Sendable, CustomTestStringConvertible {
  var scenario: Scenario
  var system: SystemVersion

  var testDescription: String { "\(scenario) on \(system.rawValue)" }

  static func all() throws -> [Case] {
    try Scenario.all(beside: #filePath).flatMap { scenario in scenario.systems.map { Case(scenario: scenario, system: $0) } }
  }
}

@Suite("Scenarios")
struct ScenarioFileTests {
  @Test("every file is a valid scenario, with evidence and expectations")
  func readable() throws {
    for scenario in try Scenario.all(beside: #filePath) {
      #expect(!scenario.evidence.isEmpty && !scenario.expectations.isEmpty, "\(scenario)")
    }
  }

  @Test("the expectations of every scenario are met", arguments: try Case.all())
  func holds(_ one: Case) {
    let outcome = one.scenario.run(on: one.system)
    #expect(outcome.failures.isEmpty, "\(outcome)")
  }
}
