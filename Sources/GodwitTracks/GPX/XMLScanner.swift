package import GodwitText

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  package import Musl
#else
  internal import Darwin
#endif

/// A scanner for XML in UTF-8 without a document type. It supports tags, attributes, text, the five predefined entities, character
/// references, comments, CDATA and processing instructions, and checks the nesting of tags.
///
/// Only an incomplete token at the end of a piece is buffered.
package struct XMLScanner {
  /// The incomplete token at the end of the last piece.
  private var rest: [UInt8] = []
  /// Number of bytes of the document before `rest`.
  private(set) var consumed: Int
  private(set) var line: Int
  /// Hashes of the names of the open elements.
  private(set) var open: [UInt64]
  private var hasRoot: Bool

  /// - Parameters:
  ///   - byte: Offset in the document of the next piece.
  ///   - line: Line number at that offset.
  ///   - open: Hashes of the elements that are open there.
  package init(byte: Int = 0, line: Int = 1, open: [UInt64] = []) {
    consumed = byte
    self.line = line
    self.open = open
    hasRoot = byte > 0
  }

  /// Maximum bytes of a token, such as a comment or an attribute.
  private static let maximumToken = 16 << 20

  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, to builder: inout GPXBuilder) throws(FormatError) {
    let used: Int
    if rest.isEmpty {
      used = try scan(bytes, to: &builder)
      consumed += used
      rest = Array(bytes[used...])
    } else {
      rest.append(contentsOf: bytes)
      let whole = rest
      used = try whole.withUnsafeBufferPointer { all throws(FormatError) in try scan(all, to: &builder) }
      consumed += used
      rest = Array(whole[used...])
    }
    if rest.count > Self.maximumToken {
      throw error("a token of more than \(Self.maximumToken) bytes", at: 0, in: bytes)
    }
  }

  package func finish() throws(FormatError) {
    let end = FormatError.Place(byte: consumed + rest.count, line: line)
    if let byte = rest.first(where: { $0 > 0x20 }), byte != 0 {
      throw FormatError(format: "GPX", place: end, reason: "the file ends inside a tag")
    }
    if !open.isEmpty {
      throw FormatError(format: "GPX", place: end, reason: "the file ends inside \(open.count) open elements")
    }
    if !hasRoot { throw FormatError(format: "GPX", place: end, reason: "there is no gpx element") }
  }

  /// Scans the complete tokens of a piece. - Returns: the number of bytes scanned.
  private mutating func scan(
    _ bytes: UnsafeBufferPointer<UInt8>, to builder: inout GPXBuilder
  ) throws(FormatError) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    let count = bytes.count
    var position = 0
    while position < count {
      if base[position] != UInt8(ascii: "<") {
        // Text up to the next tag. If the piece ends in the text, scanning stops before it.
        guard let found = memchr(base + position, 0x3C, count - position) else { return position }
        let end = UnsafeRawPointer(found) - UnsafeRawPointer(base)
        if builder.wantsText {
          try text(
            UnsafeBufferPointer(start: base + position, count: end - position), at: position, in: bytes, to: &builder)
        }
        countLines(base + position, end - position)
        position = end
        continue
      }
      guard position + 1 < count else { return position }
      switch base[position + 1] {
      case UInt8(ascii: "!"):
        guard let end = try markup(bytes, from: position, to: &builder) else { return position }
        countLines(base + position, end - position)
        position = end
      case UInt8(ascii: "?"):
        guard let end = find("?>", in: bytes, from: position + 2) else { return position }
        countLines(base + position, end - position)
        position = end
      case UInt8(ascii: "/"):
        guard let found = memchr(base + position, 0x3E, count - position) else { return position }
        let end = UnsafeRawPointer(found) - UnsafeRawPointer(base)
        var last = end
        while last > position, base[last - 1] <= 0x20 { last -= 1 }
        let hash = Self.hash(base + position + 2, last - position - 2)
        guard let expected = open.popLast(), expected == hash else {
          throw error("an end tag that does not match its start tag", at: position, in: bytes)
        }
        builder.end(byte: consumed + position, line: line)
        position = end + 1
      default:
        guard let end = try startTag(bytes, from: position, to: &builder) else { return position }
        position = end
      }
    }
    return position
  }

  /// Scans `<name a="b">`. - Returns: the end of the tag; `nil` if the piece ends before it.
  private mutating func startTag(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to builder: inout GPXBuilder
  ) throws(FormatError) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    let count = bytes.count
    var index = start + 1
    while index < count, Self.isNameByte(base[index]) { index += 1 }
    let nameEnd = index
    guard index < count else { return nil }
    guard nameEnd > start + 1 else { throw error("expected the name of an element after <", at: start, in: bytes) }
    var latitude: Range<Int>?
    var longitude: Range<Int>?
    var isEmpty = false
    while true {
      while index < count, base[index] <= 0x20 { index += 1 }
      guard index < count else { return nil }
      let byte = base[index]
      if byte == UInt8(ascii: ">") { break }
      if byte == UInt8(ascii: "/") {
        guard index + 1 < count else { return nil }
        guard base[index + 1] == UInt8(ascii: ">") else { throw error("expected > after /", at: index, in: bytes) }
        isEmpty = true
        index += 1
        break
      }
      let attribute = index
      while index < count, Self.isNameByte(base[index]) { index += 1 }
      let attributeEnd = index
      while index < count, base[index] <= 0x20 { index += 1 }
      guard index < count else { return nil }
      guard attributeEnd > attribute, base[index] == UInt8(ascii: "=") else {
        throw error("expected an attribute: name=\"value\"", at: index, in: bytes)
      }
      index += 1
      while index < count, base[index] <= 0x20 { index += 1 }
      guard index < count else { return nil }
      let quote = base[index]
      guard quote == 0x22 || quote == 0x27 else {
        throw error("expected a quotation mark before the value of an attribute", at: index, in: bytes)
      }
      guard let found = memchr(base + index + 1, Int32(quote), count - index - 1) else { return nil }
      let end = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      if attributeEnd - attribute == 3, base[attribute] == UInt8(ascii: "l") {
        if base[attribute + 1] == UInt8(ascii: "a") { latitude = index + 1..<end } else { longitude = index + 1..<end }
      }
      index = end + 1
    }
    let element = GPXElement(UnsafeBufferPointer(start: base + start + 1, count: nameEnd - start - 1))
    hasRoot = true
    builder.start(
      element,
      latitude: latitude.flatMap { DecimalParser.double(UnsafeBufferPointer(rebasing: bytes[$0])) },
      longitude: longitude.flatMap { DecimalParser.double(UnsafeBufferPointer(rebasing: bytes[$0])) },
      byte: consumed + start, line: line)
    countLines(base + start, index - start)
    if isEmpty {
      builder.end(byte: consumed + start, line: line)
    } else {
      guard open.count < XMLReader.deepest else {
        throw error("elements nested more than \(XMLReader.deepest) deep", at: start, in: bytes)
      }
      open.append(Self.hash(base + start + 1, nameEnd - start - 1))
    }
    return index + 1
  }

  /// Scans a comment or CDATA section. - Returns: its end; `nil` if the piece ends before it.
  private mutating func markup(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to builder: inout GPXBuilder
  ) throws(FormatError) -> Int? {
    guard start + 9 <= bytes.count else { return nil }
    if bytes[start + 2] == UInt8(ascii: "-"), bytes[start + 3] == UInt8(ascii: "-") {
      return find("-->", in: bytes, from: start + 4)
    }
    let head = UnsafeBufferPointer(rebasing: bytes[start..<start + 9])
    if head.elementsEqual("<![CDATA[".utf8) {
      guard let end = find("]]>", in: bytes, from: start + 9) else { return nil }
      builder.append(UnsafeBufferPointer(rebasing: bytes[start + 9..<end - 3]))
      return end
    }
    throw error("a declaration inside the document", at: start, in: bytes)
  }

  /// Appends text with its entities replaced.
  private func text(
    _ bytes: UnsafeBufferPointer<UInt8>, at position: Int, in whole: UnsafeBufferPointer<UInt8>,
    to builder: inout GPXBuilder
  ) throws(FormatError) {
    guard bytes.contains(UInt8(ascii: "&")) else { return builder.append(bytes) }
    guard let plain = XMLEntities.replaced(bytes) else {
      throw error("an entity that XML does not define", at: position, in: whole)
    }
    plain.withUnsafeBufferPointer { builder.append($0) }
  }

  private func find(_ end: StaticString, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    let size = end.utf8CodeUnitCount
    var index = start
    while index + size <= bytes.count {
      var matched = 0
      while matched < size, bytes[index + matched] == end.utf8Start[matched] { matched += 1 }
      if matched == size { return index + size }
      index += 1
    }
    return nil
  }

  private mutating func countLines(_ start: UnsafePointer<UInt8>, _ count: Int) {
    for index in 0..<count where start[index] == 0x0A { line += 1 }
  }

  @inline(__always)
  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte != UInt8(ascii: ">") && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "=")
      && byte != UInt8(ascii: "<")
  }

  /// Returns the 64-bit FNV-1a hash of a name.
  @inline(__always)
  private static func hash(_ start: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in 0..<max(0, count) { hash = (hash ^ UInt64(start[index])) &* 0x100_0000_01B3 }
    return hash
  }

  private func error(_ reason: String, at position: Int, in bytes: UnsafeBufferPointer<UInt8>) -> FormatError {
    FormatError(format: "GPX", place: FormatError.Place(byte: consumed + position, line: line), reason: reason)
  }
}

/// The predefined entities of XML, and character references.
package enum XMLEntities {
  /// Returns the text with its entities replaced; `nil` for an unknown entity.
  package static func replaced(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "&") else {
        result.append(bytes[index])
        index += 1
        continue
      }
      guard let end = bytes[index...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
      let name = String(decoding: bytes[index + 1..<end], as: UTF8.self)
      switch name {
      case "lt": result.append(UInt8(ascii: "<"))
      case "gt": result.append(UInt8(ascii: ">"))
      case "amp": result.append(UInt8(ascii: "&"))
      case "quot": result.append(UInt8(ascii: "\""))
      case "apos": result.append(UInt8(ascii: "'"))
      default:
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let code = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let code, let scalar = Unicode.Scalar(code) else { return nil }
        result.append(contentsOf: String(scalar).utf8)
      }
      index = end + 1
    }
    return result
  }
}
