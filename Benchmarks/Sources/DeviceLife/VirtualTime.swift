internal import Foundation
import Godwit
import Synchronization

/// A clock that is advanced explicitly, and the tasks that sleep on it: a day takes only as long as its work.
final class VirtualTime: Sendable {
  private struct Sleeper {
    var due: Date
    var wake: CheckedContinuation<Void, any Error>
  }
  private struct State {
    var now: Date
    var next = 0
    var sleepers: [Int: Sleeper] = [:]
    var earliest = Date.distantFuture
  }
  private let state: Mutex<State>

  init(_ start: Date) { state = Mutex(State(now: start)) }

  var now: Date { state.withLock { $0.now } }

  /// Advances the clock, and resumes the sleepers that are due.
  func advance(to time: Date) {
    let due: [Sleeper] = state.withLock { state in
      state.now = time
      guard state.earliest <= time else { return [] }
      let due = state.sleepers.filter { $0.value.due <= time }
      for number in due.keys { state.sleepers[number] = nil }
      state.earliest = state.sleepers.values.map(\.due).min() ?? .distantFuture
      return due.values.sorted { $0.due < $1.due }
    }
    for sleeper in due { sleeper.wake.resume() }
  }

  func sleep(_ seconds: Double) async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = state.withLock { state in
          let due = state.now.addingTimeInterval(seconds)
          guard due > state.now, !Task.isCancelled else { return true }
          state.sleepers[number] = Sleeper(due: due, wake: continuation)
          state.earliest = min(state.earliest, due)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: number) }?.wake.resume(throwing: CancellationError())
    }
    try Task.checkCancellation()
  }

  /// The environment of a tracker with this clock and the real network.
  var environment: TrackerEnvironment {
    TrackerEnvironment(
      now: { self.now }, sleep: { try await self.sleep($0) }, random: { Double.random(in: 0..<1) }, client: .live())
  }
}
