public import Foundation
public import Godwit
public import Observation

/// The app without its views: the tracker of the process and the models of the screens.
///
///     let model = AppModel(services: services, sensor: LocationSensor(manager: CLLocationManager()))
///
/// Create it on the main thread at every launch, also when the system launches the app in the background: the tracker is opened and runs
/// without any screen.
@MainActor @Observable
public final class AppModel {
  public let tracker: TrackerModel
  public let trip: TripModel
  public let settings: SettingsModel
  public let tripSettings: SettingsModel
  public let servers: ServersModel
  public let pairing: PairingModel
  public let onboarding: OnboardingModel
  public let regions: RegionsModel
  public let wifiZones: WifiZonesModel
  public let coverage: CoverageModel
  public let map: MapModel
  public let about: AboutModel
  /// The actions of App Intents.
  public let actions: AppActions
  /// Updates the widget and the watch.
  public let feed: SnapshotFeed
  /// Updates the Live Activity of a trip.
  public let activity: ActivityFeed
  public let texts: AppTexts
  let state: AppState
  private let host: TrackerHost
  @ObservationIgnored private var readyWaiters: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - services: the services of the system that the app uses.
  ///   - sensor: the sensor, created on the main thread at the launch.
  public init(services: AppServices, sensor: any Sensor) {
    let host = TrackerHost(services: services, sensor: sensor)
    let state = AppState(host)
    self.host = host
    self.state = state
    texts = state.texts
    tracker = TrackerModel(state)
    let trip = TripModel(state)
    let actions = AppActions(state, trip)
    self.trip = trip
    self.actions = actions
    feed = SnapshotFeed(state, trip, actions)
    activity = ActivityFeed(state)
    regions = RegionsModel(state)
    wifiZones = WifiZonesModel(state)
    coverage = CoverageModel(state)
    map = MapModel(state)
    about = AboutModel(state)
    settings = SettingsModel(state, .main)
    tripSettings = SettingsModel(state, .trip)
    servers = ServersModel(state)
    let pairing = PairingModel(state)
    self.pairing = pairing
    onboarding = OnboardingModel(state, pairing)
    host.launch { [weak self] in Task { @MainActor in self?.refresh() } }
  }

  // MARK: Phase

  /// Whether the tracker is being opened.
  public var isOpening: Bool { state.phase == .opening }
  /// Whether the phone has not been unlocked since it started. Then no file can be read, and no screen is visible.
  public var isWaitingForUnlock: Bool { state.phase == .waitingForUnlock }
  /// Whether the tracker could not be opened, or has failed.
  public var hasFailed: Bool { failureText != nil }
  /// The reason of the failure, as a sentence; `nil`: the tracker has not failed.
  public var failureText: String? { if case .failed(let text) = state.phase { text } else { nil } }
  public var failureTitle: String { texts(.failedTitle) }
  public var retryLabel: String { texts(.tryAgain) }
  /// Whether the onboarding is shown.
  public var showsOnboarding: Bool { state.phase == .running && onboarding.isNeeded }
  /// Whether the main screens are shown.
  public var showsScreens: Bool { state.phase == .running && !onboarding.isNeeded }
  /// The text that is shown while the tracker is being opened.
  public var openingText: String { isWaitingForUnlock ? texts(.waitingForUnlock) : texts(.opening) }

  /// Opens the tracker again after a failure.
  public func retry() { if hasFailed { state.perform(.retry) } }

  /// Whether the list of servers can be reset: the tracker failed, and no server could be read, so the list is the likely cause.
  public var canResetServers: Bool { hasFailed && state.servers.servers.isEmpty }
  public var resetServersLabel: String { texts(.resetServers) }
  /// Replaces an unreadable list of servers with an empty one, and opens the tracker. The journal keeps waiting records only for servers of
  /// the list.
  public func resetServers() { if canResetServers { state.perform(.servers(ServerList())) } }

  // MARK: Events

  /// Reads the newest values of the tracker. The app calls it after each change; a test calls it between steps of its clock.
  public func refresh() {
    state.refresh()
    onboarding.update()
    map.update()
    feed.update()
    activity.update()
    guard isReady else { return }
    let waiters = readyWaiters
    readyWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  private var isReady: Bool { state.status != nil || state.phase != .opening }

  /// Returns when the tracker is open, could not be opened, or waits for the first unlock. An action that launched the app calls it.
  public func ready() async {
    if !isReady { await withCheckedContinuation { readyWaiters.append($0) } }
  }

  /// Sets the time for which ages and durations are computed. A view calls it once a second while it is visible.
  public func tick(_ now: Date? = nil) { state.tick(now ?? state.services.environment.now()) }

  /// Opens a link with which the system launched the app.
  public func open(link: String) { pairing.opened(link) }

  /// The tracker of the process; `nil`: it is not open. Components of the system use it.
  public nonisolated var openTracker: Tracker? { host.tracker }

  /// Labels of the tabs.
  public var tabs: AppTabs { AppTabs(texts) }
}

/// The labels of the tabs.
public struct AppTabs: Sendable, Hashable {
  public let tracker: String
  public let trip: String
  public let map: String
  public let settings: String
  public let more: String

  init(_ texts: AppTexts) {
    tracker = texts(.tracker)
    trip = texts(.trip)
    map = texts(.map)
    settings = texts(.settings)
    more = texts(.more)
  }
}
