// The program of Documentation/Apple.md: all that an app makes when it is launched. It compiles with every build.
import CoreLocation
import CoreMotion
import Foundation
import Godwit

// snippet.hide
let folder = FileManager.default.temporaryDirectory
// snippet.show
/// Makes the tracker. Call it on the main thread in `application(_:didFinishLaunchingWithOptions:)`, and keep the tracker.
@MainActor
func makeTracker(in folder: URL, notifier: (any Notifier)? = nil, network: HTTPClient = .live()) throws -> Tracker {
  var settings = Settings()
  settings.apply(.adaptive)
  settings.fields = .standard  // no networks, no advertising identifier
  settings.notifies = notifier != nil
  let server = try Endpoint(
    name: "my-server", address: "https://my.example/api/openlocate", headers: ["Authorization": "Bearer …"],
    format: "openlocate")
  var configuration = Tracker.Configuration(
    journalPath: folder.appendingPathComponent("godwit.journal").path, endpoints: [server], settings: settings)
  configuration.notifier = notifier
  configuration.environment.client = network
  let tracker = try Tracker(
    configuration: configuration,
    sensor: LocationSensor(manager: CLLocationManager(), motion: CMMotionActivityManager()))
  Task { try await tracker.run() }
  return tracker
}
// snippet.hide
_ = try makeTracker(in: folder)
