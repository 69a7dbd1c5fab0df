package import GodwitHTTP
internal import GodwitStore

extension Problem {
  /// The answer where the store has failed: its reason without a path or a statement, which only the log gets.
  /// - Parameters:
  ///   - title: a few words.
  ///   - error: the store's.
  ///   - retryAfter: seconds.
  package static func unavailable(_ title: String, _ error: any Error, retryAfter: Int = 5) -> Problem {
    if let problem = error as? Problem { return problem }
    // A damaged block does not get better by waiting.
    var problem =
      error is DamagedBlock
      ? Problem(500, title, StoreFault.reason(of: error))
      : Problem(503, title, StoreFault.reason(of: error), retryAfter: retryAfter)
    problem.cause = "\(error)"
    return problem
  }
}
