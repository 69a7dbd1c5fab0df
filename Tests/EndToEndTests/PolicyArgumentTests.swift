import Foundation
import GodwitModel
import Testing

@testable import GodwitCommandLine
@testable import GodwitTrackerCommands

@Suite("Policies on the command line")
struct PolicyArgumentTests {
  private func file(_ text: String) throws -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("commuter-\(UUID().uuidString).json").path
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test("each name of the catalogue is a policy", arguments: Policy.all.map(\.name))
  func named(_ name: String) throws { #expect(try PolicyArgument.read(name).name == name) }

  @Test(
    "a file with settings alone or with endpoints is read as a policy, and gives the policy its name",
    arguments: [
      #"{"main": {"policy": "adaptive"}, "send_interval": "1h"}"#,
      #"{"settings": {"main.policy": "adaptive", "send_interval": "1h"}, "endpoints": []}"#,
    ])
  func fromFile(_ text: String) throws {
    let path = try file(text)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let policy = try PolicyArgument.read(path)
    #expect(policy.name.hasPrefix("commuter-") && !policy.name.contains("."))
    #expect(policy.settings.main.policy == .adaptive && policy.settings.sendInterval == 3600)
  }

  @Test("an invalid policy is rejected with the valid ones", arguments: ["best", "adaptive2", ""])
  func rejected(_ name: String) {
    let error = #expect(throws: Failure.self) { try PolicyArgument.read(name) }
    #expect(error.map { "\($0)".contains("always-best") && "\($0)".contains(".json") } == true)
  }

  @Test("a file with an invalid value is rejected with the name of the setting")
  func wrong() throws {
    let path = try file(#"{"main": {"policy": "clever"}}"#)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let error = #expect(throws: Failure.self) { try PolicyArgument.read(path) }
    #expect(error.map { "\($0)".contains("main.policy") && "\($0)".contains("two_state") } == true)
  }
}
