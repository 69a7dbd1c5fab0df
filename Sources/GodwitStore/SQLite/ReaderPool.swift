internal import Foundation
internal import GodwitSQLite

/// A pool of read-only connections. Connections are opened on demand, and one caller uses each at a time.
///
/// `@unchecked Sendable`: all variables are accessed only while `lock` is locked. A connection is either in `idle` or used by
/// exactly one caller.
final class ReaderPool: @unchecked Sendable {
  private let path: String
  private let lock = NSCondition()
  private var idle: [Database] = []
  /// Maximum idle connections.
  private var kept = 4
  /// Callers that have a connection or are opening one.
  private var readers = 0

  private let failed: @Sendable (any Error) -> Void

  /// - Parameters:
  ///   - path: the path of the database.
  ///   - failed: receives errors of readers.
  init(path: String, failed: @escaping @Sendable (any Error) -> Void) { (self.path, self.failed) = (path, failed) }

  /// Closes idle connections, and keeps none open from now on.
  /// - Parameter seconds: the maximum time to wait for running reads.
  func close(within seconds: Double = 5) {
    let end = Date(timeIntervalSinceNow: seconds)
    lock.withLock {
      kept = 0
      idle.removeAll()
      while readers > 0, lock.wait(until: end) {}
    }
  }

  /// Runs `body` on a connection, in one read transaction: `body` sees one state of the database.
  func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    lock.withLock { readers += 1 }
    // At this point the connection is in the pool again, or closed.
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
        // A connection whose transaction could not be ended would keep seeing the old state of the database.
        if idle.count < kept, !connection.isInTransaction { idle.append(connection) }
      }
    }
    try connection.execute("BEGIN")
    defer {
      // Ends the read transaction. An error only means that SQLite has already ended it.
      _ = try? connection.execute("COMMIT")
    }
    return try body(connection)
  }
}
