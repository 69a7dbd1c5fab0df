/// An error of the store.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The queue is full; nothing was stored.
  case busy
  /// The store has been closed.
  case closed
  /// All sessions with PostgreSQL were in use for the whole timeout.
  case noSession(seconds: Int)
  /// Other servers changed a table during each attempt of a transaction. Nothing was stored.
  case contended(table: String)
  /// A table lacks a row that must exist or was just inserted.
  case missingRow(table: String)
  /// A write ended without a result.
  case noResult

  public var description: String {
    switch self {
    case .busy: "Too many requests are waiting. Try again in a moment."
    case .closed: "The server is stopping. Try again in a moment."
    case .noSession(let seconds):
      "All sessions with the database were in use for \(seconds) seconds. Try again in a moment; pg_stat_activity shows long queries."
    case .contended(let table): "Other servers changed the table \(table) at each attempt. Try again in a moment."
    case .missingRow(let table):
      "The table \(table) of the server's database lacks a row that it must have. `godwit doctor --server` checks the database; restore the last backup if it is damaged."
    case .noResult:
      "A write ended without a result: its data may or may not be stored. Send it again; nothing is stored twice."
    }
  }
}
