/// A column of numbers that some rows may not have: which rows have a number, and their numbers.
enum NumberColumn {
  /// - Parameter others: the previous columns, to which this column may refer.
  static func encode(
    _ column: ColumnTable.Integers, after others: [IntegerColumn.Reference], with zstandard: Zstandard,
    into writer: inout BlockWriter
  ) {
    guard let present = column.present, present.contains(false) else {
      writer.byte(0)
      IntegerColumn.encode(column.values, references: others, with: zstandard, into: &writer)
      return
    }
    writer.byte(1)
    var part = BlockWriter()
    IntegerColumn.encode(present.map { $0 ? 1 : 0 }, with: zstandard, into: &part)
    writer.counted(part.bytes)
    let references = others.map { IntegerColumn.Reference(id: $0.id, values: selected($0.values, present)) }
    IntegerColumn.encode(selected(column.values, present), references: references, with: zstandard, into: &writer)
  }

  /// Reads the ids of the columns to which a column refers.
  static func references(_ content: UnsafeRawBufferPointer) throws(ColumnDamage) -> [UInt8] {
    var reader = BlockReader(content)
    guard reader.rest > 0 else { return [] }
    if try reader.byte() == 1 { _ = try reader.counted() }
    return reader.rest == 0 ? [] : try IntegerColumn.references(reader.part(reader.rest))
  }

  /// - Parameter column: returns the values of all rows of the column with an id.
  static func decode(
    _ entry: BlockEntry, _ count: Int, with zstandard: Zstandard, column: (UInt8) throws(ColumnDamage) -> [Int64]
  ) throws(ColumnDamage) -> ColumnTable.Integers {
    var reader = BlockReader(entry.content)
    let form = try reader.byte()
    guard form <= 1 else { throw ColumnDamage("a column has an unknown form") }
    guard form == 1 else {
      let values = try IntegerColumn.decode(count, with: zstandard, from: &reader, column: column)
      guard reader.rest == 0 else { throw ColumnDamage("a column has bytes after its values") }
      return .init(id: entry.id, values: values)
    }
    var part = BlockReader(try reader.counted())
    let flags = try IntegerColumn.decode(count, with: zstandard, from: &part)
    guard part.rest == 0, flags.allSatisfy({ $0 == 0 || $0 == 1 }) else {
      throw ColumnDamage("a column has malformed absent values")
    }
    let present = flags.map { $0 == 1 }
    let stored = try IntegerColumn.decode(present.count { $0 }, with: zstandard, from: &reader) { (id) throws(ColumnDamage) in
      selected(try column(id), present)
    }
    guard reader.rest == 0 else { throw ColumnDamage("a column has bytes after its values") }
    var values = [Int64](repeating: 0, count: count)
    var next = 0
    for row in 0..<count where present[row] {
      values[row] = stored[next]
      next += 1
    }
    return .init(id: entry.id, values: values, present: present)
  }

  private static func selected(_ values: [Int64], _ present: [Bool]) -> [Int64] {
    var result: [Int64] = []
    result.reserveCapacity(values.count)
    for row in values.indices where present[row] { result.append(values[row]) }
    return result
  }
}

extension ColumnTable.Integers {
  /// The values as they are decoded: 0 if the row has none.
  var stored: [Int64] {
    guard let present, present.contains(false) else { return values }
    return zip(values, present).map { $1 ? $0 : 0 }
  }
}
