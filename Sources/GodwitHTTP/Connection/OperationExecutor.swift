internal import Dispatch

/// Runs operations on threads of its own. The threads of Swift's shared pool are as many as processors; callers of
/// `HTTPServer.respond(_:)` may block all of them until the answer is there.
final class OperationExecutor: TaskExecutor {
  static let shared = OperationExecutor()
  private let queue = DispatchQueue(label: "godwit.operations", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
