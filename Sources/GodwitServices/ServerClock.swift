package import Foundation

/// The time of a server: the date, a monotonic time, and timers. All parts of a server use the same clock, so that tests can run it in
/// virtual time.
package struct ServerClock: Sendable {
  private let date: @Sendable () -> Date
  private let monotonic: @Sendable () -> Duration
  private let suspend: @Sendable (Duration) async throws -> Void
  private let callBack: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

  /// - Parameters:
  ///   - now: returns the date.
  ///   - uptime: returns the time since an arbitrary origin, which changes of the date do not affect.
  ///   - sleep: suspends the task for a duration; throws `CancellationError` when the task is cancelled.
  ///   - wake: calls back once after a duration, ≥ 0, on any thread. Changes of the date do not affect it.
  package init(
    now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    wake: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
  ) {
    date = now
    monotonic = uptime
    suspend = sleep
    callBack = wake
  }

  /// The date.
  package var now: Date { date() }

  /// The time since an arbitrary origin, which changes of the date do not affect.
  package var uptime: Duration { monotonic() }

  /// Suspends the task for a duration.
  /// - Throws: `CancellationError` when the task is cancelled.
  package func sleep(for duration: Duration) async throws { try await suspend(duration) }

  /// Calls `action` once after a duration, on any thread; as soon as possible if the duration is not positive. Changes of the date do
  /// not affect it. It must not block.
  package func wake(after duration: Duration, _ action: @escaping @Sendable () -> Void) { callBack(max(.zero, duration), action) }

  /// The clock of the machine.
  package static let system: ServerClock = {
    let start = ContinuousClock.now
    return ServerClock(
      now: { Date() }, uptime: { start.duration(to: .now) }, sleep: { try await Task.sleep(for: $0) },
      // A timer of Dispatch with `.now()` would stop while the machine is suspended, and fire hours late.
      wake: { duration, action in
        Task {
          // Not cancelled, so that it does not throw.
          try? await Task.sleep(for: duration)
          action()
        }
      })
  }()
}
