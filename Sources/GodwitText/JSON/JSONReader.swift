/// A pull reader over JSON text in memory (RFC 8259): the caller asks for what it expects, everything is
/// validated on the way, nothing is allocated.
///
/// The text must be followed by at least ``padding`` zero bytes. A zero byte ends every token (it is no
/// digit, no letter and no legal part of a string), so no step has to ask where the text ends, and eight bytes
/// may be looked at once wherever one may. That, and nothing else, is what makes the unsafe loads safe:
/// `position` never passes a zero byte, because every branch that advances has seen a byte that is not zero.
@usableFromInline
package struct JSONReader {
  /// Zero bytes that must follow the text.
  package static let padding = 16
  /// Most arrays and objects inside one another.
  package static let maximumDepth = 64
  package static let tooDeep = "arrays and objects nested more than \(maximumDepth) deep"

  @usableFromInline package let base: UnsafePointer<UInt8>
  /// Bytes of the text, without the padding.
  @usableFromInline package let count: Int
  @usableFromInline package var position = 0
  /// Records that the request may have.
  package var maximumRecords = RecordLimits.records
  /// Where the record that is being read must have ended; `Int.max` outside of records.
  @usableFromInline
  var recordEnd = Int.max

  /// What is wrong and where. Whether the text is no JSON, or JSON that says something unexpected.
  @usableFromInline
  package struct Fault: Error {
    @usableFromInline package var offset: Int
    @usableFromInline package var isSyntax: Bool
    @usableFromInline package var reason: String
    /// Path below the value that was being read, such as `.geometry.coordinates[1]`.
    @usableFromInline package var path = ""
    /// Whether there is more than is read at once.
    @usableFromInline package var isLimit = false

    @inlinable
    package init(offset: Int, isSyntax: Bool, reason: String, path: String = "", isLimit: Bool = false) {
      self.offset = offset
      self.isSyntax = isSyntax
      self.reason = reason
      self.path = path
      self.isLimit = isLimit
    }
  }

  /// A string's contents between the quotation marks, validated but not unescaped.
  @usableFromInline
  package struct Text {
    @usableFromInline package var start: Int
    @usableFromInline package var end: Int
    @usableFromInline package var hasEscapes: Bool
    @inlinable
    package var count: Int { end - start }

    @inlinable
    package init(start: Int, end: Int, hasEscapes: Bool) {
      self.start = start
      self.end = end
      self.hasEscapes = hasEscapes
    }
  }

  @usableFromInline
  package enum Kind {
    case object, array, string, number, boolean, null
  }

  @inlinable
  package init(base: UnsafePointer<UInt8>, count: Int) {
    self.base = base
    self.count = count
  }

  // MARK: Tokens

  /// Passes white space and reports the next byte; 0 at the end.
  @inlinable @inline(__always)
  package mutating func peek() -> UInt8 {
    var byte = base[position]
    // Most texts have no white space at all.
    while byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position &+= 1
      byte = base[position]
    }
    return byte
  }

  /// The kind of the next value, by its first byte.
  @inlinable
  package mutating func kind() throws(Fault) -> Kind {
    switch peek() {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case UInt8(ascii: "n"): return .null
    default: throw syntax("expected a value")
    }
  }

  /// Takes one byte that must be there.
  @inlinable @inline(__always)
  package mutating func expect(_ byte: UInt8, _ name: StaticString) throws(Fault) {
    guard peek() == byte else { throw syntax("expected \(name)") }
    position &+= 1
  }

  /// After a member or an element: whether another one follows. Takes the comma or the closing bracket.
  @inlinable @inline(__always)
  package mutating func hasMore(closing: UInt8) throws(Fault) -> Bool {
    let byte = peek()
    if byte == UInt8(ascii: ",") {
      position &+= 1
      return true
    }
    guard byte == closing else {
      throw syntax(closing == UInt8(ascii: "}") ? "expected , or }" : "expected , or ]")
    }
    position &+= 1
    return false
  }

  /// Before the first member or element: whether there is one. Takes the closing bracket if not.
  @inlinable @inline(__always)
  package mutating func isEmpty(closing: UInt8) -> Bool {
    guard peek() == closing else { return false }
    position &+= 1
    return true
  }

  /// A member's name and its colon.
  @inlinable @inline(__always)
  package mutating func key() throws(Fault) -> Text {
    let text = try string()
    if base[position] == UInt8(ascii: ":") {
      position &+= 1
      return text
    }
    try expect(UInt8(ascii: ":"), ":")
    return text
  }

  // MARK: Strings

  /// A string. Looks at eight bytes at once until one of them is special.
  @inlinable @inline(__always)
  package mutating func string() throws(Fault) -> Text {
    guard peek() == UInt8(ascii: "\"") else { throw syntax("expected a string") }
    position &+= 1
    let start = position
    while true {
      let word = UnsafeRawPointer(base + position).loadUnaligned(as: UInt64.self).littleEndian
      let special = Self.special(word)
      if special == 0 {
        position &+= 8
        continue
      }
      position &+= special.trailingZeroBitCount >> 3
      if base[position] == UInt8(ascii: "\"") {
        let text = Text(start: start, end: position, hasEscapes: false)
        position &+= 1
        if position > recordEnd { throw tooLong() }
        return text
      }
      return try slowString(from: start)
    }
  }

  /// The bytes of a word that end plain ASCII: quotation mark, backslash, control characters, non-ASCII.
  /// Bit 7 of each such byte is set; bits above the lowest one may be wrong, which does not matter here.
  @inlinable @inline(__always)
  static func special(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    return (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | (word &- ones &* 0x20) | word) & highs
  }

  /// The rest of a string that has escapes or more than ASCII.
  @usableFromInline
  mutating func slowString(from start: Int) throws(Fault) -> Text {
    var hasEscapes = false
    while true {
      let byte = base[position]
      switch byte {
      case UInt8(ascii: "\""):
        let text = Text(start: start, end: position, hasEscapes: hasEscapes)
        position += 1
        if position > recordEnd { throw tooLong() }
        return text
      case UInt8(ascii: "\\"):
        hasEscapes = true
        do throws(JSONEscape.Fault) { position += try JSONEscape(at: base + position).length } catch {
          throw syntax(error.rawValue)
        }
      case 0..<0x20:
        if position >= count { throw syntax("the text ends inside a string") }
        throw syntax("a control character inside a string must be written as \\u00\(String(byte, radix: 16))")
      case 0x80...:
        guard let length = MultibyteCharacter.length(at: base + position) else { throw syntax("not valid UTF-8") }
        position += length
      default: position += 1
      }
    }
  }

  // MARK: Literals

  @inlinable
  package mutating func boolean() throws(Fault) -> Bool {
    if peek() == UInt8(ascii: "t") {
      try literal("true")
      return true
    }
    try literal("false")
    return false
  }

  package mutating func null() throws(Fault) { try literal("null") }

  @usableFromInline
  mutating func literal(_ word: StaticString) throws(Fault) {
    _ = peek()
    for index in 0..<word.utf8CodeUnitCount {
      guard base[position + index] == word.utf8Start[index] else { throw syntax("expected \(word)") }
    }
    position += word.utf8CodeUnitCount
  }

  // MARK: Anything

  /// Passes a whole value, validating it. - Returns: where it stands.
  @discardableResult
  @usableFromInline
  package mutating func skipValue() throws(Fault) -> Range<Int> {
    _ = peek()
    let start = position
    // A bit for each open bracket: 1 for an object.
    var objects: UInt64 = 0
    var depth = 0
    while true {
      if position > recordEnd { throw tooLong() }
      switch peek() {
      case UInt8(ascii: "\""): _ = try string()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isObject = base[position] == UInt8(ascii: "{")
        guard depth < Self.maximumDepth else {
          throw syntax(Self.tooDeep)
        }
        position += 1
        if !isEmpty(closing: isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          objects = objects << 1 | (isObject ? 1 : 0)
          depth += 1
          if isObject { _ = try key() }
          continue
        }
      case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try boolean()
      case UInt8(ascii: "n"): try null()
      default: _ = try number()
      }
      // A value is behind us: close what it closes.
      while depth > 0 {
        let isObject = objects & 1 == 1
        if try hasMore(closing: isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          if isObject { _ = try key() }
          break
        }
        objects >>= 1
        depth -= 1
      }
      if depth == 0 { return start..<position }
    }
  }

  // MARK: Records

  /// Begins a record, which may have ``RecordLimits/bytes``: what reads over its end throws.
  package mutating func beginRecord() { recordEnd = position + RecordLimits.bytes }

  /// Ends a record. - Throws: where it was too long.
  package mutating func endRecord() throws(Fault) {
    if position > recordEnd { throw tooLong() }
    recordEnd = .max
  }

  /// Passes a record that was rejected, whatever its length.
  /// - Parameter start: where it begins.
  package mutating func skipRecord(from start: Int) throws(Fault) -> Range<Int> {
    recordEnd = .max
    position = start
    return try skipValue()
  }

  @usableFromInline @inline(never)
  func tooLong() -> Fault { unexpected(RecordLimits.tooLong, at: recordEnd) }

  /// Nothing but white space may follow.
  package mutating func finish() throws(Fault) {
    _ = peek()
    guard position >= count else { throw syntax("there is text after the end of the value") }
  }

  // MARK: Faults

  @usableFromInline
  package func syntax(_ reason: String) -> Fault {
    let ended = position >= count && base[position] == 0 && !reason.hasPrefix("the text ends")
    return Fault(offset: min(position, count), isSyntax: true, reason: ended ? reason + ", but the text ends" : reason)
  }

  /// There is more than is read at once: reading ends here.
  package func limit(_ reason: String) -> Fault {
    Fault(offset: min(position, count), isSyntax: true, reason: reason, isLimit: true)
  }

  package func unexpected(_ reason: String, at offset: Int, path: String = "") -> Fault {
    Fault(offset: offset, isSyntax: false, reason: reason, path: path)
  }
}
