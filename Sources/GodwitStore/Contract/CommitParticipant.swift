/// Takes part in the transactions that store records: its writes commit with them. One transaction calls it at a time.
///
/// If several servers share a database (``SQLDialect/isShared``), no other server stores records of the group's devices until the
/// transaction ends. Between two transactions other servers may store such records.
package protocol CommitParticipant: AnyObject, Sendable {
  /// Called after a transaction began, before any write.
  /// - Parameters:
  ///   - group: the submissions that it will store.
  ///   - db: the transaction's connection.
  func begin(_ group: [Submission], _ db: any SQLConnection) throws
  /// Called after the records of a submission were written.
  /// - Parameters:
  ///   - submission: the submission.
  ///   - stored: its result, to which the participant may add.
  ///   - db: the transaction's connection.
  func process(_ submission: Submission, _ stored: inout SubmissionResult, _ db: any SQLConnection) throws
  /// Called after the last submission of the transaction was written.
  /// - Parameter db: the transaction's connection.
  func end(_ db: any SQLConnection) throws
  /// Discards state that was read or written in a transaction that was rolled back.
  func discardState()
}

extension CommitParticipant {
  package func end(_ db: any SQLConnection) throws {}
}
