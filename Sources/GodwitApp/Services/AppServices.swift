public import Foundation
public import Godwit

/// What the app needs of the system, as values that a test replaces.
///
///     var services = AppServices(journalPath: journal.path, files: .folder(folder), credentials: .keychain)
///     services.environment.client = uploads.client
///     let model = AppModel(services: services, sensor: LocationSensor(manager: CLLocationManager()))
public struct AppServices: Sendable {
  /// The journal's file, in a folder that the system does not empty.
  public var journalPath: String
  /// The app's small files.
  public var files: AppFiles
  public var credentials: CredentialStore
  /// Clock, chance and network.
  public var environment = TrackerEnvironment.live()
  /// Whether the phone was unlocked since it was started.
  public var protectedData = Tracker.ProtectedData.live()
  /// Shows notices; `nil`: none are shown.
  public var notifier: (any Notifier)?
  /// The device's own identifier, sent only if the settings include it.
  public var uniqueID: String?
  /// Codes of the person's languages, the preferred one first: "de-AT".
  public var languages = ["en"]
  public var timeZone = TimeZone.current
  public var permissions = AppPermissions.granted()
  /// Opens this app's page of the system's settings.
  public var openSystemSettings: @MainActor @Sendable () -> Void = {}
  /// The name of the wifi network that the device is in; `nil`: none, or it may not be known.
  public var wifiName: @Sendable () -> String? = { nil }
  /// Connects the rest of the system to each tracker that is opened: life cycle, battery, network, answers to notices.
  public var trackerOpened: @Sendable (Tracker) async -> Void = { _ in }
  /// Changes the configuration of a tracker before it is opened.
  public var configure: @Sendable (inout Tracker.Configuration) -> Void = { _ in }
  /// Gives widget and watch what they show.
  public var publish: @Sendable (WidgetSnapshot) -> Void = { _ in }

  /// Carries out a step of the Live Activity of a trip. Called in order: a step waits until the one before is done.
  public var showActivity: @MainActor @Sendable (TripActivity.Step) -> Void = { _ in }
  /// What a Live Activity of an earlier launch shows; `nil`: there is none.
  public var shownActivity: @MainActor @Sendable () -> TripActivity.Content? = { nil }

  public init(journalPath: String, files: AppFiles, credentials: CredentialStore) {
    self.journalPath = journalPath
    self.files = files
    self.credentials = credentials
  }
}
