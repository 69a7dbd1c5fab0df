internal import GodwitSimulator

/// The sleeping tasks of the app.
struct Sleepers: Sendable {
  typealias Ticket = Schedule<SimulatedPhone.Alarm>.Ticket

  private struct Sleeper: Sendable {
    var continuation: UnsafeContinuation<Void, any Error>
    /// The scheduled end of the sleep; `nil`: the sleep is due.
    var ticket: Ticket?
  }

  private var sleepers: [Int: Sleeper] = [:]
  private var count = 0
  /// The sleeps that became due while the processor was idle, in order.
  private var postponed: [Int] = []

  /// Returns the number of a new sleep.
  mutating func number() -> Int {
    count += 1
    return count
  }

  mutating func add(_ number: Int, _ ticket: Ticket, _ continuation: UnsafeContinuation<Void, any Error>) {
    sleepers[number] = Sleeper(continuation: continuation, ticket: ticket)
  }

  /// Ends a sleep that is due.
  mutating func wake(_ number: Int) { sleepers.removeValue(forKey: number)?.continuation.resume() }

  /// Postpones a sleep that is due until ``wakePostponed()``, because the processor is idle.
  mutating func postpone(_ number: Int) {
    guard sleepers[number] != nil else { return }
    sleepers[number]?.ticket = nil
    postponed.append(number)
  }

  /// Ends the postponed sleeps when the processor runs again.
  mutating func wakePostponed() {
    let numbers = postponed
    postponed = []
    for number in numbers { wake(number) }
  }

  /// Cancels a sleep. - Returns: its scheduled end; `nil`: none.
  mutating func cancel(_ number: Int) -> Ticket? {
    guard let sleeper = sleepers.removeValue(forKey: number) else { return nil }
    sleeper.continuation.resume(throwing: CancellationError())
    return sleeper.ticket
  }
}
