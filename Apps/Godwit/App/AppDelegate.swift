import AppIntents
import CoreLocation
import CoreMotion
import Foundation
import Godwit
import GodwitApp
import UIKit

/// Creates the app's model at each launch, including launches in the background, and passes the system's events to it.
final class AppDelegate: NSObject, UIApplicationDelegate {
  private let system = PhoneSystem()
  private(set) lazy var model = AppModel(
    services: system.services(), sensor: LocationSensor(manager: CLLocationManager(), motion: CMMotionActivityManager()))

  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    // Created during the launch: the system delivers the event for which it launched the app only to an existing manager.
    let model = model
    AppDependencyManager.shared.add(dependency: model)
    system.watch.start { message in
      await model.ready()
      return model.feed.reply(to: message)
    }
    // It throws if Info.plist lacks the identifier, which scripts/check-app checks.
    try? BackgroundRefresh.register(identifier: PhoneSystem.refreshTask) {
      await model.ready()
      guard let tracker = model.openTracker else { throw CancellationError() }
      return tracker
    }
    BackgroundRefresh.schedule(identifier: PhoneSystem.refreshTask)
    return true
  }

  func application(
    _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping () -> Void
  ) { system.uploads.handleEvents(completionHandler) }
}
