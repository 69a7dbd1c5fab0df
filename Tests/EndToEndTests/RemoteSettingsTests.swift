import Foundation
import TestClient
import Testing

@Suite("Desired settings of a server, with the real executable", .serialized)
struct RemoteSettingsTests {
  private func changes(_ server: RunningServer, _ arguments: String...) throws -> [String] {
    let result = try Executable.run(["device", "settings", "walker"] + arguments + ["--data", server.data, "--json"])
    #expect(result.status == 0, "\(result.errorOutput)")
    let lines = try #require(try JSONSerialization.jsonObject(with: result.output) as? [[String: Any]])
    for line in lines { #expect(line["created"] is String, "\(line)") }
    return lines.map { "\($0["state"] ?? "") \(($0["settings"] as? [String: Any])?["main.desired_accuracy"] ?? "")" }
  }

  @Test(
    "desired settings reach the tracker with its next upload, and the tracker records with them",
    .timeLimit(.minutes(20)))
  func ordered() async throws {
    let server = try await RunningServer()
    let walk = try Walk.points().sorted { $0.time < $1.time }
    let parts = [walk.prefix(walk.count / 3), walk[(walk.count / 3)..<(walk.count * 2 / 3)], walk[(walk.count * 2 / 3)...]]
    let settings = server.folder.path("settings.json")
    try #"{"tracking_stats":true}"#.write(toFile: settings, atomically: true, encoding: .utf8)
    @discardableResult
    func track(_ points: some Collection<Walk.Point>, _ name: String) throws -> String {
      let file = server.folder.path(name + ".gpx")
      try Walk.write(Array(points), to: file)
      let result = try Executable.run([
        "track", "--source", file, "--speed", "max", "--until-sent", "--endpoint", server.endpoint, "--token", server.token,
        "--journal", server.folder.path("journal"), "--settings", settings,
      ])
      #expect(result.status == 0, "\(result.errorOutput)")
      return result.errorOutput
    }
    try track(parts[0], "first")
    // The request goes to the server, which applies it immediately. A change by another program reaches the server within a second.
    let put = try await ask(
      "PUT", "http://127.0.0.1:\(server.port)/api/v1/devices/walker/settings", #"{"main":{"desired_accuracy":"best"}}"#,
      token: server.administratorToken)
    #expect(put.status == 200)
    #expect(try changes(server) == ["pending best"])
    // The settings arrive with one of the uploads of the second part.
    let errorOutput = try track(parts[1], "second")
    #expect(errorOutput.contains(" changed main.desired_accuracy: 100m → best"), "\(errorOutput)")
    #expect(try ["sent best", "applied best"].contains(changes(server).first))
    try track(parts[2], "third")
    #expect(try changes(server) == ["applied best"])

    let response = try await ask(
      "GET", "http://127.0.0.1:\(server.port)/api/v1/points?device=walker&limit=10000&marked=true",
      token: server.administratorToken)
    let features = try #require(response.object["features"] as? [[String: Any]])
    let accuracies = features.map { ($0["properties"] as? [String: Any])?["desired_accuracy"] as? Int }
    #expect(accuracies.count == walk.count)
    #expect(accuracies.prefix(parts[0].count).allSatisfy { $0 == 100 })
    #expect(accuracies.suffix(parts[2].count).allSatisfy { $0 == -1 })

    let rejected = try Executable.run(["device", "settings", "walker", "main.min_distance=3m", "--data", server.data])
    #expect(
      rejected.status != 0 && rejected.errorOutput.contains("main.min_distance") && rejected.errorOutput.contains("off | 1m"))
    #expect(
      try Executable.run(["device", "settings", "missing", "--data", server.data]).errorOutput.contains("No device is called"))
    #expect(try changes(server, "main.desired_accuracy=10m").first == "pending 10m")
    #expect(try changes(server, "--withdraw").first == "cancelled 10m")
    #expect(try await server.stop() == 0)
  }
}
