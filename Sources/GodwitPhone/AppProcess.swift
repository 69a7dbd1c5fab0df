internal import Synchronization

/// The running program of an app on a simulated phone: what it wants to do waits in one line and is done one after the other on
/// the thread that runs the phone. A suspended process does nothing and everything waits; one that has ended does nothing ever
/// again.
///
/// As a `TaskExecutor` it runs Swift's tasks as well, so that their order depends on nothing but the order in which they became
/// ready.
final class AppProcess: TaskExecutor {
  private enum Work: Sendable {
    case job(UnownedJob)
    case call(@Sendable () -> Void)
  }

  private struct State {
    var line: [Work] = []
    var next = 0
    var isSuspended = false
    var isOver = false
  }

  private let state = Mutex(State())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.line.append(.job(job)) }
  }

  /// Runs something after everything that waits already. Of a process that has ended it is dropped.
  func perform(_ call: @escaping @Sendable () -> Void) {
    state.withLock { if !$0.isOver { $0.line.append(.call(call)) } }
  }

  var isSuspended: Bool {
    get { state.withLock { $0.isSuspended } }
    set { state.withLock { $0.isSuspended = newValue } }
  }

  /// Something waits that could be done now.
  var hasWork: Bool { state.withLock { !$0.isSuspended && $0.next < $0.line.count } }

  /// It has ended: what it still has to do is done only so that its memory is given back, and is seen by nobody.
  func end() { state.withLock { ($0.isOver, $0.isSuspended) = (true, false) } }

  /// Does everything that waits, and what comes of it.
  func drain() {
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
      guard !state.isSuspended, state.next < state.line.count else {
        if state.next == state.line.count {
          state.line.removeAll(keepingCapacity: true)
          state.next = 0
        }
        return nil
      }
      defer { state.next += 1 }
      return state.line[state.next]
    }
  }
}
