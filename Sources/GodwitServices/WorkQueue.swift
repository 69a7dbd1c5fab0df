package import Dispatch

/// A queue of work of a server. Work on a serial queue runs in the order in which it was added.
package struct WorkQueue: Sendable {
  private let add: @Sendable (@escaping @Sendable () -> Void) -> Void

  private let wait: @Sendable (() -> Void) -> Void

  package init(_ queue: DispatchQueue) {
    add = { queue.async(execute: $0) }
    wait = { queue.sync(execute: $0) }
  }

  /// - Parameter add: runs work later on the thread that all callers have, and never before it returns.
  init(add: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    self.add = add
    wait = { $0() }
  }

  /// Runs work later.
  package func async(_ work: @escaping @Sendable () -> Void) { add(work) }

  /// Runs work on a serial queue, between other work, and returns after it. Never from work of the same queue.
  package func sync(_ work: () -> Void) { wait(work) }

  /// Runs work that may block its thread on this queue, and returns after it.
  package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      async { continuation.resume(with: Result { try work() }) }
    }
  }
}

/// Where the work of a server runs: on queues and threads of the system, or in a simulation on one serial executor, where the order of
/// everything follows from the order in which it was added.
package struct WorkQueues: Sendable {
  /// Runs the tasks of the server; `nil`: Swift's shared pool.
  package let executor: (any TaskExecutor)?
  /// The one queue of all parts; `nil`: each has its own, or a thread.
  package let single: WorkQueue?

  private init(executor: (any TaskExecutor)?, single: WorkQueue?) { (self.executor, self.single) = (executor, single) }

  /// Queues and threads of the system.
  package static let system = WorkQueues(executor: nil, single: nil)

  /// One serial executor for everything.
  /// - Parameters:
  ///   - executor: runs tasks, one after the other.
  ///   - add: runs work on the same executor later, and never before it returns.
  package static func serial(
    on executor: any TaskExecutor, add: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) -> WorkQueues {
    WorkQueues(executor: executor, single: WorkQueue(add: add))
  }

  /// A queue of one part of the server.
  /// - Parameters:
  ///   - label: its name in a debugger.
  ///   - isConcurrent: whether several pieces of its work may run at once.
  ///   - priority: its priority.
  package func queue(_ label: String, isConcurrent: Bool = false, priority: DispatchQoS = .unspecified) -> WorkQueue {
    single ?? WorkQueue(DispatchQueue(label: label, qos: priority, attributes: isConcurrent ? .concurrent : []))
  }
}
