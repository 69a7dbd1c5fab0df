import Foundation
import TestParts
import Testing

/// A line of the file `Models/runs`.
struct ModelRun: Sendable, CustomTestStringConvertible {
  var model: String
  var kind: String
  var states: Int
  var settings: [String]

  var testDescription: String { "\(model) \(settings.joined(separator: " "))" }

  static func all(_ kind: String) throws -> [ModelRun] {
    let text = try String(contentsOf: PromelaModel.folder.appendingPathComponent("runs"), encoding: .utf8)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let words = line.split(separator: " ").map(String.init)
      return ModelRun(model: words[0], kind: words[1], states: Int(words[2]) ?? 0, settings: Array(words.dropFirst(3)))
    }.filter { $0.kind == kind }
  }
}

@Suite("The models of the delivery and of the webhooks", .timeLimit(.minutes(10)))
struct ModelRunTests {
  @Test(
    "hold in all states, and everything is delivered in the end",
    .enabled(if: TestPart.spin.isRun, "\(TestPart.spin.reason)"))
  func runs() throws {
    let runs = try ModelRun.all("test")
    #expect(runs.count > 5)
    for run in runs {
      let result = try PromelaModel(name: run.model).check(run.settings)
      #expect(result.errors == 0, "\(run.testDescription): \(result.output)")
      #expect(result.states == run.states, "\(run.testDescription)")
    }
  }

  @Test("do not hold with a planted fault", .enabled(if: TestPart.spin.isRun, "\(TestPart.spin.reason)"))
  func mutants() throws {
    let runs = try ModelRun.all("mutants")
    #expect(!runs.isEmpty)
    for run in runs {
      let model = PromelaModel(name: run.model)
      let mutants = try model.mutants
      #expect(mutants.count > 5)
      for mutant in mutants {
        let result = try model.check(run.settings + ["-DMUTANT=\(mutant.number)"])
        #expect(result.errors > 0, "\(run.model): \(mutant.name) is not found")
      }
    }
  }

  @Test("are in the documentation with their bounds and numbers of states")
  func documentation() throws {
    let page = PromelaModel.folder.appendingPathComponent("../../../Documentation/Reliability.md").standardized
    let text = try String(contentsOf: page, encoding: .utf8)
    let (tested, soaked) = (try ModelRun.all("test"), try ModelRun.all("soak"))
    #expect(!tested.isEmpty && !soaked.isEmpty)
    for run in tested + soaked {
      let states = run.states.formatted(.number.locale(Locale(identifier: "en_US")))
      let command = run.kind == "test" ? "make test-system" : "scripts/soak model"
      let row = "| `\(run.model)` | `\(run.settings.joined(separator: " "))` | \(states) | `\(command)` |"
      #expect(text.contains(row), "\(row)")
    }
    let counts = try ["delivery", "webhooks"].map { try PromelaModel(name: $0).mutants.count }
    #expect(text.contains("\(counts[0]) planted faults of the first and \(counts[1]) of the second"))
  }
}
