package import Foundation
internal import GodwitModel

/// A connection to the server's database on one thread, independent of the kind of database. Code that is not performance-critical
/// uses it with the SQL that SQLite and PostgreSQL share.
///
/// Parameters are written `?` (by order) or `?1`, `?2` (by number). A statement uses only one of the two forms.
package protocol SQLConnection: AnyObject {
  /// The kind of database, for the few statements that differ.
  var dialect: SQLDialect { get }

  /// Runs one statement.
  /// - Returns: how many rows it inserted, changed or deleted.
  /// - Throws: the database's error, with the statement.
  func run(_ sql: String, with arguments: [SQLArgument]) throws -> Int

  /// Runs a query.
  /// - Parameters:
  ///   - sql: a statement that returns rows, including `INSERT … RETURNING`.
  ///   - arguments: its parameters.
  ///   - body: receives each row, and returns whether to continue. A row is valid during the call, in which no other
  ///     statement with the same text may run.
  func query(_ sql: String, with arguments: [SQLArgument], _ body: (any SQLRow) throws -> Bool) throws
}

/// The databases that the server supports.
package enum SQLDialect: Sendable {
  case sqlite, postgres

  /// Whether several servers may use one database concurrently. State that one server caches may then be changed by another.
  package var isShared: Bool { self == .postgres }

  /// The strings of a JSON array parameter as rows of one column: for `IN (…)`, so that a list of any length uses one statement.
  /// - Parameter parameter: `?` or `?1`.
  package func words(in parameter: String) -> String {
    switch self {
    case .sqlite: "SELECT value FROM json_each(\(parameter))"
    case .postgres: "SELECT value FROM json_array_elements_text(CAST(\(parameter) AS json)) AS words (value)"
    }
  }
}

/// A row of a result.
///
/// Columns are read by name: the column's name, or its `AS`. An expression needs an `AS` in lower case. So do columns of joined
/// tables that have the same name. Only measured hot paths read by position, from 0; scripts/check has their list.
package protocol SQLRow {
  /// Returns the position of a column, from 0. The column names of a statement are resolved once.
  /// - Throws: the database's error, with the statement, if no column or several have this name.
  func position(of name: String) throws -> Int32

  func isNull(_ column: Int32) -> Bool
  /// NULL reads as 0.
  func integer(_ column: Int32) -> Int64
  /// NULL reads as 0.
  func double(_ column: Int32) -> Double
  /// NULL reads as "".
  func text(_ column: Int32) -> String
  /// NULL reads as no bytes.
  func blob(_ column: Int32) -> [UInt8]

  /// Appends the numbers of successive columns, and whether each is NULL. Reading a point has many columns, and this is one call
  /// for all of them.
  func appendNumbers(_ columns: Range<Int32>, to numbers: inout [Int64], _ absent: inout [Bool])
}

extension SQLRow {
  package func isNull(_ name: String) throws -> Bool { isNull(try position(of: name)) }
  /// NULL reads as 0.
  package func integer(_ name: String) throws -> Int64 { integer(try position(of: name)) }
  package func optionalInteger(_ name: String) throws -> Int64? { optionalInteger(try position(of: name)) }
  /// NULL reads as 0.
  package func double(_ name: String) throws -> Double { double(try position(of: name)) }
  package func optionalDouble(_ name: String) throws -> Double? { optionalDouble(try position(of: name)) }
  /// NULL reads as "".
  package func text(_ name: String) throws -> String { text(try position(of: name)) }
  package func optionalText(_ name: String) throws -> String? { optionalText(try position(of: name)) }
  /// NULL reads as no bytes.
  package func blob(_ name: String) throws -> [UInt8] { blob(try position(of: name)) }
  package func optionalBlob(_ name: String) throws -> [UInt8]? { optionalBlob(try position(of: name)) }
  /// A column of milliseconds since 1970. NULL reads as 1970.
  package func time(_ name: String) throws -> Date { Date(millisecondsSince1970: try integer(name)) }
  /// A column of milliseconds since 1970.
  package func optionalTime(_ name: String) throws -> Date? {
    try optionalInteger(name).map { Date(millisecondsSince1970: $0) }
  }
}

extension SQLRow {
  package func appendNumbers(_ columns: Range<Int32>, to numbers: inout [Int64], _ absent: inout [Bool]) {
    for column in columns {
      let number = integer(column)
      numbers.append(number)
      // NULL reads as 0, and few numbers are 0.
      absent.append(number == 0 && isNull(column))
    }
  }

  @inline(__always)
  package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }
  package func optionalDouble(_ column: Int32) -> Double? { isNull(column) ? nil : double(column) }
  package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
  package func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }
}

extension SQLConnection {
  /// Runs one statement.
  /// - Returns: how many rows it inserted, changed or deleted.
  @discardableResult
  package func run(_ sql: String, _ arguments: any SQLValue...) throws -> Int { try run(sql, with: SQLArgument.list(arguments)) }

  /// Runs a query and calls `body` with every row.
  package func forEach(_ sql: String, _ arguments: any SQLValue..., body: (any SQLRow) throws -> Void) throws {
    try query(sql, with: SQLArgument.list(arguments)) {
      try body($0)
      return true
    }
  }

  /// The results of `body` for every row.
  package func all<Value>(_ sql: String, _ arguments: any SQLValue..., body: (any SQLRow) throws -> Value) throws -> [Value] {
    var values: [Value] = []
    try query(sql, with: SQLArgument.list(arguments)) {
      values.append(try body($0))
      return true
    }
    return values
  }

  /// The result of `body` for the first row; `nil` if there is none.
  package func first<Value>(_ sql: String, _ arguments: any SQLValue..., body: (any SQLRow) throws -> Value) throws -> Value? {
    var value: Value?
    try query(sql, with: SQLArgument.list(arguments)) {
      value = try body($0)
      return false
    }
    return value
  }

  /// The first column of the first row; `nil` when there is no row or the value is NULL.
  package func integer(_ sql: String, _ arguments: any SQLValue...) throws -> Int64? {
    var value: Int64?
    try query(sql, with: SQLArgument.list(arguments)) {
      value = $0.optionalInteger(0)
      return false
    }
    return value
  }

  /// The first column of the first row; `nil` when there is no row or the value is NULL.
  package func text(_ sql: String, _ arguments: any SQLValue...) throws -> String? {
    var value: String?
    try query(sql, with: SQLArgument.list(arguments)) {
      value = $0.optionalText(0)
      return false
    }
    return value
  }
}
