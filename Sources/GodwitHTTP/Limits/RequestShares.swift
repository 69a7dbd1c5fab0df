internal import Synchronization

/// Counts what is going on at the same time, for each client.
package final class RequestShares: Sendable {
  package enum Subject: Hashable, Sendable {
    case requests(RateLimiter.Subject)
    case streams(RateLimiter.Subject)
    case networkStreams(ClientNetwork)
  }

  /// A part of a limit, until it is released.
  package final class Share: Sendable {
    private let shares: RequestShares
    private let subject: Subject

    fileprivate init(_ shares: RequestShares, _ subject: Subject) { (self.shares, self.subject) = (shares, subject) }

    deinit { shares.leave(subject) }
  }

  package init() {}

  private let counts = Mutex<[Subject: Int]>([:])

  /// Takes a part of a limit.
  /// - Parameters:
  ///   - subject: what is limited.
  ///   - limit: how many of it there may be; 0: any number.
  /// - Returns: `nil` where there are as many already.
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

  /// Subjects that have something.
  package var count: Int { counts.withLock { $0.count } }
}
