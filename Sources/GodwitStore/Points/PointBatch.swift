internal import GodwitColumns

/// Points of one device in the order of their keys, by column.
package struct PointBatch {
  /// The indices of the points in the arrays of all columns.
  package let indices: Range<Int>
  private let values: [PointColumn: SealedBlock.Values]
  /// The length of the arrays.
  private let length: Int

  /// Points of a block.
  init(_ block: SealedBlock, _ indices: Range<Int>) {
    (self.indices, values, length) = (indices, block.values, block.count)
  }

  /// Rows of the table.
  init(_ rows: PointColumns) {
    (indices, length) = (0..<rows.count, rows.count)
    values = SealedBlock.values(of: rows.table)
  }

  /// The numbers of a column; 0 where a point has none.
  package func numbers(_ column: PointColumn) -> [Int64] {
    guard case .integers(let numbers, _)? = values[column] else { return Array(repeating: 0, count: length) }
    return numbers
  }

  /// Whether each point has a number in a column; `nil` if all have one.
  package func present(_ column: PointColumn) -> [Bool]? {
    guard case .integers(_, let present)? = values[column] else { return Array(repeating: false, count: length) }
    return present
  }
}
