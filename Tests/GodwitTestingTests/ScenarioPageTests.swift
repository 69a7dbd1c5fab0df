import Foundation
import GodwitTesting
import Testing

@Suite("Documentation/Scenarios.md")
struct ScenarioPageTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  private let page: String
  init() throws { page = try Self.text("Documentation/Scenarios.md") }

  @Test("the page has a row for every scenario, with its evidence", arguments: try Scenario.all(beside: #filePath))
  func table(_ scenario: Scenario) throws {
    let file = try #require(scenario.file)
    let systems = scenario.systems == SystemVersion.phones ? "all" : scenario.systems.map(\.rawValue).joined(separator: " ")
    let line =
      "| [\(file.dropLast(".scenario".count))](../Tests/GodwitTestingTests/Scenarios/\(file)) | \(scenario.title) | "
      + "\(scenario.evidence.joined(separator: "; ")) | \(systems) |\n"
    #expect(page.contains(line), "\(line)")
  }

  @Test("the page contains every system, environment, network, response, notice and state of the format")
  func names() {
    let names =
      SystemVersion.allCases.map(\.rawValue) + Environment.allCases.map(\.rawValue) + NetworkKind.allCases.map(\.rawValue)
      + Notice.Kind.allCases.map(\.rawValue) + Expectation.AppState.allCases.map(\.rawValue)
      + ["always", "while-using", "once", "deny"]
    for name in names { #expect(page.contains("`\(name)`") || page.contains("`app \(name) at"), "\(name)") }
  }

  @Test("every example line of the page is valid")
  func lines() throws {
    let tables = try #require(page.components(separatedBy: "## Lines").last?.components(separatedBy: "## What trackers").first)
    let shown = tables.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
      let cell = row.components(separatedBy: " | ")[0]
      return cell.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    }
    let counted = ["records", "fixes", "visits", "trips", "launches", "uploads"]
    for line in shown where !line.contains("…") && !line.hasPrefix("file ") {
      let isExpectation = (try? Scenario(text: "title a\n\(line)")) == nil
      let text = !isExpectation ? line : "expect " + (counted.contains(line) ? line + " at least 1" : line)
      #expect(throws: Never.self, "\(text)") { try Scenario(text: "title a\n\(text)") }
    }
    #expect(shown.count > 40)
  }
}
