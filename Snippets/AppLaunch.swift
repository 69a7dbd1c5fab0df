// The program in Documentation/Apple.md: everything that an app creates when it is launched. It is compiled with every build, and
// for iOS against the stubs of scripts/check-apple.
import CoreLocation
import Foundation
import Godwit

// snippet.hide
#if canImport(UIKit)
  import CoreMotion
  import Observation
  import SwiftUI
  import UIKit
#endif
// snippet.show
/// What the app records and where it sends it.
func trackerConfiguration(
  in folder: URL, notifier: (any Notifier)? = nil, environment: TrackerEnvironment = .live()
) throws -> Tracker.Configuration {
  var settings = Settings()
  settings.apply(.adaptive)
  settings.fields = .standard  // no networks, no advertising identifier
  settings.notifies = notifier != nil
  let server = try Endpoint(
    name: "my-server", address: "https://my.example/api/openlocate", headers: ["Authorization": "Bearer …"],
    format: "openlocate")
  var configuration = Tracker.Configuration(
    journalPath: folder.appendingPathComponent("godwit.journal").path, endpoints: [server], settings: settings,
    environment: environment)
  configuration.notifier = notifier
  return configuration
}
// snippet.hide
#if canImport(UIKit)
  // snippet.show
  struct ExampleApp: App {
    @UIApplicationDelegateAdaptor private var delegate: AppDelegate

    var body: some Scene {
      WindowGroup {
        VStack {
          Text(delegate.state.problem ?? "Tracking is ready.")
          Button("Start tracking") { delegate.state.tracker?.startTracking() }
        }
      }
    }
  }

  /// What the screen shows.
  @MainActor @Observable
  final class AppState {
    var tracker: Tracker?
    var problem: String?
  }

  final class AppDelegate: NSObject, UIApplicationDelegate {
    let state = AppState()
    private let notifications = NotificationCentre()
    private let uploads = BackgroundSession(identifier: "com.example.app.uploads")
    private var connected: [Any] = []

    func application(
      _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
      // Created during the launch: the system delivers the event for which it launched the app only to an existing manager.
      let sensor = LocationSensor(manager: CLLocationManager(), motion: CMMotionActivityManager())
      let opening = Task { [notifications, uploads] in
        var environment = TrackerEnvironment.live()
        environment.client = uploads.client
        // Waits for the first unlock of the phone: no file can be read before it.
        return try await Tracker.open(
          configuration: trackerConfiguration(
            in: URL.applicationSupportDirectory, notifier: notifications, environment: environment), sensor: sensor)
      }
      do {
        try BackgroundRefresh.register(identifier: "com.example.app.refresh") { try await opening.value }
        BackgroundRefresh.schedule(identifier: "com.example.app.refresh")
      } catch { state.problem = "\(error)" }
      Task {
        do {
          let tracker = try await opening.value
          notifications.connect(tracker)  // "End the trip?" can be answered
          connected = [
            ApplicationLifeCycle(tracker: tracker),  // opened, in the background, about to end
            DeviceWatch(tracker: tracker),  // battery, network, wifi zone, model and system
          ]
          state.tracker = tracker
          try await tracker.start()
        } catch { state.problem = "\(error)" }
      }
      return true
    }

    func application(
      _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
      completionHandler: @escaping () -> Void
    ) { uploads.handleEvents(completionHandler) }
  }
// snippet.hide
#endif
let folder = FileManager.default.temporaryDirectory
let tracker = try await Tracker.open(
  configuration: trackerConfiguration(in: folder), sensor: LocationSensor(manager: CLLocationManager()))

/// Carries out the steps for a trip's activity, of a tracker in an app.
func showTrips(
  of tracker: Tracker, shown: TripActivity.Content?, isInForeground: @MainActor () -> Bool,
  perform: (TripActivity.Step) async -> Void
) async {
  var activity = TripActivity(shown: shown)
  for await status in tracker.statuses {
    while let step = activity.step(status, isInForeground: await isInForeground(), at: .now) { await perform(step) }
  }
}
