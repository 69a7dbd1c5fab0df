internal import Foundation
internal import GodwitModel

/// Where an app is in its life.
package enum AppState: Sendable, Hashable {
  case foreground
  /// Running, and not seen.
  case background
  /// In memory, and not running.
  case suspended
  /// Ended by itself, by the system or by an update: without a call.
  case terminated
}

/// Why and how long the system runs an app that was not running.
package struct AppLaunch: Sendable, Hashable {
  package enum Reason: Sendable, Hashable {
    case significantChange, visit, region
    /// It ended while a session kept it in use for live updates.
    case liveUpdates
    /// It was swiped away, and what was watched brings it back at once.
    case swipedAway
  }

  package var reason: Reason
  /// Until when the app can count on running.
  package var until: Date
  /// Whether the files and settings of the app cannot be read yet.
  package var isBeforeFirstUnlock: Bool
}

/// Rule 8: the app's life as the location services know it, and the events that wait for the app.
struct AppLife: Sendable {
  /// Something that wakes or launches the app.
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

  /// Events and positions that wait for an app at most; the oldest are lost.
  static let maximumWaiting = 100

  private(set) var state = AppState.foreground
  /// Until when the app runs in the background whatever it does.
  private(set) var runsUntil: Date?
  /// Since when the app is not in front.
  private(set) var leftFront: Date?
  /// Until the person opens it again.
  private(set) var isSwipedAway = false
  private(set) var isUnlocked: Bool
  /// A new version of the system came, and the phone was not started again since: nothing wakes or launches the app.
  private(set) var isStuck = false
  /// Whether it has been reported that the app may be suspended.
  private(set) var isReleased = false
  /// When an app that ended while a session kept it in use is launched again.
  private(set) var relaunchAt: Date?
  /// It was launched because a session had kept it in use, and may go on as if it had never ended.
  private(set) var continuesUse = false
  /// Events that launched the app, until its new managers ask for them.
  private var pending: [Event] = []

  init(isUnlocked: Bool = true) { self.isUnlocked = isUnlocked }

  var isRunning: Bool { state == .foreground || state == .background }
  /// Whether the app runs and can count on going on.
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

  /// Whether an event can make an app run that does not.
  func canRun(_ profile: OSProfile) -> Bool {
    switch state {
    case .foreground, .background: true
    case .suspended: !isStuck
    case .terminated: !isStuck && profile.relaunches && !(isSwipedAway && profile.forceQuit == .never)
    }
  }

  /// Makes the app run because of an event.
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

  /// When the app may be suspended, unless something else happens.
  /// - Parameter isKept: whether updates keep it running.
  func releaseTime(isKept: Bool) -> Date? { state == .background && !isReleased && !isKept ? runsUntil : nil }

  /// - Parameter isKept: whether updates keep it running.
  /// - Returns: whether it may be suspended from now on.
  mutating func release(isKept: Bool, at now: Date) -> Bool {
    if isKept { isReleased = false }
    guard let time = releaseTime(isKept: isKept), time <= now else { return false }
    isReleased = true
    return true
  }

  /// The app ended while a session kept it in use.
  mutating func planRelaunch(at time: Date) { relaunchAt = time }

  /// The person wants the app to have ended.
  mutating func cancelRelaunch() { relaunchAt = nil }

  /// Whether the app is to be launched again now because a session had kept it in use.
  mutating func takeRelaunch(at now: Date) -> Bool {
    guard let time = relaunchAt, time <= now else { return false }
    relaunchAt = nil
    return true
  }

  // MARK: Events that wait

  mutating func enqueue(_ event: Event) {
    pending.append(event)
    if pending.count > Self.maximumWaiting { pending.removeFirst() }
  }

  /// Takes out the significant changes, which a client has now requested.
  mutating func popPendingChanges() -> [Fix] { popPending { if case .significantChange(let fix) = $0 { fix } else { nil } } }

  mutating func popPendingVisits() -> [Visit] { popPending { if case .visit(let visit) = $0 { visit } else { nil } } }

  /// Takes out the crossings of some regions.
  mutating func popPendingCrossings(where isMeant: (Regions.Region) -> Bool) -> [Regions.Crossing] {
    popPending { if case .crossing(let crossing) = $0, isMeant(crossing.region) { crossing } else { nil } }
  }

  /// What waits is more than the app may know now.
  mutating func discardPending() { pending = [] }

  private mutating func popPending<Value>(_ value: (Event) -> Value?) -> [Value] {
    defer { pending.removeAll { value($0) != nil } }
    return pending.compactMap(value)
  }
}
