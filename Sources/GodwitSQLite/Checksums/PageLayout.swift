/// The layout of all pages, as the first page of a database file defines it: SQLite's file format, 1.3.
package struct PageLayout: Sendable, Hashable {
  /// Bytes of a page: a power of two, 512 to 65,536.
  package let pageSize: Int
  /// Bytes at the end of each page that SQLite does not use.
  package let reserved: Int

  /// Whether each page has a checksum.
  package var hasChecksums: Bool { reserved == PageChecksum.byteCount }

  /// Bytes of the header.
  package static let headerSize = 100
  /// The offset of the write version. If it is greater than 2, SQLite opens the file only for reading.
  package static let writeVersion = 18
  /// The write version of files with checksums. Programs that do not maintain the checksums can read the file but not write it.
  package static let checkedVersion: UInt8 = 3
  /// The write version that SQLite itself uses for a file with a write-ahead log.
  package static let logVersion: UInt8 = 2
  /// The offset of the byte range that SQLite locks. The page at this offset is never written.
  package static let lockedOffset: Int64 = 1 << 30

  private static let magic = Array("SQLite format 3\0".utf8)

  init(pageSize: Int, reserved: Int) { (self.pageSize, self.reserved) = (pageSize, reserved) }

  /// - Parameter header: the first bytes of a file. If they are not a header of SQLite, the result is `nil`.
  package init?(_ header: UnsafeRawBufferPointer) {
    guard header.count >= Self.headerSize, header.prefix(16).elementsEqual(Self.magic) else { return nil }
    let size = Int(header[16]) << 8 | Int(header[17])
    pageSize = size == 1 ? 65_536 : size
    guard Self.isPageSize(pageSize) else { return nil }
    reserved = Int(header[20])
  }

  /// Whether SQLite supports pages of this size in bytes.
  package static func isPageSize(_ size: Int) -> Bool { (512...65_536).contains(size) && size & (size - 1) == 0 }
}

extension UnsafeRawBufferPointer {
  /// Reads a number of SQLite's file formats: four bytes, big-endian.
  func number(at place: Int) -> UInt32 { UInt32(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
}

extension UnsafeMutableRawBufferPointer {
  /// Reads a number of SQLite's file formats: four bytes, big-endian.
  func number(at place: Int) -> UInt32 { UnsafeRawBufferPointer(self).number(at: place) }
}
