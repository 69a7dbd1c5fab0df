public import Foundation
internal import GodwitLocks

extension RegionManager {
  /// The observers of a value.
  ///
  ///     geofenceObserver = regions.geofenceObservers.add { geofences in … }
  ///
  /// An observer is called as long as the token that ``add(_:)`` returned is retained.
  public final class ObserverSet<Value: Sendable>: Sendable {
    private struct Observer: Sendable {
      weak var token: Token?
      let tell: @Sendable (Value) -> Void
    }

    /// The token of an observer.
    private final class Token: NSObject, Sendable {}

    private let observers = Mutex<[Observer]>([])

    init() {}

    /// Adds an observer. It is not called with the current value.
    /// - Parameter tell: receives each new value, in the order of the changes, on the thread of this or of an earlier change.
    /// - Returns: a token that must be retained: the observer is removed when the token is released.
    public func add(_ tell: @escaping @Sendable (Value) -> Void) -> any NSObjectProtocol {
      let token = Token()
      observers.withLock { $0.append(Observer(token: token, tell: tell)) }
      return token
    }

    /// Removes an observer before its token is released.
    /// - Parameter token: the value that ``add(_:)`` returned.
    public func remove(token: any NSObjectProtocol) {
      observers.withLock { $0.removeAll { $0.token === token || $0.token == nil } }
    }

    func notify(_ value: Value) {
      let present = observers.withLock { observers in
        observers.removeAll { $0.token == nil }
        return observers
      }
      // The token is retained during the call.
      for observer in present where observer.token != nil { observer.tell(value) }
    }
  }
}

/// Distributes values to subscribers, each with its own stream.
final class Broadcast<Value: Sendable>: Sendable {
  private struct State {
    var subscribers: [Int: AsyncStream<Value>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  init() {}

  deinit { for reader in state.withLock({ $0.subscribers.values }) { reader.finish() } }

  /// Returns the stream of a new subscriber.
  /// - Parameters:
  ///   - first: the first value of the stream; `nil`: none.
  ///   - policy: the buffering policy for unread values.
  func stream(
    first: Value?, _ policy: AsyncStream<Value>.Continuation.BufferingPolicy
  ) -> AsyncStream<Value> {
    let (stream, reader) = AsyncStream<Value>.makeStream(bufferingPolicy: policy)
    if let first { reader.yield(first) }
    let number = state.withLock { state in
      state.next += 1
      state.subscribers[state.next] = reader
      return state.next
    }
    reader.onTermination = { [weak self] _ in _ = self?.state.withLock { $0.subscribers.removeValue(forKey: number) } }
    return stream
  }

  func send(_ value: Value) { for reader in state.withLock({ $0.subscribers.values }) { reader.yield(value) } }
}
