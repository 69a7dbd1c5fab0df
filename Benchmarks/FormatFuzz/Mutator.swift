/// Damages texts in ways that depend only on a seed: bytes, numbers, words, brackets and tags.
struct Mutator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  /// Returns a number from 0 to below a bound.
  mutating func random(_ bound: Int) -> Int {
    // xorshift64*, of Marsaglia and Vigna.
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return Int((state &* 0x2545_F491_4F6C_DD1D) >> 33) % max(1, bound)
  }

  /// Texts that are difficult for decoders: numbers at their limits, incomplete text, invalid characters.
  private static let words: [[UInt8]] = [
    "0", "-0", "-1", "1e999", "-1e999", "1e-999", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
    "-9223372036854775808", "9223372036854775806", "9007199254740992", "9007199254740993", "-9007199254740993", "1099511627776",
    "1099511627777", "1.7976931348623157e308", "-1.7976931348623157e308", "-1e308", "5e-324", "9.223372036854775807e18",
    "18446744073709551616", "4294967296", "0.1e", "1.", ".5", "NaN", "Infinity", "-Infinity", "1e308", "90.0000001", "-180.1",
    "180",
    "253402300800", "-62135596801", "99999999999999999999999999999999", "null", "true", "false", "\"\"", "[]", "{}", "[[[[[[[[",
    "}}}}]]]]",
    "\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\\u0000\"", "\\", "\"", "'", "<", ">", "&", "&amp;", "&#0;", "&#x110000;", "&lt",
    "<!--", "-->",
    "<![CDATA[", "]]>", "<?xml", "?>", "<a>", "</a>", "<!DOCTYPE a [<!ENTITY b \"c\">]>", "&b;", "%", "%0", "%00", "%ff",
    "%F0%9F", "+", "&&", "==",
    ",", ";", ":", "\t", "\n", "\r\n", "\r", " ", "$", "*", "*00", "2026-11-20T08:30:00Z", "2026-02-30T25:61:61Z",
    "0000-00-00T00:00:00Z",
    "9999-12-31T23:59:60+99:99", "\u{FEFF}", "\u{202E}", "é", "\u{1F600}", "geo:", "°", "-0.0,-0.0", "1,2,3,4,5,6,7",
  ].map { Array($0.utf8) }

  /// Returns a text with one or more faults.
  /// - Parameters:
  ///   - seed: a text without faults.
  ///   - other: a text of which parts are inserted.
  mutating func damaged(_ seed: [UInt8], with other: [UInt8]) -> [UInt8] {
    var text = seed
    for _ in 0...random(random(4) == 0 ? 12 : 3) { damage(&text, other) }
    if text.count > 1 << 17 { text.removeLast(text.count - 1 << 17) }
    return text
  }

  private mutating func damage(_ text: inout [UInt8], _ other: [UInt8]) {
    guard !text.isEmpty else {
      text += Self.words[random(Self.words.count)]
      return
    }
    let place = random(text.count)
    switch random(12) {
    case 0: text[place] = UInt8(random(256))
    case 1: text[place] ^= 1 << UInt8(random(8))
    case 2: text.remove(at: place)
    case 3: text.insert(contentsOf: Self.words[random(Self.words.count)], at: place)
    case 4:
      // Replaces a number or a word with another one.
      let token = token(in: text, at: place)
      text.replaceSubrange(token, with: Self.words[random(Self.words.count)])
    case 5:
      // Replaces a token with one of the other text.
      let from = token(in: other, at: random(other.count))
      text.replaceSubrange(token(in: text, at: place), with: Array(other[from]))
    case 6: text.removeSubrange(piece(of: text, from: place))
    case 7: text.insert(contentsOf: Array(text[piece(of: text, from: place)]), at: random(text.count))
    case 8: text.insert(contentsOf: Array(other[piece(of: other, from: random(other.count))]), at: place)
    case 9:
      let piece = Array(text[piece(of: text, from: place)].prefix(64))
      for _ in 0..<(1 << random(8)) { text.insert(contentsOf: piece, at: place) }
    case 10: text.removeLast(random(text.count))
    default: text.swapAt(place, random(text.count))
    }
  }

  /// Returns the range of the number, word or character at a place.
  private func token(in text: [UInt8], at place: Int) -> Range<Int> {
    guard place < text.count, Self.isWord(text[place]) else { return place..<min(place + 1, text.count) }
    var (from, to) = (place, place + 1)
    while from > 0, Self.isWord(text[from - 1]) { from -= 1 }
    while to < text.count, Self.isWord(text[to]) { to += 1 }
    return from..<to
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    let isLetter = (0x61...0x7A).contains(byte | 0x20)
    return isLetter || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E || byte == 0x2B || byte == 0x5F
  }

  /// Returns the range from a bracket or tag to its end, or of some bytes if there is none.
  private mutating func piece(of text: [UInt8], from place: Int) -> Range<Int> {
    guard place < text.count else { return text.count..<text.count }
    if random(2) == 0, let start = text[place...].firstIndex(where: { [0x7B, 0x5B, 0x3C].contains($0) }) {
      if text[start] == 0x3C { return start..<((text[start...].firstIndex(of: 0x3E) ?? text.count - 1) + 1) }
      var depth = 0
      for index in text[start...].indices {
        if text[index] == 0x7B || text[index] == 0x5B { depth += 1 }
        if text[index] == 0x7D || text[index] == 0x5D { depth -= 1 }
        if depth == 0 { return start..<(index + 1) }
      }
      return start..<text.count
    }
    return place..<min(text.count, place + 1 + random(40))
  }
}
