internal import GodwitEngine

/// Callers that wait for a result of the engine, by request number.
struct PendingRequests<Response: Sendable> {
  private var waiting: [Int: AsyncStream<Response>.Continuation] = [:]
  private var next = 0

  /// Returns a request number, and the stream of its result. The engine completes the request also if the caller is cancelled.
  mutating func ask() -> (number: Int, answer: AsyncStream<Response>) {
    next += 1
    let (stream, continuation) = AsyncStream<Response>.makeStream(bufferingPolicy: .bufferingNewest(1))
    waiting[next] = continuation
    return (next, stream)
  }

  mutating func respond(_ number: Int, _ response: Response) {
    guard let continuation = waiting.removeValue(forKey: number) else { return }
    continuation.yield(response)
    continuation.finish()
  }

  /// Ends all streams without a result.
  mutating func end() {
    for continuation in waiting.values { continuation.finish() }
    waiting = [:]
  }
}
