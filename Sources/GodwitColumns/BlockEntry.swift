/// A column inside a block.
struct BlockEntry {
  /// The type of a column's values.
  enum Kind: UInt8 {
    case integers = 0
    case texts = 1
  }

  let id: UInt8
  let kind: Kind
  /// The encoded column. Valid as long as the bytes of the block.
  let content: UnsafeRawBufferPointer

  init(from reader: inout BlockReader) throws(ColumnDamage) {
    id = try reader.byte()
    guard let kind = Kind(rawValue: try reader.byte()) else { throw ColumnDamage("it has a column of an unknown kind") }
    self.kind = kind
    content = try reader.counted()
  }
}

extension BlockWriter {
  /// Writes a column in the form that ``BlockEntry/init(from:)`` reads.
  mutating func entry(_ id: UInt8, _ kind: BlockEntry.Kind, _ content: [UInt8]) {
    byte(id)
    byte(kind.rawValue)
    counted(content)
  }
}
