internal import Foundation
internal import GodwitSQLite

/// Read-only connections, opened as they are needed and used by one caller at a time.
///
/// `@unchecked Sendable`: what varies is under the lock; a connection is in `idle`, under the lock, or with exactly one caller.
final class ReaderPool: @unchecked Sendable {
  private let path: String
  private let lock = NSCondition()
  private var idle: [Database] = []
  /// Connections that are kept open without a reader.
  private var kept = 4
  /// Callers that have one, or are about to.
  private var readers = 0

  private let failed: @Sendable (any Error) -> Void

  /// - Parameters:
  ///   - path: of the database.
  ///   - failed: hears of damage that a reader has met.
  init(path: String, failed: @escaping @Sendable (any Error) -> Void) { (self.path, self.failed) = (path, failed) }

  /// Closes what is open, and keeps nothing open from now on.
  /// - Parameter seconds: that those who read just now have to come to an end.
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
    // The connection has been given back by then, or is closed.
    defer {
      lock.withLock {
        readers -= 1
        lock.signal()
      }
    }
    do { return try borrowing(body) } catch let error as SQLiteError where error.isCorrupt {
      failed(error)
      throw error
    }
  }

  private func borrowing<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let connection = try lock.withLock { idle.popLast() } ?? Database(path: path, access: .readOnly)
    defer {
      lock.withLock {
        if idle.count < kept { idle.append(connection) }
      }
    }
    try connection.execute("BEGIN")
    defer {
      // Ends a read; there is nothing to lose and nothing to tell if SQLite already ended it.
      _ = try? connection.execute("COMMIT")
    }
    return try body(connection)
  }
}
