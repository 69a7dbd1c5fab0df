internal import CZlib

/// The last four bytes of a block: the CRC-32 of all bytes before them (as in zlib and ISO 3309). In a truncated or extended block
/// these bytes do not match.
enum BlockChecksum {
  private static let length = 4

  static func append(to writer: inout BlockWriter) { writer.fixed32(writer.bytes.withUnsafeBytes(of)) }

  /// Returns the bytes before the checksum.
  /// - Throws: `ColumnDamage` if the checksum is wrong.
  static func verified(_ bytes: UnsafeRawBufferPointer) throws(ColumnDamage) -> UnsafeRawBufferPointer {
    guard bytes.count > length else { throw ColumnDamage("it is too short") }
    let content = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - length)])
    let stored = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: content.count, as: UInt32.self))
    guard of(content) == stored else { throw ColumnDamage("its checksum is wrong") }
    return content
  }

  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32_z(0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
  }
}
