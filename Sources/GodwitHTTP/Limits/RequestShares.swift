internal import Synchronization

/// Counts the concurrent requests and streams of each client.
package final class RequestShares: Sendable {
  package enum Subject: Hashable, Sendable {
    case requests(RateLimiter.Subject)
    case streams(RateLimiter.Subject)
    case networkStreams(ClientNetwork)
  }

  /// A unit of a limit. It is returned when this object is released.
  package final class Share: Sendable {
    private let shares: RequestShares
    private let subject: Subject

    fileprivate init(_ shares: RequestShares, _ subject: Subject) { (self.shares, self.subject) = (shares, subject) }

    deinit { shares.leave(subject) }
  }

  package init() {}

  private let counts = Mutex<[Subject: Int]>([:])

  /// Takes a unit of a limit.
  /// - Parameters:
  ///   - subject: the client and the kind of activity.
  ///   - limit: the maximum concurrent units; 0: no limit.
  /// - Returns: `nil` if the limit is reached.
  package func enter(_ subject: Subject, limit: Int) -> Share? {
    let isTaken = counts.withLock { counts in
      let count = counts[subject] ?? 0
      guard limit <= 0 || count < limit else { return false }
      counts[subject] = count + 1
      return true
    }
    return isTaken ? Share(self, subject) : nil
  }

  private func leave(_ subject: Subject) {
    counts.withLock { counts in
      guard let count = counts[subject] else { return }
      counts[subject] = count > 1 ? count - 1 : nil
    }
  }

  /// Number of subjects with at least one unit.
  package var count: Int { counts.withLock { $0.count } }
}
