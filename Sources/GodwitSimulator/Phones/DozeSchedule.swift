/// Restrictions of a phone's system on apps while the phone is at rest.
public enum RestRules: String, Sendable, Hashable, Codable, CaseIterable {
  /// Apple's rules: location services measure as long as an app requests positions. Only apps without a request are suspended.
  case apple
  /// Android's Doze; see ``DozeSchedule``.
  case doze
}

/// Android's Doze: when an unused phone at rest becomes idle, and when apps may work in between.
///
/// The states and times are those of `DeviceIdleController` in the Android Open Source Project (`frameworks/base` at the time of
/// Android 7). A phone with its screen off and without a charger is inactive. Then the system waits for motion, checks that the
/// phone lies still, and enters the idle state, with maintenance windows that become rarer. An idle period is shortened by a random
/// time: `AlarmManagerService.fuzzForDuration`.
///
/// This is a state machine without a clock. The caller reports events and calls ``advance(to:)`` at ``phaseEnd``.
public struct DozeSchedule: Sendable {
  /// State of the system.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// The screen is on or a charger is connected.
    case active
    /// The screen is off. Motion is not monitored yet.
    case inactive
    /// The system waits for motion.
    case pending
    /// The system checks whether the phone lies still.
    case sensing
    /// Location, network and timers of apps wait.
    case idle
    /// Apps may work between two idle periods.
    case maintenance
  }

  // Durations in seconds, with the constants of `DeviceIdleController`.
  /// Time until an unused phone waits for motion: `inactive_to`.
  public static let inactiveTime = 1_800.0
  /// The same after motion: `motion_inactive_to`.
  public static let inactiveTimeAfterMotion = 600.0
  /// Time of waiting for motion: `idle_after_inactive_to`.
  public static let pendingTime = 1_800.0
  /// Time of sensing and locating (assumed). The limits are 240 (`sensing_to`) and 30 (`locating_to`). In 60 periods of MobilityNet
  /// the median time of the last position before the first idle period was 180 s after the two times above.
  public static let sensingTime = 120.0
  /// Durations of the first and of the longest idle period: `idle_to`, `max_idle_to`. Each is twice the previous one:
  /// `idle_factor`.
  public static let idleTimes = 3_600.0...21_600.0
  /// Durations of the first and of the longest maintenance window: `idle_pending_to`, `max_idle_pending_to`. Each is twice the
  /// previous one: `idle_pending_factor`.
  public static let windowTimes = 300.0...600.0

  public private(set) var phase = Phase.active
  /// End of the phase without further events; `never` while the phase ends only by an event.
  public private(set) var phaseEnd = SimulatedTime.never
  public private(set) var isScreenOn = false
  public private(set) var isCharging = false
  private var isMoving = false
  private var nextIdleTime = Self.idleTimes.lowerBound
  private var nextWindowTime = Self.windowTimes.lowerBound
  private var random: RandomSource?

  /// Creates the schedule of a phone with its screen off and without a charger.
  /// - Parameters:
  ///   - start: The current time.
  ///   - seed: Seed of the random times by which idle periods are shortened; `nil` to not shorten them.
  public init(from start: SimulatedTime, seed: UInt64? = nil) {
    random = seed.map { RandomSource(seed: $0, stream: "rest") }
    useChanged(at: start)
  }

  /// Reports that the screen was turned on or off.
  public mutating func setScreen(isOn: Bool, at now: SimulatedTime) {
    isScreenOn = isOn
    useChanged(at: now)
  }

  /// Reports that a charger was connected or disconnected.
  public mutating func setCharging(_ isCharging: Bool, at now: SimulatedTime) {
    self.isCharging = isCharging
    useChanged(at: now)
  }

  /// Reports that the motion sensor detects movement or rest.
  public mutating func setMoving(_ isMoving: Bool, at now: SimulatedTime) {
    self.isMoving = isMoving
    guard isMoving else { return }
    switch phase {
    case .active, .inactive: break
    case .pending, .sensing, .idle, .maintenance: begin(.inactive, for: Self.inactiveTimeAfterMotion, at: now)
    }
  }

  /// Reports that the phone was restarted.
  public mutating func restart(at now: SimulatedTime) {
    phase = .active
    useChanged(at: now)
  }

  /// Enters the next phase at the end of the current one. Does nothing before that end.
  public mutating func advance(to now: SimulatedTime) {
    guard now >= phaseEnd else { return }
    switch phase {
    case .active: break
    case .inactive:
      // The sensor is monitored from now on and detects a motion that is in progress.
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
    // Idle periods are shortened by at most 15 minutes, or 30 minutes if they last 90 minutes or more: `fuzzForDuration`.
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
