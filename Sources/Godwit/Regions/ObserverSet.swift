public import Foundation
internal import Synchronization

/// Who wants to be told of a value whenever it is another one.
///
///     geofenceObserver = regions.geofenceObservers.add { geofences in … }
///
/// An observer is told as long as somebody keeps the token that ``add(_:)`` gave.
public final class ObserverSet<Value: Sendable>: Sendable {
  private struct Observer: Sendable {
    weak var token: Token?
    let tell: @Sendable (Value) -> Void
  }

  /// What keeps an observer.
  private final class Token: NSObject, Sendable {}

  private let observers = Mutex<[Observer]>([])

  init() {}

  /// Adds an observer. It is not told what the value is now.
  /// - Parameter tell: gets the value, on whatever thread it changes, in the order of the changes.
  /// - Returns: what must be kept: the observer goes with it.
  public func add(_ tell: @escaping @Sendable (Value) -> Void) -> any NSObjectProtocol {
    let token = Token()
    observers.withLock { $0.append(Observer(token: token, tell: tell)) }
    return token
  }

  /// Removes an observer before its token goes.
  /// - Parameter token: what ``add(_:)`` gave.
  public func remove(token: any NSObjectProtocol) {
    observers.withLock { $0.removeAll { $0.token === token || $0.token == nil } }
  }

  func notify(_ value: Value) {
    let present = observers.withLock { observers in
      observers.removeAll { $0.token == nil }
      return observers
    }
    // The token is held meanwhile, so that it is not gone in the middle.
    for observer in present where observer.token != nil { observer.tell(value) }
  }
}

/// The same for those who read along: each reader has a stream.
final class Broadcast<Value: Sendable>: Sendable {
  private struct State {
    var readers: [Int: AsyncStream<Value>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  init() {}

  deinit { for reader in state.withLock({ $0.readers.values }) { reader.finish() } }

  /// - Parameters:
  ///   - first: what the reader is told at once; `nil`: nothing.
  ///   - policy: what becomes of values that nobody has read yet.
  func stream(
    first: Value?, _ policy: AsyncStream<Value>.Continuation.BufferingPolicy
  ) -> AsyncStream<Value> {
    let (stream, reader) = AsyncStream<Value>.makeStream(bufferingPolicy: policy)
    if let first { reader.yield(first) }
    let number = state.withLock { state in
      state.next += 1
      state.readers[state.next] = reader
      return state.next
    }
    reader.onTermination = { [weak self] _ in _ = self?.state.withLock { $0.readers.removeValue(forKey: number) } }
    return stream
  }

  func send(_ value: Value) { for reader in state.withLock({ $0.readers.values }) { reader.yield(value) } }
}
