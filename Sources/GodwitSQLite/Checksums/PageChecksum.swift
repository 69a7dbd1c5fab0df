/// The checksum of a page or a frame: two sums of 32-bit words, where the second is weighted by the position of each word. It is
/// the checksum that SQLite's file format (section 4.2, "Checksum Algorithm") defines for the frames of a write-ahead log.
///
/// Any change within one word changes the sums, because each step can be inverted. Other damage is undetected with a probability of
/// 2^-64.
package struct PageChecksum: Sendable, Hashable {
  package private(set) var first: UInt32
  package private(set) var second: UInt32

  /// Bytes at the end of each page that hold its checksum.
  package static let byteCount = 8

  package init(first: UInt32, second: UInt32) {
    self.first = first
    self.second = second
  }

  /// Computes the checksum of a page without its last ``byteCount`` bytes. The checksum includes the page's number, so that a page
  /// in a wrong place is detected.
  /// - Parameters:
  ///   - page: all bytes of the page. Their number is a multiple of 8.
  ///   - number: the number of the page, from 1.
  package init(ofPage page: UnsafeRawBufferPointer, number: UInt32) {
    self.init(first: number, second: ~number)
    add(UnsafeRawBufferPointer(rebasing: page.prefix(max(0, page.count - Self.byteCount))), isBigEndian: false)
  }

  /// Reads the checksum from the last bytes of a page.
  package init(storedIn page: UnsafeRawBufferPointer) {
    guard page.count >= Self.byteCount else {
      self.init(first: 0, second: 0)
      return
    }
    let place = page.count - Self.byteCount
    self.init(
      first: UInt32(littleEndian: page.loadUnaligned(fromByteOffset: place, as: UInt32.self)),
      second: UInt32(littleEndian: page.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)))
  }

  /// Writes the checksum into the last bytes of a page.
  package func store(in page: UnsafeMutableRawBufferPointer) {
    guard page.count >= Self.byteCount else { return }
    let place = page.count - Self.byteCount
    page.storeBytes(of: first.littleEndian, toByteOffset: place, as: UInt32.self)
    page.storeBytes(of: second.littleEndian, toByteOffset: place + 4, as: UInt32.self)
  }

  /// Whether the stored checksum of a page matches its content.
  package static func matches(_ page: UnsafeRawBufferPointer, number: UInt32) -> Bool {
    PageChecksum(ofPage: page, number: number) == PageChecksum(storedIn: page)
  }

  /// Adds bytes, two words at a time. Bytes at the end that do not fill two words are ignored.
  /// - Parameter isBigEndian: the byte order of the words.
  package mutating func add(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool) {
    var (a, b) = (first, second)
    var place = 0
    let end = bytes.count & ~7
    while place < end {
      let x = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
      let y = bytes.loadUnaligned(fromByteOffset: place &+ 4, as: UInt32.self)
      a = a &+ (isBigEndian ? UInt32(bigEndian: x) : UInt32(littleEndian: x)) &+ b
      b = b &+ (isBigEndian ? UInt32(bigEndian: y) : UInt32(littleEndian: y)) &+ a
      place &+= 8
    }
    (first, second) = (a, b)
  }
}
