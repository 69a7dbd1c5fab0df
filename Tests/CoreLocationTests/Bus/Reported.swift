import Synchronization
import Testing

/// The events of a source, in order, for a test that waits for them.
final class Reported<Event: Sendable>: Sendable {
  private let stream: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  @Sendable func handle(_ event: Event) async { continuation.yield(event) }

  /// Waits for the next event.
  func next() async throws -> Event { try #require(await stream.first { _ in true }) }

  /// Waits for the first event for which `find` returns a value, and returns this value. Skips other events.
  func first<Found>(_ find: @Sendable (Event) -> Found?) async throws -> Found {
    for await event in stream { if let found = find(event) { return found } }
    throw CancellationError()
  }
}

/// The waits of a source, in seconds. Each wait ends at once, or only when its task is cancelled.
final class ManualSleep: Sendable {
  private let returnsAtOnce: Bool
  private let log = Mutex<[Double]>([])
  private let gates = Mutex<[AsyncStream<Void>.Continuation]>([])

  /// - Parameter returnsAtOnce: Whether each wait ends at once; otherwise it ends only when its task is cancelled.
  init(returnsAtOnce: Bool) { self.returnsAtOnce = returnsAtOnce }

  var seconds: [Double] { log.withLock { $0 } }

  @Sendable func wait(_ seconds: Double) async throws {
    log.withLock { $0.append(seconds) }
    if returnsAtOnce {
      // A short delay, because otherwise a source opens connections without a pause while other tests run.
      try await Task.sleep(for: .milliseconds(10))
    } else {
      let (gate, supervisor) = AsyncStream<Void>.makeStream()
      gates.withLock { $0.append(supervisor) }
      for await _ in gate {}
    }
    try Task.checkCancellation()
  }
}
