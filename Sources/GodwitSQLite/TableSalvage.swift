internal import CSQLite

/// Copies the readable rows of a damaged table to an intact copy of the table in another database.
///
/// The damage divides the table into ranges of its key. In each readable range the copy gets exactly the rows of the damaged table.
/// Within a gap the copy keeps its own rows, and rows that only the damaged table had are lost.
package struct TableSalvage {
  /// The result for one table.
  package struct Result: Sendable, Hashable {
    package let table: String
    /// Number of rows that could be read.
    package var rows: Int64 = 0
    /// The gaps as texts: "(KEY) between (VALUES) and (VALUES)".
    package var gaps: [String] = []
    /// Number of rows that the copy has within the gaps.
    package var replacements: Int64 = 0
    /// The keys at the ends of the gaps.
    package var gapKeys: [GapKeys] = []

    /// The ends of a gap, as integers of the key.
    package struct GapKeys: Sendable, Hashable {
      /// The key of the last readable row before the gap; `nil` if there is none.
      package var after: [Int64]?
      /// The key of the first readable row after the gap; `nil` if there is none.
      package var before: [Int64]?

      package init(after: [Int64]?, before: [Int64]?) { (self.after, self.before) = (after, before) }
    }
  }

  /// A value of a column.
  fileprivate enum Value: SQLiteValue, Hashable, Comparable, CustomStringConvertible {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    case blob([UInt8])

    func bind(to statement: Statement, at index: Int32) {
      switch self {
      case .null: statement.bindNull(at: index)
      case .integer(let value): statement.bind(value, at: index)
      case .double(let value): statement.bind(value, at: index)
      case .text(let value): statement.bind(value, at: index)
      case .blob(let value): statement.bind(value, at: index)
      }
    }

    /// The order of values in SQLite: NULL, numbers, text by its bytes, blobs.
    static func < (a: Value, b: Value) -> Bool {
      switch (a, b) {
      case (.integer(let a), .integer(let b)): a < b
      case (.double(let a), .double(let b)): a < b
      case (.integer(let a), .double(let b)): Double(a) < b
      case (.double(let a), .integer(let b)): a < Double(b)
      case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
      case (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
      default: a.rank < b.rank
      }
    }

    private var rank: Int {
      switch self {
      case .null: 0
      case .integer, .double: 1
      case .text: 2
      case .blob: 3
      }
    }

    var description: String {
      switch self {
      case .null: "NULL"
      case .integer(let value): "\(value)"
      case .double(let value): "\(value)"
      case .text(let value): value
      case .blob(let value): "\(value.count) bytes"
      }
    }
  }

  private typealias Key = [Value]

  /// An end of a range.
  private struct Bound {
    var key: Key
    var isIncluded: Bool

    var integers: [Int64] { key.compactMap { if case .integer(let number) = $0 { number } else { nil } } }
  }

  /// Rows between two keys; `nil` is the beginning or the end of the table.
  private struct Range {
    var lower: Bound?
    var upper: Bound?
  }

  private let table: String
  private let source: Database
  private let target: Database
  /// The columns of the key, in order.
  private let key: [String]
  /// All copied columns. The columns of the key are first.
  private let columns: [String]

  /// Maximum number of keys of the copy that are tried in a gap, to find readable rows.
  private static let probes: Int64 = 64

  private init(_ table: String, from source: Database, to target: Database) throws(SQLiteError) {
    (self.table, self.source, self.target) = (table, source, target)
    let rows = try target.statement(
      "SELECT name, pk AS part, (SELECT wr FROM pragma_table_list(?1)) AS rowless FROM pragma_table_info(?1) ORDER BY cid")
    defer { rows.reset() }
    try rows.bind([table])
    var (names, parts, isRowless): ([String], [(Int64, String)], Bool) = ([], [], false)
    while try rows.step() {
      let name = "\"\(try rows.text("name"))\""
      names.append(name)
      isRowless = try rows.integer("rowless") != 0
      let part = try rows.integer("part")
      if part > 0 { parts.append((part, name)) }
    }
    let key = isRowless ? parts.sorted { $0.0 < $1.0 }.map(\.1) : ["rowid"]
    self.key = key
    columns = key + names.filter { !key.contains($0) }
  }

  /// Copies the readable rows of a table to another database. Must be called in a transaction of that database, and without
  /// triggers.
  /// - Parameters:
  ///   - table: the name of the table. Both databases have it with the same columns.
  ///   - source: the damaged database.
  ///   - target: the other database.
  /// - Throws: `SQLiteError` of the target database.
  package static func run(_ table: String, from source: Database, to target: Database) throws(SQLiteError) -> Result {
    let salvage = try TableSalvage(table, from: source, to: target)
    var result = Result(table: table)
    // The ranges are determined first: rows of the copy that the damaged table no longer has are deleted.
    let (ranges, gaps) = try salvage.ranges()
    try salvage.deleteRows(outside: gaps)
    result.gaps = gaps.map { salvage.describe($0) }
    result.gapKeys = gaps.map { Result.GapKeys(after: $0.lower?.integers, before: $0.upper?.integers) }
    result.replacements = try target.integer("SELECT count(*) FROM \"\(table)\"") ?? 0
    for (range, isAscending) in ranges { result.rows += try salvage.copy(range, isAscending: isAscending) }
    return result
  }

  // MARK: Ranges

  /// The readable ranges, each with the direction in which it can be read, and the gaps between them. A row beside damage may be
  /// readable from one side only.
  private func ranges() throws(SQLiteError) -> (ranges: [(Range, isAscending: Bool)], gaps: [Range]) {
    var (ranges, gaps): ([(Range, isAscending: Bool)], [Range]) = ([], [])
    var rest = Range()
    while true {
      let (last, isComplete) = read(rest, isAscending: true)
      if isComplete { return (ranges + [(rest, true)], gaps) }
      if let last { ranges.append((Range(lower: rest.lower, upper: Bound(key: last, isIncluded: true)), true)) }
      var gap = Range(lower: last.map { Bound(key: $0, isIncluded: false) } ?? rest.lower, upper: rest.upper)
      let (first, isWhole) = read(gap, isAscending: false)
      if isWhole { return (ranges + [(gap, false)], gaps) }
      if let first { gap.upper = Bound(key: first, isIncluded: false) }
      guard let inner = try probe(gap) else {
        if let first { ranges.append((Range(lower: Bound(key: first, isIncluded: true), upper: rest.upper), false)) }
        return (ranges, gaps + [gap])
      }
      // The damage before these rows is a separate gap. The rows after them are read in the same way.
      let end = Bound(key: inner, isIncluded: true)
      let begin = read(Range(lower: gap.lower, upper: end), isAscending: false).last ?? inner
      gaps.append(Range(lower: gap.lower, upper: Bound(key: begin, isIncluded: false)))
      ranges.append((Range(lower: Bound(key: begin, isIncluded: true), upper: end), false))
      rest = Range(lower: Bound(key: inner, isIncluded: false), upper: rest.upper)
    }
  }

  /// Reads rows until the end of a range or until an error.
  /// - Returns: the key of the last row that could be read, and whether all rows could be read.
  private func read(_ range: Range, isAscending: Bool) -> (last: Key?, isComplete: Bool) {
    var last: Key?
    do {
      try forEachRow(range, isAscending: isAscending) { row throws(SQLiteError) in last = keyValue(of: row) }
      return (last, true)
    } catch {
      return (last, false)
    }
  }

  /// The key of a row in a gap that both the copy and the damaged table have, if the damaged table's row is readable; `nil` if none
  /// was found.
  private func probe(_ gap: Range) throws(SQLiteError) -> Key? {
    let (condition, values) = condition(gap)
    let names = key.joined(separator: ", ")
    let counted = try target.statement("SELECT count(*) AS rows FROM \"\(table)\" WHERE \(condition)")
    try counted.bind(values)
    let count = try counted.step() ? counted.integer("rows") : 0
    counted.reset()
    let keys = try target.statement("SELECT \(names) FROM \"\(table)\" WHERE \(condition) ORDER BY \(names) LIMIT 1 OFFSET ?")
    defer { keys.reset() }
    for offset in stride(from: 0, to: count, by: Int64.Stride(max(1, count / Self.probes))) {
      keys.reset()
      try keys.bind(values + [offset])
      guard try keys.step() else { break }
      let key = keyValue(of: keys)
      let here = Bound(key: key, isIncluded: true)
      let found = read(Range(lower: here, upper: here), isAscending: true)
      if found.isComplete, found.last == key { return key }
    }
    return nil
  }

  // MARK: Statements

  /// Reads the rows of a range of the damaged table, with all columns.
  ///
  /// The statement contains only the bound at which reading begins. With both bounds SQLite might begin at the wrong end of the
  /// table, beyond damage outside of the range.
  private func forEachRow(
    _ range: Range, isAscending: Bool, _ body: (Statement) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    let (condition, values) = condition(isAscending ? Range(lower: range.lower) : Range(upper: range.upper))
    let order = key.map { isAscending ? $0 : "\($0) DESC" }.joined(separator: ", ")
    let rows = try source.statement(
      "SELECT \(columns.joined(separator: ", ")) FROM \"\(table)\" WHERE \(condition) ORDER BY \(order)")
    try rows.bind(values)
    defer { rows.reset() }
    while try rows.step() {
      let key = keyValue(of: rows)
      if isAscending, let upper = range.upper, upper.isIncluded ? isBefore(upper.key, key) : !isBefore(key, upper.key) { break }
      if !isAscending, let lower = range.lower, lower.isIncluded ? isBefore(key, lower.key) : !isBefore(lower.key, key) { break }
      try body(rows)
      // Stops at the bound, because the next row may be damaged.
      if key == (isAscending ? range.upper : range.lower)?.key { break }
    }
  }

  /// Whether a key precedes another one, in SQLite's order without a collation.
  private func isBefore(_ a: Key, _ b: Key) -> Bool { a.lexicographicallyPrecedes(b) }

  private func condition(_ range: Range) -> (sql: String, values: [any SQLiteValue]) {
    let names = "(\(key.joined(separator: ", ")))"
    let places = "(\(key.map { _ in "?" }.joined(separator: ", ")))"
    var (parts, values): ([String], [any SQLiteValue]) = ([], [])
    if let lower = range.lower {
      parts.append("\(names) \(lower.isIncluded ? ">=" : ">") \(places)")
      values += lower.key
    }
    if let upper = range.upper {
      parts.append("\(names) \(upper.isIncluded ? "<=" : "<") \(places)")
      values += upper.key
    }
    return (parts.isEmpty ? "1" : parts.joined(separator: " AND "), values)
  }

  /// The key of a row, from its first columns.
  private func keyValue(of row: Statement) -> Key { key.indices.map { row.anyValue(at: Int32($0)) } }

  private func deleteRows(outside gaps: [Range]) throws(SQLiteError) {
    var (parts, values): ([String], [any SQLiteValue]) = ([], [])
    for gap in gaps {
      let condition = condition(gap)
      parts.append("(\(condition.sql))")
      values += condition.values
    }
    let delete = try target.statement(
      "DELETE FROM \"\(table)\"" + (parts.isEmpty ? "" : " WHERE NOT (\(parts.joined(separator: " OR ")))"))
    try delete.bind(values)
    try delete.runAndReset()
  }

  /// Copies the rows of a range. - Returns: the number of rows.
  private func copy(_ range: Range, isAscending: Bool) throws(SQLiteError) -> Int64 {
    // Replaces rows of the copy that conflict with a unique key, for example with the same name. They are older.
    let insert = try target.statement(
      """
      INSERT OR REPLACE INTO "\(table)" (\(columns.joined(separator: ", ")))
      VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
      """)
    var count: Int64 = 0
    try forEachRow(range, isAscending: isAscending) { row throws(SQLiteError) in
      for column in 0..<Int32(columns.count) { insert.bind(row: row, column: column, at: column + 1) }
      try insert.runAndReset()
      count += 1
    }
    return count
  }

  private func describe(_ gap: Range) -> String {
    func text(_ key: Key) -> String { "(\(key.map(\.description).joined(separator: ", ")))" }
    let names = key.map { $0.filter { $0 != "\"" } }.joined(separator: ", ")
    switch (gap.lower, gap.upper) {
    case (let lower?, let upper?): return "(\(names)) between \(text(lower.key)) and \(text(upper.key))"
    case (let lower?, nil): return "(\(names)) after \(text(lower.key))"
    case (nil, let upper?): return "(\(names)) before \(text(upper.key))"
    case (nil, nil): return "all rows"
    }
  }
}

extension Statement {
  /// A column of any type.
  fileprivate func anyValue(at column: Int32) -> TableSalvage.Value {
    switch type(of: column) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .double(double(column))
    case SQLITE_TEXT: .text(text(column))
    case SQLITE_BLOB: .blob(blob(column))
    default: .null
    }
  }
}
