/// What a phone's system does to apps while the phone is at rest.
public enum RestRules: String, Sendable, Hashable, Codable, CaseIterable {
  /// Apple's: location services measure as long as an app asks them to, and only apps that ask for nothing are suspended.
  case apple
  /// Android's Doze: see ``DozeSchedule``.
  case doze
}

/// Android's Doze: when a phone that is not used and does not move becomes idle, and when apps may work in between.
///
/// The states and their times are those of `DeviceIdleController` in the Android Open Source Project (`frameworks/base` at the
/// time of Android 7): a phone with its screen off and without a charger is inactive, then the system waits for motion, senses
/// that the phone lies still, and is idle, with windows for maintenance that become rarer. An idle time ends earlier by chance:
/// `AlarmManagerService.fuzzForDuration`.
///
/// It is a state machine without a clock: report what happens, and call ``advance(to:)`` at ``phaseEnd``.
public struct DozeSchedule: Sendable {
  /// What the system does.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// The screen is on or a charger is in.
    case active
    /// The screen is off; motion is not watched.
    case inactive
    /// The system waits for motion.
    case pending
    /// The system checks whether the phone lies still.
    case sensing
    /// Location, network and timers of apps wait.
    case idle
    /// Apps may work in a time between two idle ones.
    case maintenance
  }

  // Seconds, and the constants of `DeviceIdleController` that they are.
  /// Until an unused phone waits for motion: `inactive_to`.
  public static let inactiveTime = 1_800.0
  /// The same after motion: `motion_inactive_to`.
  public static let inactiveTimeAfterMotion = 600.0
  /// Of waiting for motion: `idle_after_inactive_to`.
  public static let pendingTime = 1_800.0
  /// Of sensing and locating (assumed). The limits are 240 (`sensing_to`) and 30 (`locating_to`). In 60 periods of MobilityNet
  /// the last position before the first idle time came 180 s after the two times above, in the middle.
  public static let sensingTime = 120.0
  /// Of the first idle time and of the longest: `idle_to`, `max_idle_to`. Each is twice the one before: `idle_factor`.
  public static let idleTimes = 3_600.0...21_600.0
  /// Of the first window and of the longest: `idle_pending_to`, `max_idle_pending_to`. Each is twice the one before:
  /// `idle_pending_factor`.
  public static let windowTimes = 300.0...600.0

  public private(set) var phase = Phase.active
  /// When the phase ends by itself; never while something else must happen.
  public private(set) var phaseEnd = SimulatedTime.never
  public private(set) var isScreenOn = false
  public private(set) var isCharging = false
  private var isMoving = false
  private var nextIdleTime = Self.idleTimes.lowerBound
  private var nextWindowTime = Self.windowTimes.lowerBound
  private var random: RandomSource?

  /// A phone with its screen off, without a charger.
  /// - Parameters:
  ///   - start: now.
  ///   - seed: of what the idle times are shorter; `nil`: they are not.
  public init(from start: SimulatedTime, seed: UInt64? = nil) {
    random = seed.map { RandomSource(seed: $0, stream: "rest") }
    useChanged(at: start)
  }

  /// The screen is on or off from now on.
  public mutating func setScreen(isOn: Bool, at now: SimulatedTime) {
    isScreenOn = isOn
    useChanged(at: now)
  }

  /// A charger is in or out from now on.
  public mutating func setCharging(_ isCharging: Bool, at now: SimulatedTime) {
    self.isCharging = isCharging
    useChanged(at: now)
  }

  /// The motion sensor sees the phone move or lie still from now on.
  public mutating func setMoving(_ isMoving: Bool, at now: SimulatedTime) {
    self.isMoving = isMoving
    guard isMoving else { return }
    switch phase {
    case .active, .inactive: break
    case .pending, .sensing, .idle, .maintenance: begin(.inactive, for: Self.inactiveTimeAfterMotion, at: now)
    }
  }

  /// The phone has started again.
  public mutating func restart(at now: SimulatedTime) {
    phase = .active
    useChanged(at: now)
  }

  /// The next phase, at the end of the present one; nothing before it.
  public mutating func advance(to now: SimulatedTime) {
    guard now >= phaseEnd else { return }
    switch phase {
    case .active: break
    case .inactive:
      // The sensor that is watched from now on sees a motion that goes on.
      if isMoving {
        begin(.inactive, for: Self.inactiveTimeAfterMotion, at: now)
      } else {
        begin(.pending, for: Self.pendingTime, at: now)
      }
    case .pending: begin(.sensing, for: Self.sensingTime, at: now)
    case .sensing, .maintenance: beginIdle(at: now)
    case .idle:
      begin(.maintenance, for: nextWindowTime, at: now)
      nextWindowTime = min(2 * nextWindowTime, Self.windowTimes.upperBound)
    }
  }

  private mutating func useChanged(at now: SimulatedTime) {
    if isScreenOn || isCharging {
      (phase, phaseEnd) = (.active, .never)
    } else if phase == .active {
      begin(.inactive, for: Self.inactiveTime, at: now)
    }
  }

  private mutating func beginIdle(at now: SimulatedTime) {
    // At most a quarter of an hour earlier, of 90 minutes or more half an hour: `fuzzForDuration`.
    let earlier = nextIdleTime < 5_400 ? 900.0 : 1_800
    begin(.idle, for: nextIdleTime - (random?.uniform() ?? 0) * earlier, at: now)
    nextIdleTime = min(2 * nextIdleTime, Self.idleTimes.upperBound)
  }

  private mutating func begin(_ phase: Phase, for seconds: Double, at now: SimulatedTime) {
    (self.phase, phaseEnd) = (phase, now + seconds)
    guard phase == .inactive else { return }
    nextIdleTime = Self.idleTimes.lowerBound
    nextWindowTime = Self.windowTimes.lowerBound
  }
}
