/// A parsed statement whose parameters are written `?` (by order) or `?1`, `?2` (by number). It is rewritten with PostgreSQL's
/// `$1`. Question marks in quotes and comments are not parameters.
///
/// PostgreSQL needs the type of each parameter, and `NULL` has no type. Therefore a NULL is written into the text, and the text
/// with other NULLs is a different statement.
struct Placeholders: Sendable {
  /// The texts between the parameters; one more than there are parameters.
  private let texts: [String]
  /// The parameters between the texts, by the index of their value, from 0.
  private let parameters: [Int]
  /// Number of values that the statement needs.
  let count: Int

  init(_ sql: String) {
    var texts: [String] = []
    var parameters: [Int] = []
    var scanner = Scanner(sql)
    var text: [UInt8] = []
    while let piece = scanner.next() {
      switch piece {
      case .text(let range): text += scanner.bytes[range]
      case .parameter(let number):
        texts.append(String(decoding: text, as: UTF8.self))
        text = []
        parameters.append(number.map { $0 - 1 } ?? parameters.count)
      }
    }
    texts.append(String(decoding: text, as: UTF8.self))
    self.texts = texts
    self.parameters = parameters
    count = (parameters.max() ?? -1) + 1
  }

  /// Returns the statement with `$1` for the first value that is not NULL, `$2` for the second, and so on.
  /// - Parameter isNull: whether each value is NULL; `count` elements.
  func sql(isNull: [Bool]) -> String {
    var numbers: [Int] = []
    var next = 1
    for isNull in isNull {
      numbers.append(next)
      if !isNull { next += 1 }
    }
    var sql = texts[0]
    for (index, parameter) in parameters.enumerated() {
      sql += isNull[parameter] ? "NULL" : "$\(numbers[parameter])"
      sql += texts[index + 1]
    }
    return sql
  }
}

/// Splits a statement into texts and parameters.
private struct Scanner {
  enum Piece {
    case text(Range<Int>)
    /// A parameter; with its number, if it has one.
    case parameter(Int?)
  }

  let bytes: [UInt8]
  private var position = 0

  init(_ sql: String) { bytes = Array(sql.utf8) }

  private func byte(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

  mutating func next() -> Piece? {
    guard let first = byte(position) else { return nil }
    let start = position
    switch first {
    case UInt8(ascii: "?"):
      position += 1
      var number = 0
      while let digit = byte(position), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit), number < 10_000 {
        number = number * 10 + Int(digit - UInt8(ascii: "0"))
        position += 1
      }
      return .parameter(number > 0 ? number : nil)
    case UInt8(ascii: "'"):
      skip(to: first, escaped: isEscaping(before: start))
    case UInt8(ascii: "\""):
      skip(to: first, escaped: false)
    case UInt8(ascii: "-") where byte(start + 1) == first:
      while let byte = byte(position), byte != UInt8(ascii: "\n") { position += 1 }
    case UInt8(ascii: "/") where byte(start + 1) == UInt8(ascii: "*"):
      skipComment()
    case UInt8(ascii: "$"):
      skipDollars()
    default:
      position += 1
      while let byte = byte(position), !Self.begins.contains(byte) { position += 1 }
    }
    return .text(start..<position)
  }

  private static let begins: Set<UInt8> = Set("?'\"-/$".utf8)

  /// Whether a quote begins a string `E'…'`, in which a backslash escapes the next character.
  private func isEscaping(before quote: Int) -> Bool {
    guard quote > 0, bytes[quote - 1] | 0x20 == UInt8(ascii: "e") else { return false }
    return quote == 1 || !Self.isWord(bytes[quote - 2])
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private mutating func skip(to quote: UInt8, escaped: Bool) {
    position += 1
    while let byte = byte(position) {
      position += 1
      if escaped, byte == UInt8(ascii: "\\") { position += 1 }
      guard byte == quote else { continue }
      // A doubled quote is a quote inside of the string.
      guard self.byte(position) == quote else { return }
      position += 1
    }
    position = min(position, bytes.count)
  }

  private mutating func skipComment() {
    var depth = 0
    while let byte = byte(position) {
      let pair = (byte, self.byte(position + 1))
      if pair == (UInt8(ascii: "/"), UInt8(ascii: "*")) {
        depth += 1
        position += 2
      } else if pair == (UInt8(ascii: "*"), UInt8(ascii: "/")) {
        depth -= 1
        position += 2
        if depth == 0 { return }
      } else {
        position += 1
      }
    }
  }

  /// Skips a string `$tag$ … $tag$`, or a single dollar that does not begin a string.
  private mutating func skipDollars() {
    var end = position + 1
    while let byte = byte(end), Self.isWord(byte) { end += 1 }
    let isTag = byte(end) == UInt8(ascii: "$") && byte(position + 1).map { !(0x30...0x39).contains($0) } == true
    let continuesWord = position > 0 && Self.isWord(bytes[position - 1])
    guard isTag, !continuesWord else {
      position += 1
      return
    }
    let tag = bytes[position...end]
    position = end + 1
    while position < bytes.count {
      if bytes[position] == tag[tag.startIndex], bytes[position...].starts(with: tag) {
        position += tag.count
        return
      }
      position += 1
    }
  }
}
