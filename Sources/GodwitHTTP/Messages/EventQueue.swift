internal import Synchronization

/// A source of events with a bounded queue. If the queue is full, all pending events are dropped and replaced by one event.
package final class EventQueue: EventSource {
  private struct State {
    var events: [[UInt8]]
    var hasEnded = false
    var arrival: (@Sendable () -> Void)?
  }
  private let state: Mutex<State>
  private let capacity: Int
  private let replacement: [UInt8]
  private let cancellation: @Sendable () -> Void

  /// The event after which a page must reload all data.
  package static let resync = Array("event: resync\ndata: {}\n\n".utf8)
  /// A comment that keeps the connection open in proxies.
  package static let comment = Array(": \n\n".utf8)
  /// The first event: the milliseconds after which a browser reconnects, and a comment.
  package static let greeting = Array("retry: 2000\n: godwit\n\n".utf8)

  /// - Parameters:
  ///   - first: the first event.
  ///   - capacity: the maximum number of pending events.
  ///   - replacement: the event that replaces dropped events.
  ///   - cancellation: called when the client has disconnected.
  package init(
    first: [UInt8] = EventQueue.greeting, capacity: Int = 256, replacement: [UInt8] = EventQueue.resync,
    cancellation: @escaping @Sendable () -> Void
  ) {
    state = Mutex(State(events: [first]))
    self.capacity = capacity
    self.replacement = replacement
    self.cancellation = cancellation
  }

  package var hasNext: Bool { state.withLock { !$0.events.isEmpty || $0.hasEnded } }

  package func next() -> NextEvents {
    state.withLock { state in
      if !state.events.isEmpty {
        defer { state.events.removeAll(keepingCapacity: true) }
        return .bytes(Array(state.events.joined()))
      }
      return state.hasEnded ? .ended : .nothing
    }
  }

  package func onArrival(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.arrival = action } }

  package func cancel() { cancellation() }

  /// Adds an event.
  /// - Returns: the number of dropped events.
  @discardableResult
  package func push(_ event: [UInt8]) -> Int {
    let (dropped, arrival) = state.withLock { state in
      guard state.events.count >= capacity else {
        state.events.append(event)
        return (0, state.arrival)
      }
      let dropped = state.events.count
      state.events = [replacement]
      return (dropped, state.arrival)
    }
    arrival?()
    return dropped
  }

  /// Ends the stream after the pending events.
  package func end() {
    let arrival = state.withLock { state in
      state.hasEnded = true
      return state.arrival
    }
    arrival?()
  }
}
