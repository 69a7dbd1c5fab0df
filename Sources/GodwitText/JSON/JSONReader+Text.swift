extension JSONReader {
  /// A string's contents as a `String`, unescaped.
  package func decoded(_ text: Text) -> String {
    let bytes = UnsafeBufferPointer(start: base + text.start, count: text.count)
    guard text.hasEscapes else { return String(decoding: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var index = text.start
    while index < text.end {
      let byte = base[index]
      guard byte == UInt8(ascii: "\\") else {
        result.append(byte)
        index += 1
        continue
      }
      switch base[index + 1] {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"):
        // The reader has seen that the digits are there and that surrogates come in pairs.
        var scalar = hexadecimal(at: index + 2) ?? 0xFFFD
        if (0xD800...0xDBFF).contains(scalar), let low = hexadecimal(at: index + 8) {
          scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
          index += 6
        }
        result.append(contentsOf: String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
        index += 4
      case let plain: result.append(plain)
      }
      index += 2
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The bytes of a part of the text as a `String`, as they stand there.
  package func verbatim(_ range: Range<Int>) -> String {
    String(decoding: UnsafeBufferPointer(start: base + range.lowerBound, count: range.count), as: UTF8.self)
  }

  /// Whether a string is exactly this, without regard to escapes.
  @inlinable @inline(__always)
  package func matches(_ text: Text, _ word: StaticString) -> Bool {
    guard text.count == word.utf8CodeUnitCount else { return false }
    for index in 0..<text.count where base[text.start + index] != word.utf8Start[index] { return false }
    return true
  }
}
