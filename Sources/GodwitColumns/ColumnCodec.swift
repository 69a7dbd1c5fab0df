/// Encodes a table of columns into a compact block with a checksum, and decodes it.
///
/// This is the format of a block. A *number* is unsigned in LEB128: seven bits per byte, the lowest first. A *signed* number is a
/// number after ``ZigZag``. *Counted* bytes are preceded by their number. Arithmetic is modulo 2^64.
///
/// **Block:** the version (byte 1); the number of rows; the number of columns; each column as its id (a byte), its kind (byte 0:
/// integers, 1: texts) and its counted content; the CRC-32 of all preceding bytes (4 bytes, the lowest first).
///
/// **Integers:** byte 0 and a *series* of all rows; or byte 1, a counted series of 0 and 1 that shows which rows have a value, and
/// a series of the values of those rows. A series of no rows has no bytes.
///
/// **Series:**
/// 1. A byte: bits 0 and 1 are the ``Predictor``; bits 2 and 3 the ``SeriesSource`` (0 plain, 1 dictionary, 2 minus another column,
///    3 plus another column); bits 4 and 5 the power of 1,000 by which the other column is divided, rounded down.
/// 2. The id (a byte) of the other column, if there is one; the id of the column whose steps scale the prediction, for
///    ``Predictor/paced``. Both are columns of integers earlier in the block. If this column has absent values, only the rows in
///    which it has a value are used.
/// 3. The dictionary, if there is one: the number of distinct values, and a counted series of these values, sorted. The values of
///    the outer series are positions in the dictionary, from 0.
/// 4. The first value, signed. The divisor, a number. From here on, the series consists of the distances from the first value in
///    units of the divisor. Its first value is 0.
/// 5. The level, signed, for ``Predictor/level``.
/// 6. The residuals of all rows but the first, if there are any, after ``ZigZag``: byte 0 and one number, if all residuals equal
///    it; or byte 1 and a ``Token`` for each residual; or byte 2 and the tokens as a counted frame of Zstandard. The tokens are
///    followed by ``Bits`` up to the end.
///
/// The residual of a row is added to its prediction. The prediction of *level* is the level. That of *delta* is the previous value.
/// That of *linear* is the previous value plus the previous step. That of *paced* is the previous value plus the scaled previous
/// step, see ``Predictor/pacedStep(_:before:now:)``. The first step of the last two is predicted as 0.
///
/// **Texts:** the number of distinct texts; the number of their bytes; byte 0 and these bytes, or byte 1 and a counted frame of
/// Zstandard; a counted series of the lengths; a counted series with the number of each row's text, from 1 in the order of the
/// texts, or 0 if the row has no text.
package enum ColumnCodec {
  /// Maximum rows of a block.
  package static let maximumRows = 65_536
  /// Maximum bytes of the distinct texts of all columns of a block, in UTF-8.
  package static let maximumTextBytes = 64 << 20
  static let version: UInt8 = 1

  /// Encodes a table into a block. A number whose row has `false` in `present` is not stored, and is decoded as 0.
  /// - Throws: `ColumnLimit` if the table has too many rows or texts, columns of different lengths, or two columns with the same
  ///   id.
  package static func encode(_ table: ColumnTable) throws(ColumnLimit) -> [UInt8] {
    try table.validate()
    let zstandard = Zstandard.forCompression()
    var writer = BlockWriter()
    writer.byte(version)
    writer.number(UInt64(table.count))
    writer.number(UInt64(table.integers.count + table.texts.count))
    var before: [IntegerColumn.Reference] = []
    for column in table.integers {
      var part = BlockWriter()
      NumberColumn.encode(column, after: before, with: zstandard, into: &part)
      writer.entry(column.id, .integers, part.bytes)
      before.append(IntegerColumn.Reference(id: column.id, values: column.stored))
    }
    var room = maximumTextBytes
    for column in table.texts {
      var part = BlockWriter()
      try TextColumn.encode(column.values, with: zstandard, room: &room, into: &part)
      writer.entry(column.id, .texts, part.bytes)
    }
    BlockChecksum.append(to: &writer)
    return writer.bytes
  }

  /// Verifies the checksum of a block, then decodes its columns.
  /// - Parameters:
  ///   - bytes: the whole block.
  ///   - columns: ids of the columns to decode; `nil`: all. Ids that the block does not have are ignored.
  package static func decode(_ bytes: [UInt8], columns: Set<UInt8>? = nil) throws(ColumnDamage) -> ColumnTable {
    let result = bytes.withUnsafeBytes { bytes in
      Result<ColumnTable, ColumnDamage> { () throws(ColumnDamage) in try decode(bytes, columns: columns) }
    }
    return try result.get()
  }

  private static func decode(_ bytes: UnsafeRawBufferPointer, columns: Set<UInt8>?) throws(ColumnDamage) -> ColumnTable {
    var reader = BlockReader(try BlockChecksum.verified(bytes))
    guard try reader.byte() == version else { throw ColumnDamage("its version is unknown") }
    let count = try reader.number(limit: maximumRows)
    var entries: [BlockEntry] = []
    for _ in 0..<(try reader.number(limit: 256)) { entries.append(try BlockEntry(from: &reader)) }
    guard reader.rest == 0 else { throw ColumnDamage("it has bytes after its columns") }
    guard Set(entries.map(\.id)).count == entries.count else { throw ColumnDamage("two columns have the same id") }
    var decoder = ColumnDecoder(count: count, entries: entries)
    return try decoder.table(columns: columns)
  }
}

extension ColumnTable {
  /// - Throws: `ColumnLimit` if the table cannot be encoded.
  fileprivate func validate() throws(ColumnLimit) {
    guard (0...ColumnCodec.maximumRows).contains(count) else {
      throw ColumnLimit("it has more than \(ColumnCodec.maximumRows) rows")
    }
    let ids = integers.map(\.id) + texts.map(\.id)
    guard Set(ids).count == ids.count else { throw ColumnLimit("two columns have the same id") }
    let lengths = integers.map(\.values.count) + integers.compactMap { $0.present?.count } + texts.map(\.values.count)
    guard lengths.allSatisfy({ $0 == count }) else { throw ColumnLimit("a column has another number of rows than the table") }
  }
}
