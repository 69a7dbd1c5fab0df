package import Foundation
internal import GodwitModel

/// Text tables for terminals.
package enum TextTable {
  /// Returns the rows as aligned columns. The first row is the heading.
  package static func text(_ rows: [[String]]) -> String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell
        if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
      }
      return line + "\n"
    }.joined()
  }
}

extension Date {
  /// The date in RFC 3339 in UTC.
  package var formattedUTC: String { RFC3339.string(self) }
}
