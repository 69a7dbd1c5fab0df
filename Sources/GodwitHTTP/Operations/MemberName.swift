/// Converts names of Swift properties to the snake case of JSON members and query parameters.
enum MemberName {
  /// Returns `next_cursor` for `nextCursor`.
  static func text(_ name: String) -> String {
    guard name.utf8.contains(where: isCapital) else { return name }
    var bytes: [UInt8] = []
    append(name, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the name to a buffer.
  static func append(_ name: String, to bytes: inout [UInt8]) {
    for byte in name.utf8 {
      if isCapital(byte) {
        bytes.append(UInt8(ascii: "_"))
        bytes.append(byte | 0x20)
      } else {
        bytes.append(byte)
      }
    }
  }

  private static func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
}
