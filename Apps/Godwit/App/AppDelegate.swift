import AppIntents
import CoreLocation
import CoreMotion
import Foundation
import Godwit
import GodwitApp
import UIKit

/// Makes the app's model at the launch, also where the system launches the app in the background, and hands the system's events over.
final class AppDelegate: NSObject, UIApplicationDelegate {
  private let system = PhoneSystem()
  private(set) lazy var model = AppModel(
    services: system.services(), sensor: LocationSensor(manager: CLLocationManager(), motion: CMMotionActivityManager()))

  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    // Made at the launch itself: what the system launched the app for is delivered to a manager that is there.
    let model = model
    AppDependencyManager.shared.add(dependency: model)
    system.watch.start { message in
      await model.ready()
      return model.feed.reply(to: message)
    }
    // It throws if Info.plist lacks the identifier, which scripts/check-app looks for.
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
