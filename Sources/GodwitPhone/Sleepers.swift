internal import GodwitSimulator

/// Tasks of the app that wait for a time.
struct Sleepers: Sendable {
  typealias Ticket = Schedule<SimulatedPhone.Alarm>.Ticket

  private struct Sleeper: Sendable {
    var continuation: UnsafeContinuation<Void, any Error>
    var ticket: Ticket
  }

  private var sleepers: [Int: Sleeper] = [:]
  private var count = 0

  /// Names a task that is about to wait.
  mutating func number() -> Int {
    count += 1
    return count
  }

  mutating func add(_ number: Int, _ ticket: Ticket, _ continuation: UnsafeContinuation<Void, any Error>) {
    sleepers[number] = Sleeper(continuation: continuation, ticket: ticket)
  }

  /// Its time has come.
  mutating func wake(_ number: Int) { sleepers.removeValue(forKey: number)?.continuation.resume() }

  /// It waits no more. - Returns: what was planned for it; `nil`: it did not wait.
  mutating func cancel(_ number: Int) -> Ticket? {
    guard let sleeper = sleepers.removeValue(forKey: number) else { return nil }
    sleeper.continuation.resume(throwing: CancellationError())
    return sleeper.ticket
  }
}
