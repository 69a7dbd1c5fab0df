package import Foundation
package import GodwitServices
internal import Synchronization

/// The database of the stores: points, regions, accounts and everything else, so that related writes share a transaction.
package protocol StoreDatabase: TrackStore {
  /// The kind of database.
  var dialect: SQLDialect { get }

  /// The clock of everything that works with this database.
  var clock: ServerClock { get }

  /// The queues on which all work with this database runs.
  var queues: WorkQueues { get }

  /// Whether the store can write.
  var health: StoreHealth { get }

  /// Checks the whole database for damage, and reports the result to ``health``. Blocks the thread, for minutes if the database is
  /// large. Ends early when the store is closed.
  func checkIntegrity(at now: Date)

  /// Checkpoints the write-ahead log into the database, if there is one.
  func moveLog()

  /// Whether the disk of the database has room for more than a few pages; `true` if this cannot be determined.
  var hasRoom: Bool { get }

  /// Reads in one transaction: `body` sees one state of the database. May be called on any thread, which it blocks.
  func read<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value

  /// Writes in one transaction, in the same queue as records.
  /// - Parameters:
  ///   - body: may run twice, if other work in the same transaction fails; only the last run is committed.
  ///   - completion: called once, on a thread of the store, after the commit or the failure.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void)

  /// Stores what is pending before it returns, if the store has no thread of its own. Otherwise returns at once.
  func commitPending()

  /// Removes copies of deleted rows from the pages of the database. SQLite overwrites deleted rows, but not their copies in the
  /// free part of a split page. Does not rewrite a large database.
  /// - Returns: `false` if another writer or a full disk prevented the removal.
  func removeCopies() throws -> Bool

  /// Returns unused space of the database's files to the file system, if it is a large part of them.
  func reclaimSpace() throws

  /// Removes deleted data from the write-ahead log, unless readers use the log.
  /// - Returns: whether the log contains no more deleted data.
  func clearDeleted() throws -> Bool

  /// Adds a participant to the transactions that store records, after the existing ones.
  func addParticipant(_ participant: any CommitParticipant)

  /// Calls `observer` after each commit of records, on a thread of the store, after the existing observers.
  /// - Parameter observer: receives the stored submissions, in order.
  func observeCommits(_ observer: @escaping @Sendable ([(Submission, SubmissionResult)]) -> Void)
}

extension StoreDatabase {
  /// Writes in one transaction, and returns after the commit.
  @discardableResult
  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in write(body) { continuation.resume(with: $0) } }
  }

  /// Writes in one transaction, and blocks the thread until the commit. Must not be called on a thread of the store.
  @discardableResult
  package func writeAndWait<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex<Result<Value, any Error>>(.failure(StoreError.noResult))
    write(body) { result in
      outcome.withLock { $0 = result }
      done.signal()
    }
    commitPending()
    done.wait()
    return try outcome.withLock { $0 }.get()
  }
}
