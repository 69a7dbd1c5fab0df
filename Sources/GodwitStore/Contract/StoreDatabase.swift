package import Foundation
internal import Synchronization

/// The database behind the stores: points, regions, accounts and all else that the server keeps lie in one, so that what belongs
/// together is stored together or not at all.
package protocol StoreDatabase: TrackStore {
  /// Which it is.
  var dialect: SQLDialect { get }

  /// Whether it can store.
  var health: StoreHealth { get }

  /// Looks through all of it for damage, and reports to ``health``. Blocks the thread, for minutes where there is much; ends when the
  /// store is closed.
  func checkIntegrity(at now: Date)

  /// Moves what lies in the log beside the database into the database, where there is such a log.
  func moveLog()

  /// Whether the disk of the database has room for more than a few pages, as far as this program can see.
  var hasRoom: Bool { get }

  /// Reads, in one transaction: `body` sees one state of the database. Any thread, and blocks it.
  func read<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value

  /// Writes in one transaction, in the line in which records wait as well.
  /// - Parameters:
  ///   - body: may run twice, where others' work in the same transaction fails; only what it did last holds.
  ///   - completion: called once, on a thread of the store, after the commit or the failure.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void)

  /// Removes copies of deleted rows from the database's pages: SQLite overwrites deleted rows, but not the copies that stay in the
  /// free part of a page that was divided. A large database stays as it is.
  /// - Returns: whether it is done; others may be writing.
  func removeCopies() throws -> Bool

  /// Removes what was deleted from the files beside the database, as far as no reader holds them.
  /// - Returns: whether nothing of it is left in them.
  func clearDeleted() throws -> Bool

  /// Adds a participant to the transactions that store records, from now on, after those who do already.
  func addParticipant(_ participant: any CommitParticipant)

  /// Calls `observer` after each commit of records, on a thread of the store, after those who are called already.
  /// - Parameter observer: is given what was stored, in order.
  func observeCommits(_ observer: @escaping @Sendable ([(Submission, SubmissionResult)]) -> Void)
}

extension StoreDatabase {
  /// The same, waited for.
  @discardableResult
  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in write(body) { continuation.resume(with: $0) } }
  }

  /// The same for who has a thread to block; never one of the store's own.
  @discardableResult
  package func writeAndWait<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex<Result<Value, any Error>>(.failure(StoreError.closed))
    write(body) { result in
      outcome.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    return try outcome.withLock { $0 }.get()
  }
}
