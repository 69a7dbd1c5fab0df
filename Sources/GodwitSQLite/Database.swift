internal import CSQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A connection to a SQLite database file.
///
/// A connection belongs to one thread or actor at a time: the library is opened in its multi-thread mode, without locks of its own.
/// Therefore the type is not `Sendable`.
public final class Database {
  let handle: OpaquePointer
  /// The path of the file, as passed to the initializer. ":memory:" is a database without a file. "memdb:/NAME" is a database
  /// without a file that all connections of the process with this name share, as long as one of them is open.
  public let path: String
  private var cache: [String: Statement] = [:]
  /// A failed transaction is still open, because there was no memory to end it. It is ended before the next statement.
  private var hasFailedTransaction = false

  /// How a commit is made durable.
  public enum Synchronous: String, Sendable {
    /// A commit that has returned survives a power cut. All databases of the server and of trackers use this by default.
    case full = "FULL"
    /// A commit survives a crash of the process. A power cut may undo the newest commits.
    case normal = "NORMAL"
  }

  /// What the connection may do.
  public enum Access: Sendable {
    /// Reads and writes. Creates the file if it does not exist.
    case readWrite
    /// Only reads. The file must exist.
    case readOnly
  }

  /// Opens or creates a database in write-ahead-log mode.
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - access: what the connection may do.
  ///   - synchronous: how a commit is made durable.
  ///   - syncsAll: `false` if some commits are not synced. After a power cut the log of such a database may have a gap, which does
  ///     not count as damage.
  /// - Throws: ``SQLiteError`` if the file cannot be opened, is not a database, or is locked for more than 10 s.
  public convenience init(
    path: String, access: Access = .readWrite, synchronous: Synchronous = .full, syncsAll: Bool = true
  ) throws(SQLiteError) {
    try self.init(path: path, access: access, synchronous: synchronous, syncsAll: syncsAll, checksPages: true)
  }

  /// Opens a file only if it exists: SQLite creates a missing file.
  package convenience init(existing path: String) throws(SQLiteError) {
    guard Self.exists(path) else {
      throw SQLiteError(code: SQLITE_CANTOPEN, message: "the file does not exist", sql: nil, path: path)
    }
    try self.init(path: path)
  }

  private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// - Parameter checksPages: `false` for a file whose pages get no checksums and whose checksums are not checked.
  init(
    path: String, access: Access = .readWrite, synchronous: Synchronous = .full, syncsAll: Bool = true, checksPages: Bool
  ) throws(SQLiteError) {
    var opened: OpaquePointer?
    if access == .readWrite, !Self.isInMemory(path), path != ":memory:", !path.isEmpty { PrivateFile.prepare(path) }
    let mode = access == .readWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
    let code =
      if Self.isInMemory(path) {
        sqlite3_open_v2(String(path.dropFirst("memdb:".count)), &opened, mode | SQLITE_OPEN_NOMUTEX, "memdb")
      } else {
        sqlite3_open_v2(path, &opened, mode | SQLITE_OPEN_NOMUTEX, FolderDisks.vfs(of: path, checksPages: checksPages))
      }
    guard let opened, code == SQLITE_OK else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw SQLiteError(code: code, message: message, sql: nil, path: path)
    }
    handle = opened
    self.path = path
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, 10_000)
    CheckedFileSystem.file(of: handle)?.syncsAll = syncsAll && synchronous == .full
    if access == .readWrite {
      // A new file has checksums. A file without checksums gets them the next time it is rewritten completely.
      if checksPages { reserve(PageChecksum.byteCount) }
      try setLogMode()
    }
    try execute("PRAGMA synchronous = \(synchronous.rawValue)")
    #if canImport(Darwin)
      // On Apple's systems fsync does not flush the cache of the disk; F_FULLFSYNC does.
      if synchronous == .full { try execute("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON") }
    #endif
    try execute("PRAGMA foreign_keys = ON")
  }

  /// Sets write-ahead-log mode. SQLite's busy timeout does not apply while another connection sets the mode of the same new file.
  private func setLogMode() throws(SQLiteError) {
    let end = ContinuousClock.now + .seconds(10)
    while true {
      do throws(SQLiteError) { return try execute("PRAGMA journal_mode = WAL") } catch {
        guard error.isBusy, ContinuousClock.now < end else { throw error }
        sqlite3_sleep(10)
      }
    }
  }

  /// Whether a path is that of a database without a file that several connections share.
  public static func isInMemory(_ path: String) -> Bool { path.hasPrefix("memdb:/") }

  deinit {
    cache.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Runs one or several statements without arguments. Their rows are ignored.
  public func execute(_ sql: String) throws(SQLiteError) {
    if hasFailedTransaction { try endFailedTransaction() }
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw error(code, sql: sql) }
  }

  /// Compiles a statement. If the same text was compiled before, returns that statement, reset.
  public func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if hasFailedTransaction { try endFailedTransaction() }
    if let known = cache[sql] {
      known.reset()
      return known
    }
    let made = try Statement(sql, in: self)
    cache[sql] = made
    return made
  }

  /// Runs one statement to its end, with the arguments bound in order.
  public func run(_ sql: String, _ arguments: any SQLiteValue...) throws(SQLiteError) {
    let statement = try statement(sql)
    try statement.bind(arguments)
    while try statement.step() {}
    statement.reset()
  }

  /// The first column of the first row as an integer; `nil` if there is no row or the value is NULL.
  public func integer(_ sql: String, _ arguments: any SQLiteValue...) throws(SQLiteError) -> Int64? {
    let statement = try statement(sql)
    try statement.bind(arguments)
    defer { statement.reset() }
    return try statement.step() ? statement.optionalInteger(0) : nil
  }

  /// The first column of the first row as text; `nil` if there is no row or the value is NULL.
  public func text(_ sql: String, _ arguments: any SQLiteValue...) throws(SQLiteError) -> String? {
    let statement = try statement(sql)
    try statement.bind(arguments)
    defer { statement.reset() }
    let text = try statement.step() ? statement.optionalText(0) : nil
    try statement.checkMemory()
    return text
  }

  /// Runs `body` in a transaction that acquires the write lock at once. An error rolls everything back.
  public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    // Compiled before the transaction begins, so that ending it needs no memory.
    let rollBack = try statement("ROLLBACK")
    try statement("BEGIN IMMEDIATE").runAndReset()
    do {
      let result = try body()
      try statement("COMMIT").runAndReset()
      return result
    } catch {
      // The error of `body` is thrown, not one of the rollback. SQLite may have rolled back already.
      if isInTransaction { _ = try? rollBack.runAndReset() }
      hasFailedTransaction = isInTransaction
      throw error
    }
  }

  /// Whether a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  private func endFailedTransaction() throws(SQLiteError) {
    let code = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    guard code == SQLITE_OK || !isInTransaction else { throw error(code, sql: "ROLLBACK") }
    hasFailedTransaction = false
  }

  /// Checks the whole file for damage (`PRAGMA quick_check`). This takes milliseconds for some thousand rows.
  /// - Throws: an error whose `isCorrupt` is true if the file is damaged.
  public func checkIntegrity() throws(SQLiteError) {
    if let problem = try problems(maximum: 1).first {
      throw SQLiteError(code: SQLITE_CORRUPT, message: problem, sql: "PRAGMA quick_check", path: path)
    }
  }

  /// The problems that `PRAGMA quick_check` finds in the whole file. Empty if tables and indexes are intact.
  package func problems(maximum: Int) throws(SQLiteError) -> [String] {
    let statement = try statement("PRAGMA quick_check(\(maximum))")
    defer { statement.reset() }
    var results: [String] = []
    while try statement.step() { results.append(statement.text(0)) }
    return results == ["ok"] ? [] : results.isEmpty ? ["no answer"] : results
  }

  /// Interrupts the running statement of the connection. May be called on any thread, but not after the connection was closed.
  public var interrupter: @Sendable () -> Void {
    // SQLite supports this call from other threads.
    nonisolated(unsafe) let handle = handle
    return { sqlite3_interrupt(handle) }
  }

  /// Number of rows that the last INSERT, UPDATE or DELETE statement changed.
  public var changes: Int { Int(sqlite3_changes(handle)) }
  /// Number of rows that were inserted, changed or deleted since the connection was opened.
  public var totalChanges: Int { Int(sqlite3_total_changes(handle)) }
  /// Row identifier of the last insertion into a table with row identifiers.
  public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  // MARK: Checksums

  /// Whether each page of the file has a checksum; `false` for a database without a file.
  package var hasChecksums: Bool { CheckedFileSystem.file(of: handle)?.hasChecksums ?? false }

  /// Whether ``addChecksums()`` would rewrite the file.
  var lacksChecksums: Bool { CheckedFileSystem.file(of: handle).map { !$0.hasChecksums } ?? false }

  /// Preserves the layout of pages, with or without a checksum, when this connection rewrites or copies the whole file.
  package func preserveLayout() { reserve(0) }

  private func reserve(_ count: Int) {
    var bytes = Int32(count)
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes)
  }

  /// Adds a checksum to each page of the file, by rewriting the whole file (`VACUUM`). This needs free space of twice the file's
  /// size. An interruption leaves the file unchanged. Files that have checksums, and databases without a file, are not changed.
  package func addChecksums() throws(SQLiteError) {
    guard let file = CheckedFileSystem.file(of: handle) else { return }
    // Reads the first page, in a transaction.
    _ = try integer("PRAGMA user_version")
    if !file.hasChecksums { try execute("VACUUM") }
  }

  /// Writes a copy of the whole file, which has the state of a single moment and no free pages (`VACUUM INTO`). Other connections
  /// may write in the meantime. The copy has checksums, unless the file has none and ``preserveLayout()`` was called or the
  /// connection is read-only.
  /// - Parameter path: a file that does not exist or is empty.
  /// - Throws: ``SQLiteError``. After an error the copy is not complete.
  package func copy(to path: String) throws(SQLiteError) {
    // Reads the first page, in a transaction.
    _ = try integer("PRAGMA user_version")
    let pageSize = try integer("PRAGMA page_size") ?? 0
    // A negative number requests the number of reserved bytes of each page of a copy.
    var reserved: Int32 = -1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
    let layout = PageLayout(pageSize: Int(pageSize), reserved: Int(reserved))
    let result = CheckedFileSystem.$layoutOfCopy.withValue(layout) {
      Result { () throws(SQLiteError) in try run("VACUUM INTO ?", path) }
    }
    try result.get()
  }

  func error(_ code: Int32, sql: String?) -> SQLiteError {
    var message = String(cString: sqlite3_errmsg(handle))
    if code == CheckedFileSystem.checksumMismatch, let name = sqlite3_db_filename(handle, "main"),
      let page = DamagedPages.last(of: String(cString: name))
    {
      message = page.description
    }
    return SQLiteError(code: code, message: message, sql: sql, path: path)
  }
}
