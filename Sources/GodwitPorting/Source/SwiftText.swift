/// The text of a Swift file, and the same text in which comments and strings are blank.
///
/// Rules search the code, so that words in comments and strings are ignored, and edit the text at the same offsets.
struct SwiftText {
  let bytes: [UInt8]
  /// The code, as long as ``bytes``. Comments, strings and regular expressions between `#/` and `/#` are spaces; line ends are kept.
  let code: [UInt8]
  private let lineStarts: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var scanner = CodeScanner(bytes)
    code = scanner.scan()
    lineStarts = [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
  }

  /// Line and column of an offset, from 1; columns count bytes.
  func position(of offset: Int) -> (line: Int, column: Int) {
    var (low, high) = (0, lineStarts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return (low + 1, offset - lineStarts[low] + 1)
  }

  /// The line that contains an offset, without leading white space and line end.
  func line(at offset: Int) -> String {
    Self.trimmed(String(decoding: bytes[lineRange(at: offset)], as: UTF8.self))
  }

  /// The ranges of the lines, without their line ends.
  var lines: some Sequence<Range<Int>> { lineStarts.indices.lazy.map { range(ofLine: $0) } }

  /// The range of the line that contains an offset.
  func lineRange(at offset: Int) -> Range<Int> { range(ofLine: position(of: offset).line - 1) }

  private func range(ofLine index: Int) -> Range<Int> {
    let end = index + 1 < lineStarts.count ? lineStarts[index + 1] - 1 : bytes.count
    return lineStarts[index]..<max(lineStarts[index], end)
  }

  /// The identifiers in a part of the code, with their offsets. A name between backquotes is an identifier too.
  func identifiers(in range: Range<Int>) -> [(name: String, start: Int)] {
    var found: [(String, Int)] = []
    var index = range.lowerBound
    while index < range.upperBound {
      guard Self.beginsName(code[index]) else {
        index += 1
        continue
      }
      let start = index
      while index < range.upperBound, Self.continuesName(code[index]) { index += 1 }
      found.append((String(decoding: code[start..<index], as: UTF8.self), start))
      // The suffix of a number, such as the x of 0x1F, is not an identifier.
      if start > 0, Self.isDigit(code[start - 1]) { found.removeLast() }
    }
    return found
  }

  static func beginsName(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F || byte >= 0x80
  }
  static func continuesName(_ byte: UInt8) -> Bool { beginsName(byte) || isDigit(byte) }
  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

  static func trimmed(_ text: String) -> String {
    let characters = text.drop { $0 == " " || $0 == "\t" }
    return String(characters.prefix { $0 != "\r" && $0 != "\n" })
  }
}

/// Blanks comments, strings and regular expressions of Swift (The Swift Programming Language, "Lexical Structure").
private struct CodeScanner {
  private let bytes: [UInt8]
  private var code: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) { (self.bytes, code) = (bytes, bytes) }

  private func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

  mutating func scan() -> [UInt8] {
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "/") where byte(index + 1) == UInt8(ascii: "/"): blankLine()
      case UInt8(ascii: "/") where byte(index + 1) == UInt8(ascii: "*"): blankBlock()
      case UInt8(ascii: "\""): blankString(hashes: 0)
      case UInt8(ascii: "#"): scanHash()
      default: index += 1
      }
    }
    return code
  }

  private mutating func blank() {
    if bytes[index] != 0x0A { code[index] = 0x20 }
    index += 1
  }

  private mutating func blankLine() { while index < bytes.count, bytes[index] != 0x0A { blank() } }

  /// Block comments nest.
  private mutating func blankBlock() {
    var depth = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "/"), byte(index + 1) == UInt8(ascii: "*") {
        depth += 1
        blank()
      } else if bytes[index] == UInt8(ascii: "*"), byte(index + 1) == UInt8(ascii: "/") {
        depth -= 1
        blank()
      }
      if index < bytes.count { blank() }
      if depth == 0 { return }
    }
  }

  /// Scans `#"…"#`, `#/…/#`, or a directive, which is code.
  private mutating func scanHash() {
    var count = 0
    while byte(index + count) == UInt8(ascii: "#") { count += 1 }
    switch byte(index + count) {
    case UInt8(ascii: "\""): blankString(hashes: count)
    case UInt8(ascii: "/"): blankPattern(hashes: count)
    default: index += count
    }
  }

  private func closes(_ quote: [UInt8], hashes: Int) -> Bool {
    for (offset, expected) in quote.enumerated() where byte(index + offset) != expected { return false }
    for offset in 0..<hashes where byte(index + quote.count + offset) != UInt8(ascii: "#") { return false }
    return true
  }

  private mutating func blank(_ count: Int) { for _ in 0..<count where index < bytes.count { blank() } }

  private mutating func blankString(hashes: Int) {
    blank(hashes)
    let sign = UInt8(ascii: "\"")
    let isLong = byte(index + 1) == sign && byte(index + 2) == sign
    let quote = Array(repeating: sign, count: isLong ? 3 : 1)
    blank(quote.count)
    while index < bytes.count {
      if closes(quote, hashes: hashes) { return blank(quote.count + hashes) }
      if !isLong, bytes[index] == 0x0A { return }
      guard escapes(hashes) else {
        blank()
        continue
      }
      blank(1 + hashes)
      if byte(index) == UInt8(ascii: "(") { blankInterpolation() } else { blank(1) }
    }
  }

  private func escapes(_ hashes: Int) -> Bool {
    guard bytes[index] == UInt8(ascii: "\\") else { return false }
    for offset in 0..<hashes where byte(index + 1 + offset) != UInt8(ascii: "#") { return false }
    return true
  }

  /// Blanks an interpolation, which may contain strings and nested parentheses.
  private mutating func blankInterpolation() {
    var depth = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth == 0 { return blank() }
      case UInt8(ascii: "\""):
        blankString(hashes: 0)
        continue
      default: break
      }
      blank()
    }
  }

  private mutating func blankPattern(hashes: Int) {
    blank(hashes + 1)
    while index < bytes.count {
      if closes([UInt8(ascii: "/")], hashes: hashes) { return blank(1 + hashes) }
      blank()
    }
  }
}
