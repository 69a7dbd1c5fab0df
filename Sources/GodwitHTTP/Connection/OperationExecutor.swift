internal import Dispatch

/// Runs operations on separate threads. Swift's shared pool has only as many threads as processors, and callers of
/// `HTTPServer.respond(_:)` may block all of them until the response is complete.
final class OperationExecutor: TaskExecutor {
  static let shared = OperationExecutor()
  private let queue = DispatchQueue(label: "godwit.operations", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
