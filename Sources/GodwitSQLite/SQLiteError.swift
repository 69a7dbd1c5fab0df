internal import CSQLite

/// An error of SQLite, with its statement. It does not contain the arguments, because they may be coordinates or tokens.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// SQLite's extended result code, as in <https://sqlite.org/rescode.html>.
  public let code: Int32
  /// SQLite's own message.
  public let message: String
  public let sql: String?
  public let path: String

  init(code: Int32, message: String, sql: String?, path: String) {
    self.code = code
    self.message = message
    self.sql = sql
    self.path = path
  }

  /// The result code without its extension.
  public var primaryCode: Int32 { code & 0xFF }
  /// The disk is full.
  public var isFull: Bool { primaryCode == SQLITE_FULL }
  /// Another connection held the lock for longer than the timeout.
  public var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }
  /// The file, its folder or its disk is read-only, or the file cannot be opened.
  public var isReadOnly: Bool { [SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN].contains(primaryCode) }
  /// The disk reports an error.
  public var isDevice: Bool { primaryCode == SQLITE_IOERR && code != CheckedFileSystem.checksumMismatch }
  /// The file is not a database, or is damaged.
  public var isCorrupt: Bool {
    primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB || code == CheckedFileSystem.checksumMismatch
  }
  /// The system failed to read: `SQLITE_IOERR_READ`.
  static let readFailed = SQLITE_IOERR | 1 << 8

  public var description: String {
    // The message is about the damaged page, not about the statement that read it.
    if code == CheckedFileSystem.checksumMismatch {
      return
        "\(path): \(message). The file is damaged: `godwit verify` names all of the damage; "
        + "with --repair-from it repairs a store with a snapshot."
    }
    var text = "\(path): \(message) (SQLite code \(code))"
    if let sql { text += " in: \(sql)" }
    switch primaryCode {
    case SQLITE_FULL: text += ". Free some space on the disk and try again."
    case SQLITE_CANTOPEN: text += ". Check that the folder exists and is writable."
    case SQLITE_READONLY, SQLITE_PERM: text += ". Check owner and mode of the file and the folder."
    case SQLITE_BUSY: text += ". Another program has locked the file; end it, or try again."
    case SQLITE_NOTADB: text += ". The file is not a database of this program; check the path."
    default: break
    }
    return text
  }
}
