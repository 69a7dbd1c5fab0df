public import CoreLocation
public import Godwit

/// A program that is installed on a simulated phone.
///
///     let app = PhoneApp { launch in
///       let model = LocationViewModel()   // creates its CLLocationManager as on a phone
///       model.start()
///       return model
///     }
public struct PhoneApp: Sendable {
  /// Runs at every launch, on the app's only thread. The memory of earlier launches is lost; only files remain. The returned
  /// object is retained as long as the process runs.
  public var launch: @Sendable (AppContext) async throws -> (any Sendable)?

  public init(launch: @escaping @Sendable (AppContext) async throws -> (any Sendable)?) { self.launch = launch }
}

/// The reason why an app was launched.
public enum LaunchReason: String, Sendable, Hashable, Codable {
  /// The user opened the app.
  case opened
  case significantChange, visit, region
  /// The app had ended while a `CLBackgroundActivitySession` kept it in use for live updates.
  case liveUpdates
  /// The app was swiped away, and the system launched it again at once.
  case swipedAway
}

/// The events around a running app, besides those of Core Location and Core Motion.
public enum AppEvent: Sendable, Hashable {
  case enteredForeground
  case enteredBackground
  /// The phone was unlocked for the first time after a reboot.
  case unlocked
  /// The network became reachable or unreachable, or its kind changed.
  case network(isReachable: Bool, isWifi: Bool)
  /// The battery's level, 0…1, and whether it is charging.
  case battery(level: Double, isCharging: Bool)
}

/// The interface of the phone for a launched app.
public struct AppContext: Sendable {
  public let reason: LaunchReason
  /// False before the first unlock after a reboot. Then no file may be overwritten.
  public let isUnlocked: Bool
  /// The clock, the random source and the network of the phone, and the executor of the app.
  public let environment: TrackerEnvironment
  /// The system's location services. A manager that names no daemon uses them too.
  public let daemon: LocationDaemon
  private let journal: @Sendable (String) -> String
  private let onKill: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let end: @Sendable () -> Void
  private let hear: @Sendable (@escaping @Sendable (AppEvent) -> Void) -> Void

  init(
    reason: LaunchReason, isUnlocked: Bool, environment: TrackerEnvironment, daemon: LocationDaemon,
    journalPath: @escaping @Sendable (String) -> String, whenKilled: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    crash: @escaping @Sendable () -> Void,
    hear: @escaping @Sendable (@escaping @Sendable (AppEvent) -> Void) -> Void
  ) {
    self.reason = reason
    self.isUnlocked = isUnlocked
    self.environment = environment
    self.daemon = daemon
    journal = journalPath
    onKill = whenKilled
    end = crash
    self.hear = hear
  }

  /// Returns the path of a journal on the phone's simulated disk, which outlives the process. It is not a file of the machine
  /// that runs the simulation.
  public func journalPath(_ name: String = "journal") -> String { journal(name) }

  /// Crashes the app at once: later requests to the phone have no effect, and queued work of the app is not performed. The
  /// caller must return afterwards.
  public func crash() { end() }

  /// Calls a closure with the current state and with each later event. A second call replaces the closure of the first.
  public func onEvent(_ tell: @escaping @Sendable (AppEvent) -> Void) { hear(tell) }

  /// Waits for the first unlock after a reboot, before which files can neither be read nor written. It returns at once if the app
  /// was launched after the first unlock. It replaces the closure that was passed to ``onEvent(_:)``.
  /// - Throws: `CancellationError` if the process ends before. The caller must then return, because its process no longer exists.
  public func waitForUnlock() async throws {
    guard !isUnlocked else { return }
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    onEvent { if $0 == .unlocked { continuation.finish() } }
    for await _ in stream {}
    try Task.checkCancellation()
  }

  /// Runs a closure when the process has been killed. Afterwards the app must not change the phone any more.
  func whenKilled(_ body: @escaping @Sendable () -> Void) { onKill(body) }
}
