import Foundation
import Godwit
import Synchronization

/// A clock that a test moves by hand; who sleeps on it wakes when it has been moved far enough.
final class HandClock: Sendable {
  private struct Sleeper {
    var due: Date
    var wake: AsyncStream<Void>.Continuation
  }
  private struct State {
    var now: Date
    var sleepers: [Sleeper] = []
  }
  private let state: Mutex<State>

  init(_ now: Date = start) { state = Mutex(State(now: now)) }

  var now: Date { state.withLock { $0.now } }

  func advance(_ seconds: Double) {
    let due = state.withLock { state in
      state.now += seconds
      let due = state.sleepers.filter { $0.due <= state.now }
      state.sleepers.removeAll { $0.due <= state.now }
      return due
    }
    for sleeper in due { sleeper.wake.finish() }
  }

  func sleep(_ seconds: Double) async throws {
    let (stream, wake) = AsyncStream<Void>.makeStream()
    let isOver = state.withLock { state in
      guard seconds > 0 else { return true }
      state.sleepers.append(Sleeper(due: state.now.addingTimeInterval(seconds), wake: wake))
      return false
    }
    // A task that is cancelled listens no more; its sleeper is woken in vain.
    if !isOver { for await _ in stream {} }
    try Task.checkCancellation()
  }

  /// The world with this clock and a network that is what the test says.
  func environment(_ client: HTTPClient) -> TrackerEnvironment {
    let clock = self
    return TrackerEnvironment(
      now: { clock.now }, sleep: { try await clock.sleep($0) }, random: { 0.5 }, client: client)
  }
}
