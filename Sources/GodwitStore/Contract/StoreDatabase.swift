package import Foundation
package import GodwitServices
internal import Synchronization

/// The database of the stores: points, regions, accounts and everything else, so that related writes share a
/// transaction.
package protocol StoreDatabase: TrackStore {
  /// The kind of database.
  var dialect: SQLDialect { get }

  /// The clock of everything that works with this database.
  var clock: ServerClock { get }

  /// Where the work of everything that uses this database runs.
  var queues: WorkQueues { get }

  /// Whether the store can write.
  var health: StoreHealth { get }

  /// Checks all of the database for damage, and reports to ``health``. Blocks the thread, for minutes if the database
  /// is large; ends when the store is closed.
  func checkIntegrity(at now: Date)

  /// Checkpoints the write-ahead log into the database, if there is one.
  func moveLog()

  /// Whether the disk of the database has room for more than a few pages, as far as this program can determine.
  var hasRoom: Bool { get }

  /// Reads in one transaction: `body` sees one state of the database. Any thread; blocks it.
  func read<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value

  /// Writes in one transaction, in the same queue as records.
  /// - Parameters:
  ///   - body: may run twice, if other work in the same transaction fails; only the last run is committed.
  ///   - completion: called once, on a thread of the store, after the commit or the failure.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void)

  /// Stores what is pending before it returns, if the store has no thread of its own; otherwise its threads do.
  func commitPending()

  /// Removes copies of deleted rows from the database's pages: SQLite overwrites deleted rows, but not the copies in
  /// the free part of a split page. A large database is not rewritten.
  /// - Returns: whether it is done; other writers may prevent it.
  func removeCopies() throws -> Bool

  /// Returns space of the database's files that is no longer used to the file system, if it is a large part of them.
  func reclaimSpace() throws

  /// Removes deleted data from the write-ahead log, unless readers use it.
  /// - Returns: whether no deleted data is left in the log.
  func clearDeleted() throws -> Bool

  /// Adds a participant to the transactions that store records, after the existing ones.
  func addParticipant(_ participant: any CommitParticipant)

  /// Calls `observer` after each commit of records, on a thread of the store, after the existing observers.
  /// - Parameter observer: receives the stored submissions, in order.
  func observeCommits(_ observer: @escaping @Sendable ([(Submission, SubmissionResult)]) -> Void)
}

extension StoreDatabase {
  /// The same, and waits for the commit.
  @discardableResult
  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in write(body) { continuation.resume(with: $0) } }
  }

  /// The same for callers that may block their thread; never a thread of the store.
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
