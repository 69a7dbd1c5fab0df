internal import GodwitSimulator

/// Tasks of the app that wait for a time.
struct Sleepers: Sendable {
  typealias Ticket = Schedule<SimulatedPhone.Alarm>.Ticket

  private struct Sleeper: Sendable {
    var continuation: UnsafeContinuation<Void, any Error>
    /// `nil`: its time has come.
    var ticket: Ticket?
  }

  private var sleepers: [Int: Sleeper] = [:]
  private var count = 0
  /// Those whose time came while the processor slept, in this order.
  private var postponed: [Int] = []

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

  /// Its time has come, and the processor sleeps: it waits until ``wakePostponed()``.
  mutating func postpone(_ number: Int) {
    guard sleepers[number] != nil else { return }
    sleepers[number]?.ticket = nil
    postponed.append(number)
  }

  /// The processor works again.
  mutating func wakePostponed() {
    let numbers = postponed
    postponed = []
    for number in numbers { wake(number) }
  }

  /// It waits no more. - Returns: what is still planned for it; `nil`: nothing.
  mutating func cancel(_ number: Int) -> Ticket? {
    guard let sleeper = sleepers.removeValue(forKey: number) else { return nil }
    sleeper.continuation.resume(throwing: CancellationError())
    return sleeper.ticket
  }
}
