public import Foundation
public import GodwitHTTPClient

/// The external dependencies of a tracker, as values that a test replaces: clock, random source and network.
///
///     var environment = TrackerEnvironment.live()
///     environment.client = uploads.client  // a background session of the system
///     let configuration = Tracker.Configuration(journalPath: path, endpoints: [home], environment: environment)
public struct TrackerEnvironment: Sendable {
  /// The time of day.
  public var now: @Sendable () -> Date
  /// Seconds on a monotonic clock that runs while the device sleeps, from an arbitrary start. The age of records is
  /// measured with it. The initializer derives it from `now`, for tests in which `now` never moves back.
  public var uptime: @Sendable () -> Double
  /// Suspends for a number of seconds. - Throws: when the task is cancelled.
  public var sleep: @Sendable (_ seconds: Double) async throws -> Void
  /// A random number, 0 ..< 1.
  public var random: @Sendable () -> Double
  /// Sends every request of the tracker.
  public var client: HTTPClient
  /// The time zone of the device. The initializer sets the zone of its call, for tests and simulations.
  package var timeZone: @Sendable () -> TimeZone
  #if os(Linux)
    /// The executor of the tracker's own tasks, for a test that controls their order; `nil`: the default executor. The
    /// task that calls `Tracker.run()` must prefer the same executor. On Apple's systems task executors need iOS 18.
    public var executor: (any TaskExecutor)?
  #endif

  public init(
    now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Double) async throws -> Void,
    random: @escaping @Sendable () -> Double, client: HTTPClient
  ) {
    self.now = now
    uptime = { now().timeIntervalSinceReferenceDate }
    timeZone = { [timeZone = TimeZone.current] in timeZone }
    self.sleep = sleep
    self.random = random
    self.client = client
  }

  /// Suspends until a time, which may have passed. - Throws: when the task is cancelled.
  func sleep(until time: Date) async throws { try await sleep(max(0, time.timeIntervalSince(now()))) }

  /// Runs an operation in a new task.
  @discardableResult
  package func task<Success: Sendable>(_ operation: sending @escaping () async -> Success) -> Task<Success, Never> {
    #if os(Linux)
      Task(executorPreference: executor, operation: operation)
    #else
      Task(operation: operation)
    #endif
  }

  /// The maximum sleep in seconds, about 31 years. An interval may be infinite, which `Duration` cannot represent.
  private static let maximumSleep = 1e9

  /// Returns the seconds of a sleep: at least 0, at most about 31 years.
  package static func bounded(_ seconds: Double) -> Double {
    // NaN fails the comparison.
    seconds <= maximumSleep ? max(0, seconds) : maximumSleep
  }

  /// Returns the time zone of the system. Foundation on Linux does not notice a change before its cache is reset.
  private static func systemTimeZone() -> TimeZone {
    #if os(Linux)
      NSTimeZone.resetSystemTimeZone()
    #endif
    return .current
  }

  /// The environment of the real system.
  public static func live() -> TrackerEnvironment {
    var environment = TrackerEnvironment(
      now: { Date() }, sleep: { try await Task.sleep(for: .seconds(bounded($0))) }, random: { Double.random(in: 0..<1) },
      client: .live())
    // The boot clock on both systems (CLOCK_BOOTTIME, mach_continuous_time).
    let start = ContinuousClock.now
    environment.uptime = { start.duration(to: .now) / .seconds(1) }
    environment.timeZone = { systemTimeZone() }
    return environment
  }
}
