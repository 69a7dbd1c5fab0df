internal import GodwitSQLite
internal import Synchronization

/// Read-only connections, opened as they are needed and used by one caller at a time.
///
/// `@unchecked Sendable`: `kept` is under the lock; a connection is in `idle`, under the lock, or with exactly one caller.
final class ReaderPool: @unchecked Sendable {
  private let path: String
  private let lock = Mutex<Void>(())
  private var idle: [Database] = []
  /// Connections that are kept open while nobody reads.
  private var kept = 4

  init(path: String) { self.path = path }

  /// Closes what is open, and keeps nothing open from now on.
  func close() {
    lock.withLock { _ in
      kept = 0
      idle.removeAll()
    }
  }

  /// Runs `body` on a connection, in one read transaction: it sees one state of the database.
  func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let connection = try lock.withLock { _ in idle.popLast() } ?? Database(path: path, access: .readOnly)
    defer {
      lock.withLock { _ in
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
