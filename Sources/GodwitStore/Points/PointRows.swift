internal import GodwitColumns
internal import GodwitModel

/// Collects rows of points, one after the other, and converts all of them to ``columns`` at once. Appending each value to the list
/// of its column would take longer than reading the row.
struct PointRows {
  private let layout: [PointColumn]
  /// The position of the extras among the columns of a row.
  private let textPosition: Int32
  /// The numbers of all rows, row by row, and whether each is NULL.
  private var numbers: [Int64] = []
  private var absent: [Bool] = []
  private var texts: [String?] = []

  /// No rows. - Parameter layout: the columns, by position.
  init(_ layout: [PointColumn]) {
    self.layout = layout
    textPosition = Int32(layout.firstIndex(of: .extras) ?? layout.count)
  }

  /// The number of rows.
  private(set) var count = 0

  private var hasTexts: Bool { Int(textPosition) < layout.count }
  /// The number of integer columns of a row.
  private var width: Int { hasTexts ? layout.count - 1 : layout.count }

  /// Appends a row with the columns in their order.
  mutating func append(_ row: any SQLRow) {
    row.appendNumbers(0..<textPosition, to: &numbers, &absent)
    if hasTexts {
      texts.append(row.optionalText(textPosition))
      row.appendNumbers(textPosition + 1..<Int32(layout.count), to: &numbers, &absent)
    }
    count += 1
  }

  /// Removes all rows.
  mutating func removeAll() {
    numbers.removeAll(keepingCapacity: true)
    absent.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    count = 0
  }

  /// The rows by column.
  var columns: PointColumns {
    let integers = layout.filter { $0 != .extras }.enumerated().map { place, column in
      let values = [Int64](unsafeUninitializedCapacity: count) { values, filled in
        for row in 0..<count { values.initializeElement(at: row, to: numbers[place + row * width]) }
        filled = count
      }
      let isMissing = (0..<count).contains { absent[place + $0 * width] }
      let present = isMissing ? (0..<count).map { !absent[place + $0 * width] } : nil
      return ColumnTable.Integers(id: column.rawValue, values: values, present: present)
    }
    let texts = hasTexts ? [ColumnTable.Texts(id: PointColumn.extras.rawValue, values: texts)] : []
    return PointColumns(ColumnTable(count: count, integers: integers, texts: texts))
  }
}
