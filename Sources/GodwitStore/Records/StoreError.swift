/// An error of the store.
public enum StoreError: Error, Sendable, CustomStringConvertible {
  /// The queue is full; nothing was stored.
  case busy
  /// The store has been closed.
  case closed

  public var description: String {
    switch self {
    case .busy: "More requests are waiting than fit. Try again in a moment."
    case .closed: "The server is stopping. Try again in a moment."
    }
  }
}
