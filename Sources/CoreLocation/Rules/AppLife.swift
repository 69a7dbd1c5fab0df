internal import Foundation
internal import GodwitModel

/// The execution state of an app.
package enum AppState: Sendable, Hashable {
  case foreground
  /// Running, and not visible.
  case background
  /// In memory, and not running.
  case suspended
  /// Ended by itself, by the system or by an update, without a notification.
  case terminated
}

/// A launch of an app in the background by the system: the reason, and how long the app may run.
package struct AppLaunch: Sendable, Hashable {
  package enum Reason: Sendable, Hashable {
    case significantChange, visit, region
    /// The app ended while a session kept it in use for live updates.
    case liveUpdates
    /// The app was swiped away, and the system launches it again at once because it monitors something for it.
    case swipedAway
  }

  package var reason: Reason
  /// The time until which the app runs at least.
  package var until: Date
  /// Whether the files and settings of the app cannot be read yet.
  package var isBeforeFirstUnlock: Bool
}

/// Rule 8: the app's life cycle as the location services see it, and the events that wait for the app.
struct AppLife: Sendable {
  /// An event that wakes or launches the app.
  enum Event: Sendable, Hashable {
    case significantChange(Fix)
    case visit(Visit)
    case crossing(Regions.Crossing)

    var reason: AppLaunch.Reason {
      switch self {
      case .significantChange: .significantChange
      case .visit: .visit
      case .crossing: .region
      }
    }
  }

  /// The maximum number of events or positions that wait for an app. Beyond it the oldest are dropped.
  static let maximumWaiting = 100

  private(set) var state = AppState.foreground
  /// The time until which the app may run in the background without updates; `nil`: the app is not in the background.
  private(set) var runsUntil: Date?
  /// The time at which the app left the foreground; `nil`: it is in the foreground.
  private(set) var leftFront: Date?
  /// Whether the user swiped the app away and has not opened it since.
  private(set) var isSwipedAway = false
  private(set) var isUnlocked: Bool
  /// Whether the system was upgraded and the phone was not restarted since. The system then neither wakes nor launches the app.
  private(set) var isStuck = false
  /// Whether it was reported that the app may be suspended.
  private(set) var isReleased = false
  /// The time at which an app that ended while a session kept it in use is launched again; `nil`: it is not.
  private(set) var relaunchAt: Date?
  /// Whether the app was launched because a session had kept it in use. It then continues as if it had not ended.
  private(set) var continuesUse = false
  /// Events that launched the app, until its new managers request them.
  private var pending: [Event] = []

  init(isUnlocked: Bool = true) { self.isUnlocked = isUnlocked }

  var isRunning: Bool { state == .foreground || state == .background }
  /// Whether the app runs and may not be suspended.
  var isRunningOn: Bool { isRunning && !isReleased }
  var mayBeSuspended: Bool { state == .background && isReleased }

  mutating func enter(_ new: AppState, at now: Date, _ profile: OSProfile) {
    state = new
    isReleased = false
    relaunchAt = nil
    continuesUse = false
    switch new {
    case .foreground:
      (runsUntil, leftFront, isSwipedAway, isUnlocked) = (nil, nil, false, true)
    case .background:
      runsUntil = now.addingTimeInterval(profile.backgroundGrace)
      leftFront = leftFront ?? now
    case .suspended, .terminated:
      runsUntil = nil
      leftFront = leftFront ?? now
    }
  }

  mutating func swipeAway() { isSwipedAway = true }

  mutating func reboot() { (isUnlocked, isStuck, relaunchAt) = (false, false, nil) }

  mutating func upgrade() { isStuck = true }

  mutating func unlock() { isUnlocked = true }

  /// Whether an event can run the app.
  func canRun(_ profile: OSProfile) -> Bool {
    switch state {
    case .foreground, .background: true
    case .suspended: !isStuck
    case .terminated: !isStuck && profile.relaunches && !(isSwipedAway && profile.forceQuit == .never)
    }
  }

  /// Runs the app because of an event.
  /// - Returns: the output that wakes or launches the app, if it does not run.
  mutating func run(for reason: AppLaunch.Reason, at now: Date, _ profile: OSProfile) -> [LocationServices.Output] {
    let until = max(runsUntil ?? now, now.addingTimeInterval(profile.wakeTime))
    let before = state
    guard before != .foreground else { return [] }
    (state, runsUntil, isReleased, relaunchAt) = (.background, until, false, nil)
    if reason == .liveUpdates { continuesUse = true }
    return switch before {
    case .foreground, .background: []
    case .suspended: [.wakeApp(until: until)]
    case .terminated: [.launchApp(AppLaunch(reason: reason, until: until, isBeforeFirstUnlock: !isUnlocked))]
    }
  }

  // MARK: Time

  /// Returns the time at which the app may be suspended, if nothing else happens; `nil`: none.
  /// - Parameter isKept: whether updates keep it running.
  func releaseTime(isKept: Bool) -> Date? { state == .background && !isReleased && !isKept ? runsUntil : nil }

  /// Checks whether the app may be suspended.
  /// - Parameter isKept: whether updates keep it running.
  /// - Returns: whether it may be suspended from now on.
  mutating func release(isKept: Bool, at now: Date) -> Bool {
    if isKept { isReleased = false }
    guard let time = releaseTime(isKept: isKept), time <= now else { return false }
    isReleased = true
    return true
  }

  /// Schedules the launch of an app that ended while a session kept it in use.
  mutating func planRelaunch(at time: Date) { relaunchAt = time }

  /// Cancels that launch, because the user ended the app.
  mutating func cancelRelaunch() { relaunchAt = nil }

  /// Returns whether the scheduled launch is due, and removes it.
  mutating func takeRelaunch(at now: Date) -> Bool {
    guard let time = relaunchAt, time <= now else { return false }
    relaunchAt = nil
    return true
  }

  // MARK: Waiting events

  mutating func enqueue(_ event: Event) {
    pending.append(event)
    if pending.count > Self.maximumWaiting { pending.removeFirst() }
  }

  /// Removes and returns the waiting significant changes, when a client has requested them.
  mutating func popPendingChanges() -> [Fix] { popPending { if case .significantChange(let fix) = $0 { fix } else { nil } } }

  mutating func popPendingVisits() -> [Visit] { popPending { if case .visit(let visit) = $0 { visit } else { nil } } }

  /// Removes and returns the waiting crossings of some regions.
  mutating func popPendingCrossings(where isMeant: (Regions.Region) -> Bool) -> [Regions.Crossing] {
    popPending { if case .crossing(let crossing) = $0, isMeant(crossing.region) { crossing } else { nil } }
  }

  /// Discards the waiting events, which the app is no longer allowed to receive.
  mutating func discardPending() { pending = [] }

  private mutating func popPending<Value>(_ value: (Event) -> Value?) -> [Value] {
    defer { pending.removeAll { value($0) != nil } }
    return pending.compactMap(value)
  }
}
