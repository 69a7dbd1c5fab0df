internal import GodwitEngine

/// Callers that wait for a result of the engine, by request number.
struct PendingRequests<Answer: Sendable> {
  private var waiting: [Int: AsyncStream<Answer>.Continuation] = [:]
  private var next = 0

  /// Returns a request number, and the stream of its result; a cancelled caller only stops to listen.
  mutating func ask() -> (number: Int, answer: AsyncStream<Answer>) {
    next += 1
    let (stream, continuation) = AsyncStream<Answer>.makeStream(bufferingPolicy: .bufferingNewest(1))
    waiting[next] = continuation
    return (next, stream)
  }

  mutating func answer(_ number: Int, _ answer: Answer) {
    guard let continuation = waiting.removeValue(forKey: number) else { return }
    continuation.yield(answer)
    continuation.finish()
  }

  /// Ends all streams without a result.
  mutating func end() {
    for continuation in waiting.values { continuation.finish() }
    waiting = [:]
  }
}
