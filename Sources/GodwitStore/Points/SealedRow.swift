internal import GodwitModel

/// A point of a block as a row of a result, so that the same code reads points of blocks and of the table.
package final class SealedRow: SQLRow {
  /// The values of one column. The arrays are empty where a block does not have the column.
  private struct Column {
    var integers: [Int64] = []
    var present: [Bool] = []
    var texts: [String?] = []
  }

  private let layout: [PointColumn]
  private let device: Int64
  private let positions: [String: Int32]
  private var columns: [Column] = []
  private var index = 0

  /// - Parameters:
  ///   - layout: the columns, by position.
  ///   - device: the number of the device.
  init(_ layout: [PointColumn], device: Int64) {
    (self.layout, self.device) = (layout, device)
    positions = Dictionary(layout.enumerated().map { ($1.name, Int32($0)) }) { first, _ in first }
  }

  /// Takes the points of a block.
  func use(_ block: SealedBlock) {
    columns = layout.map { name in
      if name == .device { return Column(integers: Array(repeating: device, count: block.count)) }
      return switch block.values[name] {
      case .integers(let values, let present): Column(integers: values, present: present ?? [])
      case .texts(let values): Column(texts: values)
      case nil: Column()
      }
    }
    index = 0
  }

  /// Moves to a point of the block.
  @inline(__always)
  func move(to index: Int) { self.index = index }

  package func position(of name: String) throws -> Int32 {
    guard let position = positions[name] else { throw MissingColumn(name: name) }
    return position
  }

  package func isNull(_ column: Int32) -> Bool {
    let column = Int(column)
    if !columns[column].present.isEmpty { return !columns[column].present[index] }
    if !columns[column].texts.isEmpty { return columns[column].texts[index] == nil }
    return columns[column].integers.isEmpty
  }

  package func integer(_ column: Int32) -> Int64 {
    let column = Int(column)
    return columns[column].integers.isEmpty ? 0 : columns[column].integers[index]
  }

  package func double(_ column: Int32) -> Double { Double(integer(column)) }

  package func text(_ column: Int32) -> String {
    let column = Int(column)
    return columns[column].texts.isEmpty ? "" : columns[column].texts[index] ?? ""
  }

  package func blob(_ column: Int32) -> [UInt8] { [] }

  /// A name that the caller did not select.
  private struct MissingColumn: Error, CustomStringConvertible {
    let name: String
    var description: String { "The points were read without the column \(name)." }
  }
}
