internal import Synchronization

/// Distributes the status to any number of subscribers, each of which gets only the newest.
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

  /// Whether there are subscribers. Without any the last status is discarded: it would be outdated for the next
  /// subscriber.
  func hasReaders() -> Bool {
    state.withLock { state in
      if state.readers.isEmpty { state.last = nil }
      return !state.readers.isEmpty
    }
  }

  /// Publishes a status that differs from the last one.
  func publish(_ status: TrackerStatus) {
    let readers: [AsyncStream<TrackerStatus>.Continuation] = state.withLock { state in
      guard state.last != status else { return [] }
      state.last = status
      return Array(state.readers.values)
    }
    // Outside the lock: resuming a subscriber takes its task's lock, and a cancelled task holds that while `remove`
    // takes this lock. Only the tracker publishes, so the order stays.
    for reader in readers { reader.yield(status) }
  }

  private func remove(_ number: Int) { state.withLock { $0.readers[number] = nil } }
}
