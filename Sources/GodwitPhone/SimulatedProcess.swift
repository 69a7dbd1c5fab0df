internal import Synchronization

/// The process of a simulated program. Its work waits in one queue and runs in order on the thread of the simulation. The work of a
/// suspended process waits; a process that has ended accepts no more calls.
///
/// As a `TaskExecutor` it also runs Swift's tasks, so that their order depends only on the order in which they become ready.
package final class SimulatedProcess: TaskExecutor {
  private enum Work: Sendable {
    case job(UnownedJob)
    case call(@Sendable () -> Void)
  }

  private struct State {
    var queue: [Work] = []
    var next = 0
    var isSuspended = false
    var isOver = false
  }

  private let state = Mutex(State())

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.queue.append(.job(job)) }
  }

  /// Enqueues a call after all waiting work. A process that has ended drops it.
  package func perform(_ call: @escaping @Sendable () -> Void) {
    state.withLock { if !$0.isOver { $0.queue.append(.call(call)) } }
  }

  package var isSuspended: Bool {
    get { state.withLock { $0.isSuspended } }
    set { state.withLock { $0.isSuspended = newValue } }
  }

  /// Whether work waits that could run now.
  package var hasWork: Bool { state.withLock { !$0.isSuspended && $0.next < $0.queue.count } }

  /// Ends the process: its work runs only to release memory, and has no effect on the simulation.
  package func end() { state.withLock { ($0.isOver, $0.isSuspended) = (true, false) } }

  /// Runs all waiting work, and the work that it adds.
  package func drain() {
    let executor = asUnownedTaskExecutor()
    while let work = next() {
      switch work {
      case .job(let job): job.runSynchronously(on: executor)
      case .call(let call): call()
      }
    }
  }

  private func next() -> Work? {
    state.withLock { state in
      guard !state.isSuspended, state.next < state.queue.count else {
        if state.next == state.queue.count {
          state.queue.removeAll(keepingCapacity: true)
          state.next = 0
        }
        return nil
      }
      defer { state.next += 1 }
      return state.queue[state.next]
    }
  }
}
