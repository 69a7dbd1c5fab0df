internal import Synchronization

/// Publishes events to every open stream that subscribes.
package final class EventChannel: Sendable {
  private struct State {
    var queues: [Int: EventQueue] = [:]
    var next = 0
    var isOpen = true
  }
  private let state = Mutex(State())

  package init() {}

  package var hasSubscribers: Bool { state.withLock { !$0.queues.isEmpty } }

  /// Returns a new subscriber. If the channel is closed, the subscriber ends immediately.
  package func subscribe() -> EventQueue {
    state.withLock { state in
      let id = state.next
      state.next += 1
      let queue = EventQueue { [weak self] in self?.state.withLock { $0.queues[id] = nil } }
      if state.isOpen { state.queues[id] = queue } else { queue.end() }
      return queue
    }
  }

  /// Sends an event to all subscribers.
  package func publish(_ event: [UInt8]) {
    for queue in state.withLock({ Array($0.queues.values) }) { queue.push(event) }
  }

  /// Ends all streams. Later subscribers end immediately.
  package func close() {
    let queues = state.withLock { state in
      state.isOpen = false
      return Array(state.queues.values)
    }
    for queue in queues { queue.end() }
  }
}
