internal import GodwitEngine
internal import Synchronization

/// Where events wait for the tracker, from any thread and without waiting.
///
/// Fixes that come while the tracker is busy with the disk are joined to one event, so that they are committed
/// together. Whoever replays a file waits with `Tracker.caughtUp()`, which bounds what is in here; receivers tell
/// a few fixes a second.
final class Mailbox: Sendable {
  enum Item: Sendable {
    case event(Event)
    /// Finished when everything before it has been handled.
    case barrier(AsyncStream<Void>.Continuation)
  }

  private let items = Mutex<[Item]>([])
  /// One signal at most waits: it says that there is something, not how much.
  let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  func post(_ event: Event) {
    items.withLock { items in
      if case .fixes(let more) = event, case .event(.fixes(var fixes))? = items.last {
        // Out of the list first, or appending would copy all that is there.
        items.removeLast()
        fixes += more
        items.append(.event(.fixes(fixes)))
      } else {
        items.append(.event(event))
      }
    }
    signal.yield()
  }

  func post(_ barrier: AsyncStream<Void>.Continuation) {
    items.withLock { $0.append(.barrier(barrier)) }
    signal.yield()
  }

  /// Takes everything that waits.
  func take() -> [Item] {
    items.withLock { items in
      defer { items = [] }
      return items
    }
  }
}
