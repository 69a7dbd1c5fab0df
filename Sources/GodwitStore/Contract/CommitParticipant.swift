/// Takes part in the transactions that store records: what it writes is there exactly when they are. Called by one transaction
/// at a time.
///
/// Where several servers share a database (``SQLDialect/isShared``), no other server stores anything of the group's devices until the
/// transaction ends; between two transactions others do.
package protocol CommitParticipant: AnyObject, Sendable {
  /// A transaction has begun, and nothing has been written in it.
  /// - Parameters:
  ///   - group: what it is going to store.
  ///   - connection: in it.
  func begin(_ group: [Submission], in connection: any SQLConnection) throws
  /// After a submission's records were written.
  /// - Parameters:
  ///   - submission: what came.
  ///   - stored: its result, to which the participant may add.
  ///   - connection: in its transaction.
  func process(_ submission: Submission, _ stored: inout SubmissionResult, in connection: any SQLConnection) throws
  /// After the last submission of the transaction was written.
  /// - Parameter connection: in it.
  func end(in connection: any SQLConnection) throws
  /// Discards what was read and written: the transaction was rolled back.
  func discardState()
}

extension CommitParticipant {
  package func end(in connection: any SQLConnection) throws {}
}
