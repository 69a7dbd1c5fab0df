import Synchronization
import Testing

/// What a source reports, in order, for a test that waits for it.
final class Reported<Event: Sendable>: Sendable {
  private let stream: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  @Sendable func handle(_ event: Event) async { continuation.yield(event) }

  /// Waits for the next event.
  func next() async throws -> Event { try #require(await stream.first { _ in true }) }

  /// Waits until something receives that is looked for; skips the rest.
  func first<Found>(_ find: @Sendable (Event) -> Found?) async throws -> Found {
    for await event in stream { if let found = find(event) { return found } }
    throw CancellationError()
  }
}

/// Waits that a source makes, in seconds; each is over at once, or never.
final class Waits: Sendable {
  private let isOver: Bool
  private let log = Mutex<[Double]>([])
  private let gates = Mutex<[AsyncStream<Void>.Continuation]>([])

  /// - Parameter areOver: whether each wait ends at once; else none ends but by cancelling.
  init(areOver: Bool) { isOver = areOver }

  var seconds: [Double] { log.withLock { $0 } }

  @Sendable func wait(_ seconds: Double) async throws {
    log.withLock { $0.append(seconds) }
    if isOver {
      // A moment all the same: without one a source would open connections as fast as it can, beside other tests.
      try await Task.sleep(for: .milliseconds(10))
    } else {
      let (gate, supervisor) = AsyncStream<Void>.makeStream()
      gates.withLock { $0.append(supervisor) }
      for await _ in gate {}
    }
    try Task.checkCancellation()
  }
}
