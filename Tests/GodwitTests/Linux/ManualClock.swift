#if os(Linux)
  import Synchronization

  /// A clock whose sleepers a test wakes.
  final class ManualClock: Sendable {
    private struct State {
      var sleepers: [Int: AsyncStream<Void>.Continuation] = [:]
      var next = 0
    }
    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init() { (arrivals, arrival) = AsyncStream.makeStream() }

    @Sendable func sleep(_ seconds: Double) async throws {
      let (stream, continuation) = AsyncStream<Void>.makeStream()
      let number = state.withLock { state in
        state.next += 1
        state.sleepers[state.next] = continuation
        return state.next
      }
      arrival.yield()
      for await _ in stream {}
      // A cancelled sleeper must not count as sleeping.
      state.withLock { $0.sleepers[number] = nil }
      try Task.checkCancellation()
    }

    /// Waits for a sleeper, and wakes all sleepers.
    func tick() async throws {
      while true {
        try Task.checkCancellation()
        let sleepers = state.withLock { state in
          defer { state.sleepers = [:] }
          return state.sleepers.values
        }
        for sleeper in sleepers { sleeper.finish() }
        if !sleepers.isEmpty { return }
        for await _ in arrivals { break }
      }
    }
  }
#endif
