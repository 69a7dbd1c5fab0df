import Foundation
import GodwitModel
import GodwitServices
import GodwitSimulator

/// The timers of one run of the server, in simulated time.
///
/// `@unchecked Sendable`: used only on the thread of the simulation.
final class ServerTimers: @unchecked Sendable {
  private enum Alarm: Sendable {
    case sleeper(Int)
    case call(@Sendable () -> Void)
  }
  private struct Sleeper {
    var continuation: UnsafeContinuation<Void, any Error>
    var ticket: GodwitSimulator.Schedule<Alarm>.Ticket
  }

  private var schedule: GodwitSimulator.Schedule<Alarm>
  private var sleepers: [Int: Sleeper] = [:]
  private var count = 0
  private let start: SimulatedTime
  /// The number of seconds that the clock of the server is ahead of the true time.
  var clockShift: Double
  private(set) var now: SimulatedTime

  /// The minimum sleep of a periodic task in seconds, so that an idle server is not woken each second of a year.
  private static let minimumSleep = 300.0

  init(from start: SimulatedTime, clockShift: Double) {
    (self.start, now, self.clockShift) = (start, start, clockShift)
    schedule = GodwitSimulator.Schedule(from: start)
  }

  /// The server's clock.
  var clock: ServerClock {
    ServerClock(
      now: { [self] in (now + clockShift).date },
      uptime: { [self] in .microseconds(now.microseconds - start.microseconds) },
      sleep: { [self] in try await wait($0) },
      wake: { [self] duration, action in schedule.plan(.call(action), at: end(of: duration)) })
  }

  /// Calls `action` after `seconds`.
  func call(after seconds: Double, _ action: @escaping @Sendable () -> Void) { schedule.plan(.call(action), at: now + seconds) }

  /// The time of the next timer; `nil`: there is none.
  var next: SimulatedTime? { schedule.nextTime() }

  /// Fires the next timer that is due.
  /// - Returns: whether there was one; otherwise the time advances to `end`.
  func fire(until end: SimulatedTime) -> Bool {
    guard let (time, alarm) = schedule.next(until: end) else {
      now = max(now, end)
      return false
    }
    now = max(now, time)
    switch alarm {
    case .sleeper(let number): sleepers.removeValue(forKey: number)?.continuation.resume()
    case .call(let action): action()
    }
    return true
  }

  /// The first microsecond after `duration`.
  private func end(of duration: Duration) -> SimulatedTime {
    SimulatedTime(microseconds: (now + duration / .seconds(1)).microseconds + 1)
  }

  private func wait(_ duration: Duration) async throws {
    count += 1
    let number = count
    let end = end(of: max(.seconds(Self.minimumSleep), duration))
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
        guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
        sleepers[number] = Sleeper(continuation: continuation, ticket: schedule.plan(.sleeper(number), at: end))
      }
    } onCancel: {
      guard let sleeper = sleepers.removeValue(forKey: number) else { return }
      schedule.cancel(sleeper.ticket)
      sleeper.continuation.resume(throwing: CancellationError())
    }
  }
}
