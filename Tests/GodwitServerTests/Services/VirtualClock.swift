import Foundation
import GodwitServices
import Synchronization

/// A clock that advances only when a test advances it.
final class VirtualClock: Sendable {
  private struct Sleeper {
    var due: Duration
    var continuation: CheckedContinuation<Void, any Error>
  }
  private struct State {
    var date: Date
    var uptime = Duration.zero
    var sleepers: [Int: Sleeper] = [:]
    var alarms: [(due: Duration, action: @Sendable () -> Void)] = []
    var lastNumber = 0
    /// The callers that wait until `count` tasks sleep.
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
      let count = sleepers.count
      defer { waiting.removeAll { $0.count <= count } }
      return waiting.filter { $0.count <= count }.map(\.continuation)
    }
  }
  private let state: Mutex<State>

  init(_ now: Date = Date()) { state = Mutex(State(date: now)) }

  var now: Date { state.withLock { $0.date } }

  var clock: ServerClock {
    ServerClock(
      now: { self.now }, uptime: { self.state.withLock { $0.uptime } }, sleep: { try await self.suspend($0) },
      wake: { duration, action in
        let isDue = self.state.withLock { state in
          if duration == .zero { return true }
          state.alarms.append((state.uptime + duration, action))
          return false
        }
        if isDue { action() }
      })
  }

  private func suspend(_ duration: Duration) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let (result, waiting) = state.withLock { state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
          if Task.isCancelled { return (.failure(CancellationError()), []) }
          guard duration > .zero else { return (.success(()), []) }
          state.sleepers[number] = Sleeper(due: state.uptime + duration, continuation: continuation)
          return (nil, state.takeWaiting())
        }
        if let result { continuation.resume(with: result) }
        for one in waiting { one.resume() }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Waits until at least `count` tasks sleep.
  func sleepers(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isEnough = state.withLock { state in
        if state.sleepers.count >= count { return true }
        state.waiting.append((count, continuation))
        return false
      }
      if isEnough { continuation.resume() }
    }
  }

  /// Advances the time, and wakes each sleeper and alarm at its time. Each step ends when as many tasks sleep as before.
  func advance(by duration: Duration) async {
    let (end, count) = state.withLock { ($0.uptime + duration, $0.sleepers.count) }
    while let step = state.withLock({ Self.step(&$0, until: end) }) {
      for sleeper in step.sleepers { sleeper.continuation.resume() }
      for action in step.actions { action() }
      await sleepers(count)
    }
  }

  /// Moves to the next time at which a sleeper or an alarm is due; `nil` if none is due until the end.
  private static func step(
    _ state: inout State, until end: Duration
  ) -> (sleepers: [Sleeper], actions: [@Sendable () -> Void])? {
    guard let due = (state.sleepers.values.map(\.due) + state.alarms.map(\.due)).min(), due <= end else {
      move(&state, to: end)
      return nil
    }
    move(&state, to: max(due, state.uptime))
    let sleepers = state.sleepers.filter { $0.value.due <= state.uptime }
    for number in sleepers.keys { state.sleepers[number] = nil }
    let now = state.uptime
    let actions = state.alarms.filter { $0.due <= now }.map(\.action)
    state.alarms.removeAll { $0.due <= now }
    return (sleepers.sorted { $0.key < $1.key }.map(\.value), actions)
  }

  private static func move(_ state: inout State, to uptime: Duration) {
    state.date += (uptime - state.uptime) / .seconds(1)
    state.uptime = uptime
  }

  /// Changes the date by a number of seconds without a change of the uptime, as a time server does.
  func changeDate(by seconds: Double) { state.withLock { $0.date += seconds } }
}
