public import Foundation
public import Godwit

/// The services of the system that the app uses. A test replaces them.
///
///     var services = AppServices(journalPath: journal.path, files: .folder(folder), credentials: .keychain)
///     services.environment.client = uploads.client
///     let model = AppModel(services: services, sensor: LocationSensor(manager: CLLocationManager()))
public struct AppServices: Sendable {
  /// The path of the journal, in a folder that the system does not empty.
  public var journalPath: String
  /// The app's small files.
  public var files: AppFiles
  public var credentials: CredentialStore
  /// Clock, random source and network.
  public var environment = TrackerEnvironment.live()
  /// Whether the phone was unlocked since it started.
  public var protectedData = Tracker.ProtectedData.live()
  /// Shows notifications; `nil`: none are shown.
  public var notifier: (any Notifier)?
  /// The identifier of the device, sent only if the settings include it.
  public var uniqueID: String?
  /// Codes of the user's languages, the preferred one first: "de-AT".
  public var languages = ["en"]
  /// The time zone of the device, which changes while the app runs.
  public var timeZone = TimeZone.autoupdatingCurrent
  public var permissions = AppPermissions.granted()
  /// Opens this app's page in the system's settings.
  public var openSystemSettings: @MainActor @Sendable () -> Void = {}
  /// The name of the wifi network of the device; `nil`: none, or not accessible.
  public var wifiName: @Sendable () -> String? = { nil }
  /// Connects each opened tracker to the system: life cycle, battery, network, responses to notifications.
  public var trackerOpened: @Sendable (Tracker) async -> Void = { _ in }
  /// Changes the configuration of a tracker before it is opened.
  public var configure: @Sendable (inout Tracker.Configuration) -> Void = { _ in }
  /// Passes the snapshot to the widget and the watch.
  public var publish: @Sendable (WidgetSnapshot) -> Void = { _ in }

  /// Performs a step of the Live Activity of a trip. Called in order: each step must wait for the previous one.
  public var showActivity: @MainActor @Sendable (TripActivity.Step) -> Void = { _ in }
  /// Returns the content of a Live Activity of an earlier launch; `nil`: there is none.
  public var shownActivity: @MainActor @Sendable () -> TripActivity.Content? = { nil }

  public init(journalPath: String, files: AppFiles, credentials: CredentialStore) {
    self.journalPath = journalPath
    self.files = files
    self.credentials = credentials
  }
}
