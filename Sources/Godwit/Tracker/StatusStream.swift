internal import Synchronization

/// Statuses to any number of readers, each of which gets the newest one only.
final class StatusStream: Sendable {
  private struct State {
    var readers: [Int: AsyncStream<TrackerStatus>.Continuation] = [:]
    var next = 0
    var last: TrackerStatus?
  }
  private let state = Mutex(State())

  func subscribe() -> AsyncStream<TrackerStatus> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number = state.withLock { state in
        state.next += 1
        state.readers[state.next] = continuation
        if let last = state.last { continuation.yield(last) }
        return state.next
      }
      continuation.onTermination = { [weak self] _ in self?.remove(number) }
    }
  }

  /// Whether anybody reads. When nobody does, the last status is forgotten: by the time somebody comes it is old.
  func hasReaders() -> Bool {
    state.withLock { state in
      if state.readers.isEmpty { state.last = nil }
      return !state.readers.isEmpty
    }
  }

  /// Tells a status that differs from the last one.
  func publish(_ status: TrackerStatus) {
    let readers: [AsyncStream<TrackerStatus>.Continuation] = state.withLock { state in
      guard state.last != status else { return [] }
      state.last = status
      return Array(state.readers.values)
    }
    // Not under the lock: waking a reader takes its task's own lock, and a task that is cancelled holds that one
    // while it takes ours in `remove`. Only the tracker publishes, so the order stays.
    for reader in readers { reader.yield(status) }
  }

  private func remove(_ number: Int) { state.withLock { $0.readers[number] = nil } }
}
