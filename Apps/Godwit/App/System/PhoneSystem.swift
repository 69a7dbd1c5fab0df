import Foundation
import Godwit
import GodwitApp
import UIKit

/// The services of iOS that the app uses, created once at launch: background uploads, notifications, the keychain, the app's files.
@MainActor
final class PhoneSystem {
  /// The bundle identifier from Info.plist, which is the prefix of the identifiers below.
  nonisolated private static let bundle = Bundle.main.bundleIdentifier ?? "godwit"
  /// The task of background refresh, as Info.plist names it.
  nonisolated static let refreshTask = "\(bundle).refresh"

  let uploads = BackgroundSession(identifier: "\(bundle).uploads")
  let notifications = NotificationCentre()
  let watch = WatchLink()
  private let companions: Companions
  private let activities = TripActivities()
  private let wifi = WifiName()
  private var connected: [Any] = []

  init() {
    companions = Companions(watch: watch)
  }

  /// The services of the app's model.
  func services() -> AppServices {
    let folder = URL.applicationSupportDirectory
    var services = AppServices(
      journalPath: folder.appendingPathComponent("godwit.journal").path, files: .folder(folder),
      credentials: .keychain(service: Self.bundle))
    services.environment.client = uploads.client
    services.notifier = notifications
    services.uniqueID = UIDevice.current.identifierForVendor?.uuidString
    services.languages = Locale.preferredLanguages
    services.permissions = .phone(notifications)
    services.openSystemSettings = {
      if let page = URL(string: UIApplication.openSettingsURLString) { UIApplication.shared.open(page) }
    }
    services.wifiName = { [wifi] in wifi.last() }
    services.publish = { [companions] snapshot in companions.publish(snapshot) }
    services.showActivity = { [activities] step in activities.perform(step) }
    services.shownActivity = { TripActivities.shown }
    services.trackerOpened = { [weak self] tracker in await self?.connect(tracker) }
    return services
  }

  /// Connects a tracker to the app's life cycle and the device's state, in place of the previous tracker.
  private func connect(_ tracker: Tracker) async {
    let fields = await tracker.settings.fields
    notifications.connect(tracker)  // "End the trip?" can be answered
    connected = [
      ApplicationLifeCycle(tracker: tracker),  // opened, in the background, about to end
      DeviceWatch(tracker: tracker, fields: fields),  // battery, network, wifi zone, model and system
    ]
  }
}
