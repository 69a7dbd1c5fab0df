/// Encodes texts for PostgreSQL, which does not support U+0000: it is written as U+10FFFD and "0". U+10FFFD itself, which texts
/// hardly use, is written twice. Every text is read back unchanged, and two texts are equal in the database if and only if they are
/// equal here.
enum PostgresText {
  /// U+10FFFD in UTF-8.
  private static let placeholder: [UInt8] = [0xF4, 0x8F, 0xBF, 0xBD]

  static func append(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { utf8 in
      guard utf8.contains(0) || utf8.contains(placeholder[0]) else { return bytes.append(contentsOf: utf8) }
      for index in utf8.indices {
        let byte = utf8[index]
        if byte == 0 {
          bytes += placeholder
          bytes.append(UInt8(ascii: "0"))
        } else {
          // A placeholder in the text is written twice: the additional one before its first byte.
          if byte == placeholder[0], utf8[index...].starts(with: placeholder) { bytes += placeholder }
          bytes.append(byte)
        }
      }
    }
  }

  static func string(_ utf8: UnsafeRawBufferPointer) -> String {
    guard utf8.contains(placeholder[0]) else { return String(decoding: utf8, as: UTF8.self) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    var index = 0
    while index < utf8.count {
      if utf8[index] == placeholder[0], utf8[index...].starts(with: placeholder) {
        index += placeholder.count
        if index < utf8.count, utf8[index] == UInt8(ascii: "0") {
          bytes.append(0)
          index += 1
        } else {
          bytes += placeholder
          // Skips the second placeholder. A single one was written by another program and is kept.
          if utf8[index...].starts(with: placeholder) { index += placeholder.count }
        }
      } else {
        bytes.append(utf8[index])
        index += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
