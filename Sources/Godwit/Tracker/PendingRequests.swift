internal import GodwitEngine

/// Callers that wait for an answer of the engine, by the numbers that they were given.
struct PendingRequests<Answer: Sendable> {
  private var waiting: [Int: AsyncStream<Answer>.Continuation] = [:]
  private var next = 0

  /// A number, and the stream that brings the answer; a caller that is cancelled just stops to listen.
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
}
