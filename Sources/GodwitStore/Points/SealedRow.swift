internal import GodwitModel

/// A point of a block as a row of a result, so that the same code reads points of blocks and of the table.
package struct SealedRow: SQLRow {
  /// What all points of a block share. Immutable, so that reading needs no exclusivity check.
  private final class Columns: Sendable {
    let numbers: [SealedBlock.OptionalColumn]
    /// The texts of all points; empty if the block has none.
    let texts: [String?]
    /// The position of the column of texts; -1 if there is none.
    let textPosition: Int32
    let positions: [String: Int32]

    init(_ layout: [PointColumn], of block: SealedBlock, device: Int64) {
      numbers = layout.map { $0 == .device ? .init(repeating: device, count: block.count) : block.optional($0) }
      texts = block.texts(.extras)
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
    return columns.numbers[Int(column)][index] == nil
  }

  @inline(__always)
  package func integer(_ column: Int32) -> Int64 { columns.numbers[Int(column)][index] ?? 0 }

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
