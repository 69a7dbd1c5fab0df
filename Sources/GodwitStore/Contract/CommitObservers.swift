internal import Synchronization

/// The observers of commits.
final class CommitObservers: Sendable {
  // A struct, because Swift wraps a bare closure in another generic box at each access, so the boxes accumulate.
  private struct Observer {
    var tell: @Sendable ([(Submission, SubmissionResult)]) -> Void
  }
  private let observers = Mutex<[Observer]>([])

  func add(_ new: @escaping @Sendable ([(Submission, SubmissionResult)]) -> Void) {
    observers.withLock { $0.append(Observer(tell: new)) }
  }

  func notify(_ group: [(Submission, SubmissionResult)]) { for observer in observers.withLock({ $0 }) { observer.tell(group) } }
}
