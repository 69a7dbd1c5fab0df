internal import GodwitModel

/// A point of a block as a row of a result, so that the same code reads points of blocks and of the table.
package struct SealedRow: SQLRow {
  /// What all points of a block share. Immutable, so that reading needs no exclusivity check.
  private final class Columns: Sendable {
    /// The numbers of each column; empty if the block does not have the column.
    let numbers: [[Int64]]
    /// Whether each point has a number; empty if all have one.
    let present: [[Bool]]
    /// The texts of all points; empty if the block has none.
    let texts: [String?]
    /// The position of the column of texts; -1 if there is none.
    let textPosition: Int32
    let positions: [String: Int32]

    init(_ layout: [PointColumn], of block: SealedBlock, device: Int64) {
      var numbers: [[Int64]] = []
      var present: [[Bool]] = []
      var texts: [String?] = []
      for column in layout {
        switch block.values[column] {
        case .integers(let values, let isPresent):
          numbers.append(values)
          present.append(isPresent ?? [])
        case .texts(let values):
          texts = values
          fallthrough
        case nil:
          numbers.append(column == .device ? Array(repeating: device, count: block.count) : [])
          present.append([])
        }
      }
      (self.numbers, self.present, self.texts) = (numbers, present, texts)
      textPosition = Int32(layout.firstIndex(of: .extras) ?? -1)
      positions = Dictionary(layout.enumerated().map { ($1.name, Int32($0)) }) { first, _ in first }
    }
  }

  private let columns: Columns
  private var index = 0

  /// The first point of a block.
  /// - Parameters:
  ///   - layout: the columns, by position.
  ///   - block: the block.
  ///   - device: the number of the device.
  init(_ layout: [PointColumn], of block: SealedBlock, device: Int64) {
    columns = Columns(layout, of: block, device: device)
  }

  /// Moves to a point of the block.
  @inline(__always)
  mutating func move(to index: Int) { self.index = index }

  package func position(of name: String) throws -> Int32 {
    guard let position = columns.positions[name] else { throw MissingColumn(name: name) }
    return position
  }

  @inline(__always)
  package func isNull(_ column: Int32) -> Bool {
    if column == columns.textPosition { return columns.texts.isEmpty || columns.texts[index] == nil }
    if columns.numbers[Int(column)].isEmpty { return true }
    let present = columns.present[Int(column)]
    return !present.isEmpty && !present[index]
  }

  @inline(__always)
  package func integer(_ column: Int32) -> Int64 {
    let numbers = columns.numbers[Int(column)]
    return numbers.isEmpty ? 0 : numbers[index]
  }

  package func double(_ column: Int32) -> Double { Double(integer(column)) }

  package func text(_ column: Int32) -> String {
    column == columns.textPosition && !columns.texts.isEmpty ? columns.texts[index] ?? "" : ""
  }

  package func blob(_ column: Int32) -> [UInt8] { [] }

  /// An error: the caller reads a column that it did not select.
  private struct MissingColumn: Error, CustomStringConvertible {
    let name: String
    var description: String { "The points were read without the column \(name)." }
  }
}
