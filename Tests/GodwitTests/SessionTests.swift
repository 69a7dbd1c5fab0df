import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import Testing

@testable import Godwit

@Suite("The Core Location sessions of a tracker", .timeLimit(.minutes(20)))
struct SessionTests {
  /// A permission with settings, and whether a session for background use is held.
  struct Row: Sendable, CustomTestStringConvertible {
    var granted: Authorization
    var wanted = WantedAuthorization.always
    var showsIndicator = false
    var isOnTrip = false
    var updatesInBackground = true
    var staysInUse: Bool
    var testDescription: String { "\(granted) \(wanted) \(showsIndicator) \(isOnTrip) \(updatesInBackground)" }
  }

  @Test(
    "while tracking is on a service session is held, and one for background use if needed or configured",
    arguments: [
      Row(granted: .notDetermined, staysInUse: false), Row(granted: .notDetermined, wanted: .whenInUse, staysInUse: false),
      Row(granted: .whenInUse, staysInUse: true), Row(granted: .whenInUse, wanted: .whenInUse, staysInUse: true),
      Row(granted: .whenInUse, updatesInBackground: false, staysInUse: false),
      Row(granted: .always, staysInUse: false), Row(granted: .always, wanted: .whenInUse, staysInUse: false),
      Row(granted: .always, showsIndicator: true, staysInUse: true),
      // During a trip the settings of trips apply.
      Row(granted: .always, isOnTrip: true, staysInUse: true),
      Row(granted: .always, isOnTrip: true, updatesInBackground: false, staysInUse: false),
      Row(granted: .denied, showsIndicator: true, staysInUse: false), Row(granted: .restricted, staysInUse: false),
    ])
  func table(row: Row) {
    var settings = Settings()
    settings.authorization = row.wanted
    settings.main.showsBackgroundIndicator = row.showsIndicator
    var engine = Engine(settings: settings, endpoints: [])
    func request() -> SessionRequest? { SessionRequest(of: engine, updatesInBackground: row.updatesInBackground) }
    _ = engine.handle(.authorizationChanged(row.granted), at: start)
    #expect(request() == nil)
    _ = engine.handle(row.isOnTrip ? .startTrip(nil) : .start, at: start)
    #expect(request() == SessionRequest(authorization: row.wanted, staysInUse: row.staysInUse))
    _ = engine.handle(row.isOnTrip ? .stopTrip : .stop, at: start + 60)
    #expect(request() == nil)
  }

  private func tracker(_ path: String, _ sensor: ScriptedSensor) throws -> Tracker {
    var settings = Settings()
    settings.authorization = .whenInUse
    return try Tracker(
      configuration: Tracker.Configuration(
        journalPath: path, endpoints: [], settings: settings,
        environment: VirtualClock().environment(HTTPClient { _ in HTTPClient.Response(status: 200) })),
      sensor: sensor)
  }

  @Test(
    "sessions are requested when tracking begins, when the app is opened and at the next launch, and end with tracking or the tracker"
  )
  func life() async throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appendingPathComponent("journal").path
    let needed = SessionRequest(authorization: .whenInUse, staysInUse: true)
    var sensor = ScriptedSensor(authorization: .whenInUse)
    var running = try tracker(path, sensor)
    try await running.start()
    running.becameActive()
    await running.caughtUp()
    #expect(sensor.held == [])
    running.startTracking()
    await running.caughtUp()
    running.sendNow()
    await running.caughtUp()
    #expect(sensor.held == [needed])
    running.becameActive()
    await running.caughtUp()
    #expect(sensor.held == [needed, needed])
    await running.stop()
    #expect(sensor.held == [needed, needed, nil])

    // At the launch the service session is requested first, and then the sessions that the permission needs.
    sensor = ScriptedSensor(authorization: .whenInUse)
    running = try tracker(path, sensor)
    try await running.start()
    await running.caughtUp()
    #expect(sensor.held == [SessionRequest(authorization: .whenInUse), needed])
    running.stopTracking()
    await running.caughtUp()
    #expect(sensor.held.last == .some(nil) && sensor.held.count == 3)
    await running.stop()
  }
}
