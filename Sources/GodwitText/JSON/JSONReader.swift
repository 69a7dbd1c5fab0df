/// A pull reader for JSON text in memory (RFC 8259). The caller requests the expected values; the reader validates all text it passes, and
/// allocates no memory.
///
/// The text must be followed by at least ``padding`` zero bytes. A zero byte ends every token, because it is not a digit, a letter or a
/// legal part of a string. Therefore no step has to check for the end of the text, and eight bytes may be loaded wherever one may. The
/// unsafe loads are safe only because of this invariant: `position` never passes a zero byte, because every branch that advances has seen a
/// non-zero byte.
@usableFromInline
package struct JSONReader {
  /// Number of zero bytes that must follow the text.
  package static let padding = 16
  /// Maximum nesting depth of arrays and objects.
  package static let maximumDepth = 64
  package static let tooDeep = "arrays and objects nested more than \(maximumDepth) deep"

  @usableFromInline package let base: UnsafePointer<UInt8>
  /// Bytes of the text, without the padding.
  @usableFromInline package let count: Int
  @usableFromInline package var position = 0
  /// Maximum records of the request.
  package var maximumRecords = RecordLimits.records
  /// The offset before which the current record must end; `Int.max` outside of records.
  @usableFromInline
  var recordEnd = Int.max

  /// An error: its reason and offset, and whether the text is not JSON or is JSON with an unexpected value.
  @usableFromInline
  package struct Fault: Error {
    @usableFromInline package var offset: Int
    @usableFromInline package var isSyntax: Bool
    @usableFromInline package var reason: String
    /// Path below the value that was being read, such as `.geometry.coordinates[1]`.
    @usableFromInline package var path = ""
    /// Whether the text exceeds a limit.
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

  /// Skips white space and returns the next byte; 0 at the end.
  @inlinable @inline(__always)
  package mutating func peek() -> UInt8 {
    var byte = base[position]
    // Most texts contain no white space.
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

  /// Consumes a required byte.
  @inlinable @inline(__always)
  package mutating func expect(_ byte: UInt8, _ name: StaticString) throws(Fault) {
    guard peek() == byte else { throw syntax("expected \(name)") }
    position &+= 1
  }

  /// Returns whether another member or element follows. Consumes the comma or the closing bracket.
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

  /// Returns whether an object or array is empty. If it is, consumes the closing bracket.
  @inlinable @inline(__always)
  package mutating func isEmpty(closing: UInt8) -> Bool {
    guard peek() == closing else { return false }
    position &+= 1
    return true
  }

  /// Reads a member's name and its colon.
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

  /// Reads a string, in steps of eight bytes until a special byte.
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

  /// The bytes of a word that end plain ASCII: quotation mark, backslash, control characters, non-ASCII. Bit 7 of each such byte is set.
  /// Bits above the lowest set bit may be wrong; the caller uses only the lowest one.
  @inlinable @inline(__always)
  static func special(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    return (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | (word &- ones &* 0x20) | word) & highs
  }

  /// Reads the rest of a string that contains escapes or non-ASCII characters.
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

  /// Skips and validates a whole value. - Returns: the range of the value.
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
      // A value was read: close the brackets that end after it.
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

  /// Begins a record, whose maximum length is ``RecordLimits/bytes``. Reading past its end throws an error.
  package mutating func beginRecord() { recordEnd = position + RecordLimits.bytes }

  /// Ends a record. - Throws: an error if the record is too long.
  package mutating func endRecord() throws(Fault) {
    if position > recordEnd { throw tooLong() }
    recordEnd = .max
  }

  /// Skips a rejected record of any length.
  /// - Parameter start: the offset of the record.
  package mutating func skipRecord(from start: Int) throws(Fault) -> Range<Int> {
    recordEnd = .max
    position = start
    return try skipValue()
  }

  @usableFromInline @inline(never)
  func tooLong() -> Fault { unexpected(RecordLimits.tooLong, at: recordEnd) }

  /// Throws an error if anything but white space follows.
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

  /// The error for text that exceeds a limit; reading ends there.
  package func limit(_ reason: String) -> Fault {
    Fault(offset: min(position, count), isSyntax: true, reason: reason, isLimit: true)
  }

  package func unexpected(_ reason: String, at offset: Int, path: String = "") -> Fault {
    Fault(offset: offset, isSyntax: false, reason: reason, path: path)
  }
}
