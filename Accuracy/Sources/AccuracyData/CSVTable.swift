package import Foundation

/// A CSV file (RFC 4180): a line of names, then rows. A value in double quotes may contain commas and line breaks.
package struct CSVTable: Sendable {
  /// A row.
  package struct Row: Sendable {
    /// The number of its first line, from 1.
    package var line: Int
    package var values: [String]
  }

  /// The names of the columns, without spaces around them.
  package let names: [String]
  package let rows: [Row]
  private let path: String

  /// Reads a file.
  /// - Throws: ``DatasetError`` for a file that cannot be read or is empty, and for a row whose number of values is not that of the names.
  package init(_ file: URL) throws(DatasetError) {
    path = file.path
    guard let data = FileManager.default.contents(atPath: file.path) else {
      throw DatasetError(path: file.path, reason: "it cannot be read")
    }
    var rows = Self.rows(in: data)
    guard !rows.isEmpty else { throw DatasetError(path: file.path, reason: "it is empty") }
    names = rows.removeFirst().values.map { $0.trimmingCharacters(in: .whitespaces) }
    for row in rows where row.values.count != names.count {
      throw DatasetError(path: file.path, reason: "line \(row.line) has \(row.values.count) values and not \(names.count)")
    }
    self.rows = rows
  }

  /// Returns the index of a column.
  /// - Throws: ``DatasetError`` if the file does not have the column.
  package func column(_ name: String) throws(DatasetError) -> Int {
    guard let index = names.firstIndex(of: name) else { throw DatasetError(path: path, reason: "it has no column \(name)") }
    return index
  }

  /// Creates the error of a row.
  package func error(_ row: Row, _ reason: String) -> DatasetError {
    DatasetError(path: path, reason: "line \(row.line) \(reason)")
  }

  private static func rows(in data: Data) -> [Row] {
    var rows: [Row] = []
    var (value, values): ([UInt8], [String]) = ([], [])
    var (line, first) = (1, 1)
    var isQuoted = false
    func endRow() {
      values.append(String(decoding: value, as: UTF8.self))
      if values != [""] { rows.append(Row(line: first, values: values)) }
      (value, values) = ([], [])
    }
    for byte in data {
      if byte == UInt8(ascii: "\n") { line += 1 }
      switch byte {
      // Two quotes in a quoted value, which represent one quote, are removed. Numbers do not contain quotes.
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted:
        values.append(String(decoding: value, as: UTF8.self))
        value = []
      case UInt8(ascii: "\n") where !isQuoted:
        endRow()
        first = line
      case UInt8(ascii: "\r") where !isQuoted: break
      default: value.append(byte)
      }
    }
    endRow()
    return rows
  }
}
