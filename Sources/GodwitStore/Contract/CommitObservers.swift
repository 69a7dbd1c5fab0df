internal import Synchronization

/// Who wants to know of commits.
final class CommitObservers: Sendable {
  // In a structure, because a bare closure in a generic box is wrapped anew at every access, and never unwrapped.
  private struct Observer {
    var tell: @Sendable ([(Submission, SubmissionResult)]) -> Void
  }
  private let observers = Mutex<[Observer]>([])

  func add(_ new: @escaping @Sendable ([(Submission, SubmissionResult)]) -> Void) {
    observers.withLock { $0.append(Observer(tell: new)) }
  }

  func tell(_ group: [(Submission, SubmissionResult)]) { for observer in observers.withLock({ $0 }) { observer.tell(group) } }
}
