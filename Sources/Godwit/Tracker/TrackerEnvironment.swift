public import Foundation

/// The outside world of a tracker, as values that a test replaces: clock, chance and network.
public struct TrackerEnvironment: Sendable {
  public var now: @Sendable () -> Date
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
    self.sleep = sleep
    self.random = random
    self.client = client
  }

  /// The real one.
  public static func live() -> TrackerEnvironment {
    TrackerEnvironment(
      now: { Date() }, sleep: { try await Task.sleep(for: .seconds($0)) }, random: { Double.random(in: 0..<1) },
      client: .live())
  }
}
