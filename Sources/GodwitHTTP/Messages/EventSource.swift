/// The result of reading from a source of events.
package enum NextEvents: Sendable {
  /// Events in the form in which they are sent, with their blank lines.
  case bytes([UInt8])
  /// No event is pending. The action of `onArrival` is called when one arrives.
  case nothing
  case ended
}

/// A source of the events of a stream. The stream pulls events as fast as its client reads them.
package protocol EventSource: AnyObject, Sendable {
  /// Whether ``next()`` would return something other than `nothing`.
  var hasNext: Bool { get }
  /// Removes and returns all pending events.
  func next() -> NextEvents
  /// Sets the action that is called, on any thread, when an event arrives or the source ends.
  func onArrival(_ action: @escaping @Sendable () -> Void)
  /// Called when the client has disconnected.
  func cancel()
}
