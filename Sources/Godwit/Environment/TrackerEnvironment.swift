public import Foundation
public import GodwitHTTPClient

/// The outside world of a tracker, as values that a test replaces: clock, chance and network.
public struct TrackerEnvironment: Sendable {
  public var now: @Sendable () -> Date
  /// Seconds on a clock that is never set and goes on while the device sleeps, since any moment: by it records become older. A
  /// new environment takes them from `now`, which suits a clock that only a test moves.
  public var uptime: @Sendable () -> Double
  /// Waits so many seconds. - Throws: when the task is cancelled.
  public var sleep: @Sendable (_ seconds: Double) async throws -> Void
  /// A number, 0 ..< 1.
  public var random: @Sendable () -> Double
  public var client: HTTPClient
  /// Where the tracker's own tasks run, for a test that decides the order of everything; `nil`: on the system's threads. The
  /// task that calls `Tracker.run()` must prefer the same one.
  public var executor: (any TaskExecutor)?

  public init(
    now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Double) async throws -> Void,
    random: @escaping @Sendable () -> Double, client: HTTPClient
  ) {
    self.now = now
    uptime = { now().timeIntervalSinceReferenceDate }
    self.sleep = sleep
    self.random = random
    self.client = client
  }

  /// The real one.
  public static func live() -> TrackerEnvironment {
    var environment = TrackerEnvironment(
      now: { Date() }, sleep: { try await Task.sleep(for: .seconds($0)) }, random: { Double.random(in: 0..<1) },
      client: .live())
    // The boot clock on both systems (CLOCK_BOOTTIME, mach_continuous_time).
    let start = ContinuousClock.now
    environment.uptime = { start.duration(to: .now) / .seconds(1) }
    return environment
  }
}
