import Foundation
import Testing

/// Tests the examples that consist of files. Examples that are packages have their own tests.
@Suite("Examples that are files", .timeLimit(.minutes(10)))
struct ExampleTests {
  private static let folder = Walk.root.appendingPathComponent("Examples")

  @Test("the files of the boat are valid; the recorded sail leaves the anchorage once, and every position is stored")
  func boat() async throws {
    let boat = Self.folder.appendingPathComponent("Boat")
    let checked = try Executable.run(["config", "check", boat.appendingPathComponent("godwit-tracker.yaml").path])
    #expect(checked.status == 0 && checked.text.contains("track: 6 options"), "\(checked.errorOutput)")

    let server = try await RunningServer(device: "boat")
    let imported = try Executable.run(
      ["regions", "import", boat.appendingPathComponent("anchor.geojson").path, "--data", server.data])
    #expect(imported.status == 0 && imported.errorOutput.contains("1 region created"), "\(imported.errorOutput)")
    let tracked = try Executable.run(
      [
        "track", "--source", boat.appendingPathComponent("sail.nmea").path, "--speed", "max", "--until-sent", "--regions",
        "--region-tag", "boat", "--endpoint", server.endpoint, "--token", server.token, "--journal",
        server.folder.path("boat.journal"),
      ], environment: ["GODWIT_CONFIG": "/dev/null"])
    #expect(tracked.status == 0, "\(tracked.errorOutput)")
    #expect(tracked.errorOutput.components(separatedBy: "left Anchorage").count == 2, "\(tracked.errorOutput)")
    #expect(try server.exported(device: "boat").count == 324)
  }

  @Test("the tracker file of the boat is valid")
  func boatEndpoints() throws {
    let file = Self.folder.appendingPathComponent("Boat/tracker.json").path
    // The source does not exist. The tracker file is read first, so an error in it would be reported instead.
    let folder = try TemporaryFolder()
    let result = try Executable.run(
      ["track", "--source", folder.path("none.nmea"), "--tracker-file", file, "--journal", folder.path("journal")])
    #expect(
      result.status == 1 && result.errorOutput.contains("none.nmea") && !result.errorOutput.contains("tracker.json"),
      "\(result.errorOutput)")
  }

  @Test(
    "the policy is within its limits, a stricter limit fails, and an unknown figure is reported",
    .enabled(if: Executable.find("python3") != nil, "python3 is not installed"))
  func policy() throws {
    let example = Self.folder.appendingPathComponent("PolicyTest")
    let program = example.appendingPathComponent("test-policy")
    let environment = ["GODWIT": Executable.godwit.path]
    let kept = try Executable.run(program, [Walk.file.path], environment: environment)
    #expect(kept.status == 0 && kept.text.components(separatedBy: "ok   ").count == 6, "\(kept.text)\(kept.errorOutput)")
    let folder = try TemporaryFolder()
    for (limits, status, words) in [
      (#"{"relative_energy": {"at_most": 0.01}}"#, 1, "MISS relative_energy"),
      (#"{"measures.wings": {"at_most": 1}}"#, 1, "no figure"),
    ] {
      let file = folder.path("limits.json")
      try limits.write(toFile: file, atomically: true, encoding: .utf8)
      let result = try Executable.run(
        program, [Walk.file.path, example.appendingPathComponent("policy.json").path, file], environment: environment)
      #expect(
        result.status == status && (result.text + result.errorOutput).contains(words), "\(result.text)\(result.errorOutput)")
    }
  }
}
