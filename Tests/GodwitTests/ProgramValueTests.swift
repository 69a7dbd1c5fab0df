import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import Testing

@testable import Godwit

@Suite("Invalid values of a program", .timeLimit(.minutes(20)))
struct ProgramValueTests {
  private static func endpoint(_ name: String, _ address: String = "https://example.org/api/overland") throws -> Endpoint {
    Endpoint(id: EndpointID(name), url: try #require(URL(string: address)))
  }

  @Test(
    "endpoints without a name, with the same name or without an HTTP address are rejected by name, before a file is created",
    arguments: [
      (["a", "b", "a"], "https://example.org/", "Two endpoints have the name a"), ([""], "https://example.org/", "has no name"),
      (["home"], "ftp://example.org/", "Endpoint home: its address is not usable"),
      (["home"], "/y", "Endpoint home: its address"),
      (["home"], "https:///y", "Endpoint home: its address"),
    ])
  func endpoints(_ names: [String], _ address: String, _ reason: String) throws {
    let folder = try TemporaryFolder()
    let configuration = Tracker.Configuration(
      journalPath: folder.journal, endpoints: try names.map { try Self.endpoint($0, address) },
      environment: VirtualClock().environment(HTTPClient { _ in HTTPClient.Response(status: 200) }))
    let error = #expect(throws: GodwitError.self) { try Tracker(configuration: configuration, sensor: ScriptedSensor()) }
    #expect(error?.code == .invalidEndpoint && error?.description.contains(reason) == true, "\(error?.description ?? "")")
    #expect(!FileManager.default.fileExists(atPath: folder.journal))
  }

  @Test("an address with placeholders is accepted")
  func placeholders() throws {
    let endpoint = try Endpoint(name: "home", address: "https://example.org/?at=%LAT,%LON", format: "query")
    #expect(throws: Never.self) { try EndpointCheck.check([endpoint, try Self.endpoint("other")]) }
  }

  @Test("a sleep of any length begins and can be cancelled", arguments: [Double.infinity, .nan, 1e300, 9.3e18, 1e19])
  func longSleep(seconds: Double) async throws {
    let clock = TrackerEnvironment.live()
    let sleeper = Task { try await clock.sleep(seconds) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test("a sleep of no or negative length ends at once", arguments: [0, -1, -Double.infinity])
  func shortSleep(seconds: Double) async throws {
    let clock = TrackerEnvironment.live()
    await #expect(throws: Never.self) { try await clock.sleep(seconds) }
  }

  @Test("a journal of unlimited size keeps its records", arguments: [Double.infinity, .nan, 1e300])
  func unlimitedJournal(size: Double) async throws {
    let folder = try TemporaryFolder()
    let clock = VirtualClock()
    var settings = Settings()
    settings.maximumJournalSize = size
    var configuration = Tracker.Configuration(
      journalPath: folder.journal, endpoints: [try Self.endpoint("home")], settings: settings,
      environment: clock.environment(HTTPClient { _ in throw URLError(.cannotConnectToHost) }))
    configuration.syncInterval = 0
    let sensor = ScriptedSensor()
    let tracker = try Tracker(configuration: configuration, sensor: sensor)
    try await tracker.start()
    tracker.startTracking()
    let place = try #require(Coordinate(latitude: 45, longitude: 14))
    sensor.notify(.fixes([1, 100].map { Fix(time: start.addingTimeInterval($0), coordinate: place, horizontalAccuracy: 5) }))
    await tracker.caughtUp()
    #expect(tracker.journal.waiting(endpoint: "home") == 2)
    await tracker.stop()
  }
}
