/// Detects properties of a file from its first bytes.
package struct FileHead {
  /// The byte order mark of UTF-8.
  package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Offset of the text after the byte order mark and white space.
  package let start: Int
  /// The first byte that is not white space.
  package let first: UInt8?
  package let isUTF16: Bool
  private let head: [UInt8]

  /// The ASCII characters of the first bytes, in any encoding.
  package var ascii: String { String(decoding: head.prefix(4096).filter { $0 > 0 && $0 < 0x80 }, as: UTF8.self) }

  package init(_ head: [UInt8]) {
    self.head = head
    let begin = head.starts(with: Self.byteOrderMark) ? 3 : 0
    start = head[begin...].firstIndex { $0 > 0x20 } ?? head.count
    first = start < head.count ? head[start] : nil
    // A byte order mark, or ASCII characters with a zero byte beside each.
    isUTF16 =
      head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
      || (head.count >= 4 && (head[0] == 0) != (head[1] == 0) && (head[2] == 0) != (head[3] == 0))
  }
}
