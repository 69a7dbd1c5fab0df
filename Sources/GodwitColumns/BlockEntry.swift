/// A column inside a block.
struct BlockEntry {
  /// What a column has in its rows.
  enum Kind: UInt8 {
    case integers = 0
    case texts = 1
  }

  let id: UInt8
  let kind: Kind
  /// Valid as long as the bytes of the block.
  let content: UnsafeRawBufferPointer

  init(from reader: inout BlockReader) throws(ColumnDamage) {
    id = try reader.byte()
    guard let kind = Kind(rawValue: try reader.byte()) else { throw ColumnDamage("it has a column of an unknown kind") }
    self.kind = kind
    content = try reader.counted()
  }
}

extension BlockWriter {
  /// Writes what ``BlockEntry/init(from:)`` reads.
  mutating func entry(_ id: UInt8, _ kind: BlockEntry.Kind, _ content: [UInt8]) {
    byte(id)
    byte(kind.rawValue)
    counted(content)
  }
}
