package import Foundation

/// The time of a server: the date, a monotonic time, and timers. All parts of a server use the same clock, so that tests can run it in
/// virtual time.
package struct ServerClock: Sendable {
  private let date: @Sendable () -> Date
  private let monotonic: @Sendable () -> Duration
  private let suspend: @Sendable (Duration) async throws -> Void
  private let callBack: @Sendable (Date, @escaping @Sendable () -> Void) -> Void

  /// - Parameters:
  ///   - now: returns the date.
  ///   - uptime: returns the time since an arbitrary origin, which changes of the date do not affect.
  ///   - sleep: suspends the task for a duration; throws `CancellationError` when the task is cancelled.
  ///   - wake: calls back once at a date, on any thread.
  package init(
    now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    wake: @escaping @Sendable (Date, @escaping @Sendable () -> Void) -> Void
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

  /// Calls `action` once at a date, on any thread; as soon as possible if the date has passed.
  package func wake(at date: Date, _ action: @escaping @Sendable () -> Void) { callBack(date, action) }

  /// The clock of the machine.
  package static let system: ServerClock = {
    let start = ContinuousClock.now
    return ServerClock(
      now: { Date() }, uptime: { start.duration(to: .now) }, sleep: { try await Task.sleep(for: $0) },
      wake: { date, action in
        let seconds = max(0, date.timeIntervalSinceNow)
        DispatchQueue.global().asyncAfter(wallDeadline: .now() + seconds, execute: action)
      })
  }()
}
