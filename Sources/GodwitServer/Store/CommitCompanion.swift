/// Takes part in the transactions that store records: what it writes is there exactly when they are. Called by one transaction
/// at a time.
///
/// Where several servers share a database (``SQLDialect/isShared``), nobody else stores anything of the group's devices until the
/// transaction ends; between two transactions others do.
package protocol CommitCompanion: AnyObject, Sendable {
  /// A transaction has begun, and nothing has been written in it.
  /// - Parameters:
  ///   - group: what it is going to store.
  ///   - connection: in it.
  func begin(_ group: [Submission], in connection: any SQLConnection) throws
  /// After a submission's records were written.
  /// - Parameters:
  ///   - submission: what came.
  ///   - stored: what became of it; what happened because of it may be added.
  ///   - connection: in its transaction.
  func accompany(_ submission: Submission, _ stored: inout Stored, in connection: any SQLConnection) throws
  /// After the last submission of the transaction was written.
  /// - Parameter connection: in it.
  func end(in connection: any SQLConnection) throws
  /// A transaction was rolled back: what it read and wrote is not so.
  func forget()
  /// Another transaction of this store was committed: what was read before may not be so any more. Called where one connection does
  /// all writing; elsewhere each transaction reads anew.
  func othersWrote()
}

extension CommitCompanion {
  package func end(in connection: any SQLConnection) throws {}
  package func othersWrote() {}
}
