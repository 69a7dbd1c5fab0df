package import Foundation
internal import GodwitLocks

/// A clock that advances only on request. A tracker that replays a file uses it, so that its timers follow the times in the
/// file at any reading speed.
package final class ReplayClock: Sendable {
  private struct Sleeper {
    var until: Date
    var alarm: AsyncStream<Void>.Continuation
  }
  private struct State {
    var now: Date
    var sleepers: [Int: Sleeper] = [:]
    var next = 0
  }
  private let state: Mutex<State>

  /// - Parameter start: the initial time.
  package init(_ start: Date) { state = Mutex(State(now: start)) }

  /// The current time of the clock.
  package var now: Date { state.withLock { $0.now } }

  /// Advances the clock and resumes the sleeps that are due. An earlier time is ignored.
  package func advance(to time: Date) {
    let due = state.withLock { state in
      guard time > state.now else { return [Sleeper]() }
      state.now = time
      let due = state.sleepers.filter { $0.value.until <= time }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.sorted { $0.until < $1.until }
    }
    for sleeper in due { sleeper.alarm.finish() }
  }

  /// Suspends until the clock has advanced by a number of seconds.
  /// - Throws: when the task is cancelled.
  package func sleep(_ seconds: Double) async throws {
    guard seconds > 0 else { return try Task.checkCancellation() }
    let (stream, alarm) = AsyncStream<Void>.makeStream()
    let number = state.withLock { state in
      state.next += 1
      state.sleepers[state.next] = Sleeper(until: state.now.addingTimeInterval(seconds), alarm: alarm)
      return state.next
    }
    for await _ in stream {}
    state.withLock { $0.sleepers[number] = nil }
    try Task.checkCancellation()
  }
}
