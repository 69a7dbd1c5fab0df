import Foundation
import Godwit
import GodwitHTTPClient
import Synchronization

/// A clock that a test advances. Sleepers are woken at their times.
final class VirtualClock: Sendable {
  private struct Sleeper {
    var end: Date
    var wake: AsyncStream<Void>.Continuation
  }
  private struct State {
    var now: Date
    var sleepers: [Int: Sleeper] = [:]
    var next = 0
  }
  private let state: Mutex<State>
  private let moved = NSCondition()

  init(_ now: Date = start) { state = Mutex(State(now: now)) }

  var now: Date { state.withLock { $0.now } }
  /// The number of sleepers.
  var sleeping: Int { state.withLock { $0.sleepers.count } }

  /// - Throws: `CancellationError` if the task is cancelled.
  func sleep(_ seconds: Double) async throws {
    let (woken, wake) = AsyncStream<Void>.makeStream()
    let number = state.withLock { state in
      state.next += 1
      state.sleepers[state.next] = Sleeper(end: state.now.addingTimeInterval(seconds), wake: wake)
      return state.next
    }
    for await _ in woken {}
    state.withLock { _ = $0.sleepers.removeValue(forKey: number) }
    try Task.checkCancellation()
  }

  /// Advances the clock, and wakes the due sleepers in the order of their times.
  func advance(to time: Date) {
    let due = state.withLock { state in
      state.now = max(state.now, time)
      let due = state.sleepers.filter { $0.value.end <= time }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.sorted { $0.end < $1.end }
    }
    // Not under the lock, because waking acquires a lock of the sleeping task.
    for sleeper in due { sleeper.wake.finish() }
    moved.lock()
    moved.broadcast()
    moved.unlock()
  }

  /// Advances the clock by a number of seconds.
  func advance(_ seconds: Double) { advance(to: now.addingTimeInterval(seconds)) }

  /// Returns an environment with this clock and a client of the test.
  func environment(_ client: HTTPClient) -> TrackerEnvironment {
    let clock = self
    return TrackerEnvironment(
      now: { clock.now }, sleep: { try await clock.sleep($0) }, random: { 0.5 }, client: client)
  }

  /// Whether a task sleeps until exactly this time.
  func hasSleeper(until time: Date) -> Bool { state.withLock { $0.sleepers.values.contains { $0.end == time } } }

  /// Blocks the thread until the clock reaches a time, to simulate a slow server.
  func hold(until time: Date) {
    moved.lock()
    while now < time { moved.wait() }
    moved.unlock()
  }
}
