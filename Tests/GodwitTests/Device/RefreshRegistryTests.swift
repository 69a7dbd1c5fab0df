import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import Testing

@testable import Godwit

@Suite("The trackers of background refreshes", .timeLimit(.minutes(20)))
struct RefreshRegistryTests {
  private func tracker(_ folder: borrowing TemporaryFolder, _ sensor: ScriptedSensor, _ name: String) throws -> Tracker {
    try Tracker(
      configuration: Tracker.Configuration(
        journalPath: folder.url.appendingPathComponent(name).path, endpoints: [],
        environment: VirtualClock().environment(HTTPClient { _ in HTTPClient.Response(status: 200) })),
      sensor: sensor)
  }

  // A second registration raises an Objective-C exception.
  @Test("an identifier is registered with the system once; the tracker that was registered last performs its refreshes")
  func registrations() async throws {
    let folder = try TemporaryFolder()
    let sensors = [ScriptedSensor(), ScriptedSensor()]
    let registry = RefreshRegistry()
    var trackers: [Tracker] = []
    for (number, sensor) in sensors.enumerated() {
      let tracker = try tracker(folder, sensor, "journal\(number)")
      try await tracker.start()
      tracker.startTracking()
      await tracker.caughtUp()
      trackers.append(tracker)
      #expect(registry.register("refresh") { tracker } == (number == 0))
    }
    #expect(registry.register("other") { throw GodwitError(.fileUnavailable, "The phone is locked.") })
    let refresh = Task { await registry.refresh("refresh") }
    // The last tracker requests a position from its sensor.
    while sensors[1].oneShots == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    sensors[1].notify(.fixes([try #require(fix(of: record(60)))]))
    #expect(await refresh.value == .newData)
    #expect(sensors[0].oneShots == 0)
    #expect(await registry.refresh("other") == .failed)
    #expect(await registry.refresh("unknown") == .failed)
    for tracker in trackers { await tracker.stop() }
    #expect(await registry.refresh("refresh") == .failed)
  }

  private func fix(of record: Record) -> Fix? { if case .fix(let fix) = record.kind { fix } else { nil } }
}
