internal import GodwitModel

/// Lenient reading: values of an unexpected kind are skipped and treated as missing.
extension JSONReader {
  /// Reads the members of an object; skips any other value.
  /// - Parameter body: reads the value and returns true, or leaves it unread and returns false.
  @inlinable @inline(__always)
  package mutating func members(
    _ body: (inout JSONReader, _ key: Text) throws(Fault) -> Bool
  ) throws(Fault) {
    guard peek() == UInt8(ascii: "{") else {
      try skipValue()
      return
    }
    position &+= 1
    guard !isEmpty(closing: UInt8(ascii: "}")) else { return }
    repeat {
      let key = try key()
      if try !body(&self, key) { try skipValue() }
    } while try hasMore(closing: UInt8(ascii: "}"))
  }

  /// Reads the elements of an array; skips any other value.
  /// - Parameter body: reads the value.
  @inlinable @inline(__always)
  package mutating func elements(_ body: (inout JSONReader, _ index: Int) throws(Fault) -> Void) throws(Fault) {
    guard peek() == UInt8(ascii: "[") else {
      try skipValue()
      return
    }
    position &+= 1
    guard !isEmpty(closing: UInt8(ascii: "]")) else { return }
    var index = 0
    repeat {
      try body(&self, index)
      index += 1
    } while try hasMore(closing: UInt8(ascii: "]"))
  }

  /// Reads a number with a magnitude of at most 1e15, also from a string. Returns `nil` for all other values.
  package mutating func optionalNumber() throws(Fault) -> Double? {
    let first = peek()
    if first &- 48 <= 9 || first == UInt8(ascii: "-") {
      let value = try number()
      return abs(value) <= 1e15 ? value : nil
    }
    guard first == UInt8(ascii: "\"") else {
      try skipValue()
      return nil
    }
    let text = try string()
    let value = DecimalParser.double(UnsafeBufferPointer(start: base + text.start, count: text.count))
    return value.flatMap { abs($0) <= 1e15 ? $0 : nil }
  }

  /// Reads a number for which negative values mean unknown.
  package mutating func optionalMagnitude() throws(Fault) -> Double? { try optionalNumber().flatMap { $0 >= 0 ? $0 : nil } }

  /// A course in degrees, 0…360.
  package mutating func optionalCourse() throws(Fault) -> Double? {
    try optionalNumber().flatMap { $0 >= 0 && $0 <= 360 ? $0 : nil }
  }

  /// Reads a string that is not empty.
  package mutating func optionalString() throws(Fault) -> String? {
    guard peek() == UInt8(ascii: "\"") else {
      try skipValue()
      return nil
    }
    let text = try string()
    return text.count == 0 ? nil : decoded(text)
  }

  package mutating func optionalBoolean() throws(Fault) -> Bool? {
    let first = peek()
    if first == UInt8(ascii: "t") || first == UInt8(ascii: "f") { return try boolean() }
    try skipValue()
    return nil
  }

  /// Reads a time as RFC 3339, or as a Unix time in seconds or milliseconds. Returns milliseconds since 1970; `nil` for all other values.
  @inlinable @inline(__always)
  package mutating func optionalTime() throws(Fault) -> Int64? {
    let first = peek()
    if first == UInt8(ascii: "\"") {
      let text = try string()
      let bytes = UnsafeBufferPointer(start: base + text.start, count: text.count)
      return TimestampParser.milliseconds(bytes)
    }
    guard first &- 48 <= 9 || first == UInt8(ascii: "-") else {
      try skipValue()
      return nil
    }
    return TimestampParser.milliseconds(unix: try number())
  }
}

/// Collects members that have no field in a record, as the text of a JSON object.
package struct ExtrasText {
  private var bytes: [UInt8] = [UInt8(ascii: "{")]
  /// The last text, which is reused because senders often repeat the same members.
  private var last: (bytes: [UInt8], text: String)?

  package init() {}

  package var isEmpty: Bool { bytes.count == 1 }

  package mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(UInt8(ascii: "{"))
  }

  /// Adds a member that is copied from the text: `"name":value`.
  @inlinable @inline(__always)
  package mutating func store(_ range: Range<Int>, of json: JSONReader) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(contentsOf: UnsafeBufferPointer(start: json.base + range.lowerBound, count: range.count))
  }

  /// Adds a member whose value is an array or an object, without white space in it.
  package mutating func appendCompact(_ key: JSONReader.Text, _ value: Range<Int>, of json: JSONReader) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(contentsOf: UnsafeBufferPointer(start: json.base + key.start - 1, count: key.count + 2))
    bytes.append(UInt8(ascii: ":"))
    bytes += JSONObjectText.compact(UnsafeBufferPointer(start: json.base + value.lowerBound, count: value.count))
  }

  private mutating func name(_ name: String) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    JSONWriter.string(name, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Adds a string member. An empty or unknown text is omitted.
  package mutating func add(_ name: String, _ text: String?) {
    guard let text, !text.isEmpty else { return }
    self.name(name)
    JSONWriter.string(text, to: &bytes)
  }

  /// Adds a number member. An unknown or unrepresentable number is omitted.
  package mutating func add(_ name: String, _ value: Double?, decimals: Int = 6) {
    guard let value, DecimalWriter.canWrite(value, decimals: decimals) else { return }
    self.name(name)
    DecimalWriter.append(value, decimals: decimals, to: &bytes)
  }

  package mutating func add(_ name: String, _ flag: Bool) {
    self.name(name)
    bytes += Array((flag ? "true" : "false").utf8)
  }

  /// The object; `nil` if it has no members.
  package var text: String? {
    mutating get {
      guard bytes.count > 1 else { return nil }
      if let last, last.bytes == bytes { return last.text }
      let made = String(decoding: bytes, as: UTF8.self) + "}"
      last = (bytes, made)
      return made
    }
  }
}
