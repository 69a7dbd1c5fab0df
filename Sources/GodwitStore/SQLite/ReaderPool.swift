internal import Foundation
internal import GodwitSQLite

/// Read-only connections, opened on demand and used by one caller at a time.
///
/// `@unchecked Sendable`: all variables are under the lock; a connection is in `idle`, under the lock, or with exactly
/// one caller.
final class ReaderPool: @unchecked Sendable {
  private let path: String
  private let lock = NSCondition()
  private var idle: [Database] = []
  /// Maximum idle connections.
  private var kept = 4
  /// Callers that have a connection, or are getting one.
  private var readers = 0

  private let failed: @Sendable (any Error) -> Void

  /// - Parameters:
  ///   - path: the path of the database.
  ///   - failed: receives errors of readers.
  init(path: String, failed: @escaping @Sendable (any Error) -> Void) { (self.path, self.failed) = (path, failed) }

  /// Closes idle connections, and leaves none open from now on.
  /// - Parameter seconds: time for running reads to end.
  func close(within seconds: Double = 5) {
    let end = Date(timeIntervalSinceNow: seconds)
    lock.withLock {
      kept = 0
      idle.removeAll()
      while readers > 0, lock.wait(until: end) {}
    }
  }

  /// Runs `body` on a connection, in one read transaction: it sees one state of the database.
  func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    lock.withLock { readers += 1 }
    // The connection has been returned by then, or is closed.
    defer {
      lock.withLock {
        readers -= 1
        lock.signal()
      }
    }
    do { return try borrowing(body) } catch {
      if (error as? SQLiteError)?.isCorrupt ?? (error is DamagedBlock) { failed(error) }
      throw error
    }
  }

  private func borrowing<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let connection = try lock.withLock { idle.popLast() } ?? Database(path: path, access: .readOnly)
    defer {
      lock.withLock {
        // A transaction that could not be ended would keep its state of the database.
        if idle.count < kept, !connection.isInTransaction { idle.append(connection) }
      }
    }
    try connection.execute("BEGIN")
    defer {
      // Ends a read; an error only means that SQLite has ended it already.
      _ = try? connection.execute("COMMIT")
    }
    return try body(connection)
  }
}
