/// A column of texts: the distinct texts in the order of their first rows, and a column of numbers with the text of each row (0:
/// none).
///
/// Texts are compared by their bytes, because two texts that are equal in Swift may have different bytes.
enum TextColumn {
  /// - Parameter room: the number of bytes that texts of the block may still have. The bytes of this column are subtracted.
  static func encode(
    _ values: [String?], with zstandard: Zstandard, room: inout Int, into writer: inout BlockWriter
  ) throws(ColumnLimit) {
    var numbers: [[UInt8]: Int64] = [:]
    var (lengths, content): ([Int64], [UInt8]) = ([], [])
    var rows: [Int64] = []
    rows.reserveCapacity(values.count)
    for value in values {
      guard let value else {
        rows.append(0)
        continue
      }
      let bytes = Array(value.utf8)
      if let number = numbers[bytes] {
        rows.append(number)
        continue
      }
      guard bytes.count <= room else { throw ColumnLimit("its texts have more than \(ColumnCodec.maximumTextBytes) bytes") }
      room -= bytes.count
      lengths.append(Int64(bytes.count))
      content += bytes
      numbers[bytes] = Int64(lengths.count)
      rows.append(Int64(lengths.count))
    }
    writer.number(UInt64(lengths.count))
    writer.number(UInt64(content.count))
    if let frame = zstandard.compressed(content) {
      writer.byte(1)
      writer.counted(frame)
    } else {
      writer.byte(0)
      writer.append(content)
    }
    for column in [lengths, rows] {
      var part = BlockWriter()
      IntegerColumn.encode(column, with: zstandard, into: &part)
      writer.counted(part.bytes)
    }
  }

  /// - Parameter room: the number of bytes that texts of the block may still have. The bytes of this column are subtracted.
  static func decode(
    _ count: Int, with zstandard: Zstandard, room: inout Int, from reader: inout BlockReader
  ) throws(ColumnDamage) -> [String?] {
    let distinct = try reader.number(limit: count)
    let size = try reader.number(limit: room)
    room -= size
    let content = try content(size, with: zstandard, from: &reader)
    let lengths = try numbers(distinct, with: zstandard, from: &reader)
    let rows = try numbers(count, with: zstandard, from: &reader)
    guard reader.rest == 0 else { throw ColumnDamage("a column has bytes after its values") }
    let texts = try split(content, lengths)
    var values: [String?] = []
    values.reserveCapacity(count)
    for row in rows {
      guard row >= 0, row <= Int64(distinct) else { throw ColumnDamage("a row has a text that is not there") }
      values.append(row == 0 ? nil : texts[Int(row) - 1])
    }
    return values
  }

  /// Reads the bytes of all texts.
  private static func content(
    _ size: Int, with zstandard: Zstandard, from reader: inout BlockReader
  ) throws(ColumnDamage) -> [UInt8] {
    switch try reader.byte() {
    case 0: return Array(try reader.part(size))
    case 1: return try zstandard.decompressed(reader.counted(), size: size)
    default: throw ColumnDamage("its texts have an unknown coding")
    }
  }

  /// Reads a column of numbers inside this column.
  private static func numbers(
    _ count: Int, with zstandard: Zstandard, from reader: inout BlockReader
  ) throws(ColumnDamage) -> [Int64] {
    var part = BlockReader(try reader.counted())
    let numbers = try IntegerColumn.decode(count, with: zstandard, from: &part)
    guard part.rest == 0 else { throw ColumnDamage("a column has bytes after its values") }
    return numbers
  }

  private static func split(_ content: [UInt8], _ lengths: [Int64]) throws(ColumnDamage) -> [String] {
    var (texts, place): ([String], Int) = ([], 0)
    for length in lengths {
      guard length >= 0, length <= Int64(content.count - place) else { throw ColumnDamage("a text has a wrong length") }
      let end = place + Int(length)
      guard let text = String(validating: content[place..<end], as: UTF8.self) else { throw ColumnDamage("a text is not UTF-8") }
      texts.append(text)
      place = end
    }
    guard place == content.count else { throw ColumnDamage("a text has a wrong length") }
    return texts
  }
}
