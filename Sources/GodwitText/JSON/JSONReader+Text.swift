extension JSONReader {
  /// Returns a string's contents, unescaped.
  package func decoded(_ text: Text) -> String {
    let bytes = UnsafeBufferPointer(start: base + text.start, count: text.count)
    guard text.hasEscapes else { return String(decoding: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var index = text.start
    while index < text.end {
      // The reader has validated the escapes.
      guard base[index] == UInt8(ascii: "\\"), let escape = try? JSONEscape(at: base + index) else {
        result.append(base[index])
        index += 1
        continue
      }
      if escape.scalar.isASCII {
        result.append(UInt8(escape.scalar.value))
      } else {
        result.append(contentsOf: String(escape.scalar).utf8)
      }
      index += escape.length
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns a part of the text as a `String`, unchanged.
  package func verbatim(_ range: Range<Int>) -> String {
    String(decoding: UnsafeBufferPointer(start: base + range.lowerBound, count: range.count), as: UTF8.self)
  }

  /// Whether a string equals a word. Escapes are not decoded.
  @inlinable @inline(__always)
  package func matches(_ text: Text, _ word: StaticString) -> Bool {
    guard text.count == word.utf8CodeUnitCount else { return false }
    for index in 0..<text.count where base[text.start + index] != word.utf8Start[index] { return false }
    return true
  }
}
