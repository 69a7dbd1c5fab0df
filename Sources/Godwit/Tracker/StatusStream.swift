internal import GodwitLocks

/// Distributes the status to any number of subscribers. A slow subscriber gets only the newest status.
final class StatusStream: Sendable {
  private struct State {
    var subscribers: [Int: AsyncStream<Tracker.Status>.Continuation] = [:]
    var next = 0
    var last: Tracker.Status?
    /// Whether the last status was the tracker's final one.
    var isOver = false
  }
  private let state = Mutex(State())

  func subscribe() -> AsyncStream<Tracker.Status> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number: Int? = state.withLock { state in
        if let last = state.last { continuation.yield(last) }
        guard !state.isOver else { return nil }
        state.next += 1
        state.subscribers[state.next] = continuation
        return state.next
      }
      guard let number else { return continuation.finish() }
      continuation.onTermination = { [weak self] _ in self?.remove(number) }
    }
  }

  /// Whether there are subscribers. Without any the last status is discarded: it would be outdated for the next subscriber.
  func hasSubscribers() -> Bool {
    state.withLock { state in
      if state.subscribers.isEmpty, !state.isOver { state.last = nil }
      return !state.subscribers.isEmpty
    }
  }

  /// Publishes a status that differs from the last one.
  func publish(_ status: Tracker.Status) {
    let subscribers: [AsyncStream<Tracker.Status>.Continuation] = state.withLock { state in
      guard state.last != status else { return [] }
      state.last = status
      return Array(state.subscribers.values)
    }
    // Outside the lock: resuming a subscriber takes its task's lock, and a cancelled task holds that while `remove`
    // takes this lock. Only the tracker publishes, so the order stays.
    for reader in subscribers { reader.yield(status) }
  }

  /// Ends the streams after the status that was published last. A later subscriber gets that status and the end.
  func finish() {
    let subscribers = state.withLock { state in
      defer { state.subscribers = [:] }
      state.isOver = true
      return Array(state.subscribers.values)
    }
    for reader in subscribers { reader.finish() }
  }

  private func remove(_ number: Int) { state.withLock { $0.subscribers[number] = nil } }
}
