/// Decodes columns of a block, and the columns that they refer to.
struct ColumnDecoder {
  let count: Int
  let entries: [BlockEntry]

  /// Number of bytes that further texts may have.
  private var room = ColumnCodec.maximumTextBytes
  private let zstandard = Zstandard.forDecompression()
  /// Decoded columns of numbers, by id.
  private var numbers: [UInt8: ColumnTable.Integers] = [:]

  init(count: Int, entries: [BlockEntry]) { (self.count, self.entries) = (count, entries) }

  /// - Parameter columns: ids of the columns to decode; `nil`: all.
  mutating func table(columns: Set<UInt8>?) throws(ColumnDamage) -> ColumnTable {
    var table = ColumnTable(count: count)
    let needed = try needed(columns)
    for entry in entries where needed.contains(entry.id) {
      let isWanted = columns?.contains(entry.id) ?? true
      switch entry.kind {
      case .integers:
        let decoded = numbers
        let column = try NumberColumn.decode(entry, count, with: zstandard) { (id) throws(ColumnDamage) in
          guard let column = decoded[id] else { throw ColumnDamage("a column follows one that is not before it") }
          return column.values
        }
        numbers[entry.id] = column
        if isWanted { table.integers.append(column) }
      case .texts:
        guard isWanted else { continue }
        var reader = BlockReader(entry.content)
        let values = try TextColumn.decode(count, with: zstandard, room: &room, from: &reader)
        table.texts.append(.init(id: entry.id, values: values))
      }
    }
    return table
  }

  /// The ids of the given columns, and of the columns that they refer to, which precede them.
  private func needed(_ columns: Set<UInt8>?) throws(ColumnDamage) -> Set<UInt8> {
    guard var needed = columns else { return Set(entries.map(\.id)) }
    for entry in entries.reversed() where entry.kind == .integers && needed.contains(entry.id) {
      needed.formUnion(try NumberColumn.references(entry.content))
    }
    return needed
  }
}
