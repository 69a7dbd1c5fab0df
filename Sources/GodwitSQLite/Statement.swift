internal import CSQLite

/// A compiled statement, which is bound, stepped, read and reset. Parameters are counted from 1.
///
/// Columns are read by name. Measured hot paths read them by position, from 0.
public final class Statement {
  private let handle: OpaquePointer
  private unowned let database: Database
  /// The SQL text of the statement.
  public let sql: String
  /// The names of the columns; "" for a name that several columns have. Empty until the first read by name.
  private var names: [String] = []
  /// The error if there was no memory for an argument or a column. SQLite uses NULL in its place.
  private var failure = SQLITE_OK

  init(_ sql: String, in database: Database) throws(SQLiteError) {
    var compiled: OpaquePointer?
    let code = sqlite3_prepare_v3(database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
    guard code == SQLITE_OK, let compiled else { throw database.error(code, sql: sql) }
    handle = compiled
    self.database = database
    self.sql = sql
  }

  deinit { sqlite3_finalize(handle) }

  /// Moves to the next row. - Returns: `false` if there is no further row.
  public func step() throws(SQLiteError) -> Bool {
    try checkMemory()
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let error = database.error(code, sql: sql)
      sqlite3_reset(handle)
      throw error
    }
  }

  /// Runs a statement that returns no rows, and resets it.
  @inline(__always)
  public func runAndReset() throws(SQLiteError) {
    try checkMemory()
    let code = sqlite3_step(handle)
    guard code == SQLITE_DONE || code == SQLITE_ROW else {
      let error = database.error(code, sql: sql)
      sqlite3_reset(handle)
      throw error
    }
    sqlite3_reset(handle)
  }

  /// Resets the statement for the next run. The arguments stay bound.
  public func reset() {
    failure = SQLITE_OK
    sqlite3_reset(handle)
  }

  /// Throws if there was no memory for an argument or for a column that was read. ``step()`` throws the same error for the previous
  /// row, so this is needed only after the last row that is read.
  @inline(__always)
  public func checkMemory() throws(SQLiteError) {
    guard failure == SQLITE_OK else { throw lostValue() }
  }

  private func lostValue() -> SQLiteError {
    let error = SQLiteError(
      code: failure, message: "a value could not be copied: \(String(cString: sqlite3_errstr(failure)))", sql: sql,
      path: database.path)
    reset()
    return error
  }

  private func check(_ code: Int32) { if code != SQLITE_OK { failure = code } }

  // MARK: Arguments

  public func bind(_ values: [any SQLiteValue]) throws(SQLiteError) {
    guard values.count == sqlite3_bind_parameter_count(handle) else {
      throw SQLiteError(
        code: SQLITE_RANGE, message: "\(values.count) arguments for \(sqlite3_bind_parameter_count(handle)) parameters",
        sql: sql, path: database.path)
    }
    for (index, value) in values.enumerated() { value.bind(to: self, at: Int32(index + 1)) }
  }

  @inline(__always) public func bind(_ value: Int64, at index: Int32) { sqlite3_bind_int64(handle, index, value) }
  @inline(__always) public func bind(_ value: Double, at index: Int32) { sqlite3_bind_double(handle, index, value) }
  @inline(__always) public func bindNull(at index: Int32) { sqlite3_bind_null(handle, index) }
  @inline(__always) public func bind(_ value: Int64?, at index: Int32) {
    if let value { bind(value, at: index) } else { bindNull(at: index) }
  }
  @inline(__always) public func bind(_ value: Double?, at index: Int32) {
    if let value { bind(value, at: index) } else { bindNull(at: index) }
  }
  public func bind(_ value: String?, at index: Int32) {
    guard var value else { return bindNull(at: index) }
    value.withUTF8 { bytes in
      // An empty buffer may have no address, which SQLite would treat as NULL.
      if let start = bytes.baseAddress {
        start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          check(sqlite3_bind_text64(handle, index, $0, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8)))
        }
      } else {
        check(sqlite3_bind_text(handle, index, "", 0, transient))
      }
    }
  }
  public func bind(_ value: [UInt8]?, at index: Int32) {
    guard let value else { return bindNull(at: index) }
    if value.isEmpty {
      check(sqlite3_bind_zeroblob(handle, index, 0))
    } else {
      check(sqlite3_bind_blob64(handle, index, value, UInt64(value.count), transient))
    }
  }

  /// Binds a column of a row of another statement, with its type.
  func bind(row: Statement, column: Int32, at index: Int32) {
    check(sqlite3_bind_value(handle, index, sqlite3_column_value(row.handle, column)))
  }

  // MARK: Columns by name

  /// Returns the position of a column, from 0. The column names of the statement are resolved once.
  /// - Parameter name: the name of the column, or its `AS`. An expression has a name only with `AS`.
  /// - Throws: ``SQLiteError`` with the statement if no column or several columns have this name, which is a programming error.
  public func position(of name: String) throws(SQLiteError) -> Int32 {
    if names.isEmpty {
      let all = columnNames
      names = all.map { name in all.count { $0 == name } == 1 ? name : "" }
    }
    guard !name.isEmpty, let position = names.firstIndex(of: name) else {
      throw SQLiteError(
        code: SQLITE_RANGE,
        message: "the statement must have one column \"\(name)\"; it has: \(columnNames.joined(separator: ", "))",
        sql: sql, path: database.path)
    }
    return Int32(position)
  }

  private var columnNames: [String] {
    (0..<sqlite3_column_count(handle)).map { sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? "" }
  }

  /// NULL reads as 0.
  public func integer(_ name: String) throws(SQLiteError) -> Int64 { integer(try position(of: name)) }
  public func optionalInteger(_ name: String) throws(SQLiteError) -> Int64? { optionalInteger(try position(of: name)) }
  /// NULL reads as 0.
  public func double(_ name: String) throws(SQLiteError) -> Double { double(try position(of: name)) }
  public func optionalDouble(_ name: String) throws(SQLiteError) -> Double? { optionalDouble(try position(of: name)) }
  /// NULL reads as "".
  public func text(_ name: String) throws(SQLiteError) -> String { text(try position(of: name)) }
  public func optionalText(_ name: String) throws(SQLiteError) -> String? { optionalText(try position(of: name)) }
  /// NULL reads as no bytes.
  public func blob(_ name: String) throws(SQLiteError) -> [UInt8] { blob(try position(of: name)) }

  // MARK: Columns by position

  /// `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB` or `SQLITE_NULL`.
  func type(of column: Int32) -> Int32 { sqlite3_column_type(handle, column) }
  @inline(__always) public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
  /// NULL reads as 0.
  @inline(__always) public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  /// NULL reads as 0.
  @inline(__always) public func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
  @inline(__always) public func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }
  @inline(__always) public func optionalDouble(_ column: Int32) -> Double? { isNull(column) ? nil : double(column) }
  /// Appends the numbers of successive columns, NULL as 0, and whether each is NULL.
  public func appendNumbers(_ columns: Range<Int32>, to numbers: inout [Int64], _ absent: inout [Bool]) {
    // Each list grows once for each row, not once for each column.
    withUnsafeTemporaryAllocation(of: Int64.self, capacity: columns.count) { values in
      withUnsafeTemporaryAllocation(of: Bool.self, capacity: columns.count) { missing in
        for (place, column) in columns.enumerated() {
          let number = integer(column)
          values.initializeElement(at: place, to: number)
          // NULL reads as 0. The check for NULL is rarely needed, because few numbers are 0.
          missing.initializeElement(at: place, to: number == 0 && isNull(column))
        }
        numbers.append(contentsOf: values)
        absent.append(contentsOf: missing)
      }
    }
  }
  /// NULL reads as "".
  public func text(_ column: Int32) -> String { optionalText(column) ?? "" }
  public func optionalText(_ column: Int32) -> String? {
    if isNull(column) { return nil }
    guard let start = sqlite3_column_text(handle, column) else {
      failure = SQLITE_NOMEM
      return nil
    }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    return String(decoding: bytes, as: UTF8.self)
  }
  public func blob(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, column) else {
      // An empty blob has no address either.
      if sqlite3_column_bytes(handle, column) > 0 { failure = SQLITE_NOMEM }
      return []
    }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }
}

/// Makes SQLite copy the bytes before the call returns (`SQLITE_TRANSIENT`, a macro that Swift cannot import).
private var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

/// A value that can be an argument of a statement.
public protocol SQLiteValue {
  func bind(to statement: Statement, at index: Int32)
}

extension Int64: SQLiteValue {
  public func bind(to statement: Statement, at index: Int32) { statement.bind(self, at: index) }
}
extension Int: SQLiteValue {
  public func bind(to statement: Statement, at index: Int32) { statement.bind(Int64(self), at: index) }
}
extension Double: SQLiteValue {
  public func bind(to statement: Statement, at index: Int32) { statement.bind(self, at: index) }
}
extension String: SQLiteValue {
  public func bind(to statement: Statement, at index: Int32) { statement.bind(self, at: index) }
}
extension [UInt8]: SQLiteValue {
  public func bind(to statement: Statement, at index: Int32) { statement.bind(self, at: index) }
}
extension Optional: SQLiteValue where Wrapped: SQLiteValue {
  public func bind(to statement: Statement, at index: Int32) {
    if let self { self.bind(to: statement, at: index) } else { statement.bindNull(at: index) }
  }
}
