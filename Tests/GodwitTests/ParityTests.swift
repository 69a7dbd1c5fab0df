import CoreLocation
import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import GodwitWire
import Synchronization
import Testing

@testable import Godwit

/// Tests the rows of Documentation/Parity.md that no other test covers.
@Suite("Parity with Overland", .timeLimit(.minutes(20)))
struct ParityTests {
  #if os(Linux)
    /// A source without positions.
    private struct NoSource: PositionSource {
      var isSimulated: Bool { true }
      func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {}
    }

    @Test(
      "the sensor passes every setting to the location manager: background, indicator, pause, activity, accuracy, filter",
      arguments: [true, false])
    func settings(_ isOn: Bool) {
      let daemon = LocationDaemon(source: NoSource(), authorization: .authorizedAlways)
      let manager = CLLocationManager(daemon: daemon, queue: DispatchQueue(label: "test"))
      let sensor = LocationSensor(manager: manager, allowsBackground: isOn)
      var settings = LocationSettings()
      settings.trackingMode = .standard
      settings.showsBackgroundIndicator = isOn
      settings.pausesAutomatically = isOn
      settings.activityType = isOn ? .fitness : .automotive
      settings.desiredAccuracy = isOn ? .best : .kilometer
      var request = LocationRequest(settings)
      request.distanceFilter = isOn ? 25 : nil
      sensor.configure(request)
      #expect(manager.allowsBackgroundLocationUpdates == isOn && sensor.updatesInBackground == isOn)
      #expect(manager.showsBackgroundLocationIndicator == isOn)
      #expect(manager.pausesLocationUpdatesAutomatically == isOn)
      #expect(manager.activityType == (isOn ? .fitness : .automotiveNavigation))
      #expect(manager.desiredAccuracy == (isOn ? kCLLocationAccuracyBest : kCLLocationAccuracyKilometer))
      #expect(manager.distanceFilter == (isOn ? 25 : kCLDistanceFilterNone))
    }

    /// Records the calls, and has no receiver.
    ///
    /// `@unchecked Sendable`: only the thread of the test calls it.
    private final class CountingManager: CLLocationManager, @unchecked Sendable {
      private(set) var calls: [String] = []
      override func requestLocation() { calls.append("request") }
      override func startUpdatingLocation() { calls.append("start") }
      override func stopUpdatingLocation() { calls.append("stop") }
    }

    @Test("a change of the tracking mode does not cancel a request for one position")
    func oneShot() {
      let daemon = LocationDaemon(source: NoSource(), authorization: .authorizedAlways)
      let manager = CountingManager(daemon: daemon, queue: DispatchQueue(label: "test"))
      let sensor = LocationSensor(manager: manager)
      var settings = LocationSettings()
      settings.trackingMode = .significant
      let rough = LocationRequest(settings)
      settings.trackingMode = .standard
      let exact = LocationRequest(settings)
      sensor.requestLocation()
      sensor.configure(rough)
      #expect(manager.calls == ["request"])
      sensor.configure(exact)
      sensor.configure(nil)
      #expect(manager.calls == ["request", "start", "stop", "request"])
      sensor.locationManager(manager, didUpdateLocations: [])
      sensor.configure(exact)
      sensor.configure(rough)
      #expect(manager.calls.suffix(2) == ["start", "stop"])
    }
  #endif

  @Test("requests have 200 locations unless configured otherwise, and the server's name of the place is shown")
  func batchesAndPlace() async throws {
    let folder = try TemporaryFolder()
    let clock = VirtualClock()
    let sizes = Mutex<[Int]>([])
    let client = HTTPClient { request in
      #expect(request.method == "POST" && request.headers["Content-Type"]?.contains("json") == true)
      let body = try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
      let locations = try #require(body?["locations"] as? [[String: Any]])
      #expect(locations.allSatisfy { $0["type"] as? String == "Feature" })
      sizes.withLock { $0.append(locations.count) }
      return HTTPClient.Response(
        status: 200, body: Array(#"{"result":"ok","geocode":{"full_name":"Koper, Slovenia"}}"#.utf8))
    }
    let url = try #require(URL(string: "http://127.0.0.1:9/api/overland"))
    let sensor = ScriptedSensor()
    let tracker = try Tracker(
      configuration: Tracker.Configuration(
        journalPath: folder.journal, endpoints: [Endpoint(id: EndpointID("home"), url: url, token: "t")],
        environment: clock.environment(client)), sensor: sensor)
    let running = Task { try await tracker.run() }
    await tracker.caughtUp()
    tracker.startTracking()
    await tracker.caughtUp()
    for second in 0..<450 { if case .fix(let fix) = record(Double(second)).kind { sensor.notify(.fixes([fix])) } }
    await tracker.caughtUp()
    tracker.sendNow()
    await tracker.caughtUp()
    await tracker.untilSent()
    #expect(sizes.withLock { $0 }.prefix(2) == [200, 200])
    #expect(await tracker.status.placeName == "Koper, Slovenia")
    running.cancel()
    _ = await running.result
  }
}
