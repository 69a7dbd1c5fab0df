public import CoreLocation
public import Godwit

/// A program that is installed on a simulated phone.
///
///     let app = PhoneApp { launch in
///       let model = LocationViewModel()   // makes its CLLocationManager as on a phone
///       model.start()
///       return model
///     }
public struct PhoneApp: Sendable {
  /// Runs at every launch, on the app's only thread, with nothing in memory but what it reads from its files. Whatever it
  /// returns lives as long as the process.
  public var launch: @Sendable (AppContext) async throws -> (any Sendable)?

  public init(launch: @escaping @Sendable (AppContext) async throws -> (any Sendable)?) { self.launch = launch }
}

/// Why an app was launched.
public enum LaunchReason: String, Sendable, Hashable, Codable {
  /// The person opened it.
  case opened
  case significantChange, visit, region
  /// It ended while a `CLBackgroundActivitySession` kept it in use for live updates.
  case liveUpdates
  /// It was swiped away, and the system brought it back at once.
  case swipedAway
}

/// The events around a running app, besides those of Core Location and Core Motion.
public enum AppEvent: Sendable, Hashable {
  case enteredForeground
  case enteredBackground
  /// The first time after a reboot.
  case unlocked
  /// The network came, went, or became another one.
  case network(isReachable: Bool, isWifi: Bool)
  /// The battery's level, 0…1, and whether it is charging.
  case battery(level: Double, isCharging: Bool)
}

/// What a launched app finds on the phone.
public struct AppContext: Sendable {
  public let reason: LaunchReason
  /// False before the first unlock after a reboot: then nothing may be overwritten.
  public let isUnlocked: Bool
  /// Clock, chance and network of the phone, and the thread of the app.
  public let environment: TrackerEnvironment
  /// The system's location services. Managers that name none are on it anyway.
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

  /// The path of a journal on the phone's disk, which outlives the process. Not a file of the machine that simulates.
  public func journalPath(_ name: String = "journal") -> String { journal(name) }

  /// The app ends by a fault of its own, in the middle of what it does: nothing that it still asks of the phone happens, and what
  /// waits in its line is never done. Return afterwards.
  public func crash() { end() }

  /// Receives what happens, the present state first. A second call replaces the closure of the first.
  public func onEvent(_ tell: @escaping @Sendable (AppEvent) -> Void) { hear(tell) }

  /// Waits for the first unlock after a reboot, before which files can neither be read nor written. Returns at once where that was long
  /// ago. Replaces the closure that was given to ``onEvent(_:)``.
  /// - Throws: `CancellationError` when the process ends before; the caller must then stop, as its process no longer exists.
  public func waitForUnlock() async throws {
    guard !isUnlocked else { return }
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    onEvent { if $0 == .unlocked { continuation.finish() } }
    for await _ in stream {}
    try Task.checkCancellation()
  }

  /// Runs when the process has been killed: whatever the app still does must change nothing on the phone any more.
  func whenKilled(_ body: @escaping @Sendable () -> Void) { onKill(body) }
}
