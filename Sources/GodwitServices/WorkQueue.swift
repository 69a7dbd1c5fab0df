package import Dispatch

/// A queue for work of a server. A serial queue runs work in the order in which it was added.
package struct WorkQueue: Sendable {
  private let add: @Sendable (@escaping @Sendable () -> Void) -> Void

  private let wait: @Sendable (() -> Void) -> Void

  package init(_ queue: DispatchQueue) {
    add = { queue.async(execute: $0) }
    wait = { queue.sync(execute: $0) }
  }

  /// - Parameter add: runs work later on the thread of all callers, and never before `add` returns.
  init(add: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    self.add = add
    wait = { $0() }
  }

  /// Runs work later.
  package func async(_ work: @escaping @Sendable () -> Void) { add(work) }

  /// Runs work on a serial queue and returns after it. Must not be called from work of the same queue.
  package func sync(_ work: () -> Void) { wait(work) }

  /// Runs work that may block its thread on this queue, and returns its result.
  package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      async { continuation.resume(with: Result { try work() }) }
    }
  }
}

/// The executors of a server's work: queues and threads of the system, or in a simulation one serial executor, which makes the order of
/// execution deterministic.
package struct WorkQueues: Sendable {
  /// Runs the tasks of the server; `nil`: Swift's shared pool.
  package let executor: (any TaskExecutor)?
  /// The common queue of all parts; `nil`: each part has its own queue or thread.
  package let single: WorkQueue?

  private init(executor: (any TaskExecutor)?, single: WorkQueue?) { (self.executor, self.single) = (executor, single) }

  /// Queues and threads of the system.
  package static let system = WorkQueues(executor: nil, single: nil)

  /// One serial executor for all work.
  /// - Parameters:
  ///   - executor: runs tasks, one after the other.
  ///   - add: runs work on the same executor later, and never before `add` returns.
  package static func serial(
    on executor: any TaskExecutor, add: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) -> WorkQueues {
    WorkQueues(executor: executor, single: WorkQueue(add: add))
  }

  /// Returns a queue for a part of the server.
  /// - Parameters:
  ///   - label: its name in a debugger.
  ///   - isConcurrent: whether the queue may run several pieces of work at the same time.
  ///   - priority: its priority.
  package func queue(_ label: String, isConcurrent: Bool = false, priority: DispatchQoS = .unspecified) -> WorkQueue {
    single ?? WorkQueue(DispatchQueue(label: label, qos: priority, attributes: isConcurrent ? .concurrent : []))
  }
}
