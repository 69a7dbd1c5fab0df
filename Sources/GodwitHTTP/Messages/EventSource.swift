/// What is read from a source of events.
package enum NextEvents: Sendable {
  /// Events as they are sent, with their blank lines.
  case bytes([UInt8])
  /// None for now: `onArrival` says when.
  case nothing
  case ended
}

/// Where the events of a stream come from. The stream pulls them as fast as its client reads.
package protocol EventSource: AnyObject, Sendable {
  /// Whether ``next()`` has something else than nothing.
  var hasNext: Bool { get }
  /// Takes all events that wait.
  func next() -> NextEvents
  /// Sets what is called, on any thread, whenever an event arrives or the source ends.
  func onArrival(_ action: @escaping @Sendable () -> Void)
  /// The client has left.
  func cancel()
}
