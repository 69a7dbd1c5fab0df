package import GodwitHTTP
internal import GodwitStore

extension Problem {
  /// Returns the problem of a store failure. It contains the reason without paths and SQL statements, which are written
  /// only to the log.
  /// - Parameters:
  ///   - title: the title of the problem.
  ///   - error: the error of the store.
  ///   - retryAfter: seconds until a retry.
  package static func unavailable(_ title: String, _ error: any Error, retryAfter: Int = 5) -> Problem {
    if let problem = error as? Problem { return problem }
    // A retry does not help with a damaged block.
    var problem =
      error is DamagedBlock
      ? Problem(500, title, StoreFault.reason(of: error))
      : Problem(503, title, StoreFault.reason(of: error), retryAfter: retryAfter)
    problem.cause = "\(error)"
    return problem
  }
}
