internal import GodwitModel

/// Reading generously: values of another kind than was expected are passed, and known to be missing.
extension JSONReader {
  /// The members of an object; anything else is passed.
  /// - Parameter body: reads the value, or leaves it where it is and says no.
  @inline(__always)
  mutating func members(
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

  /// The elements of an array; anything else is passed.
  /// - Parameter body: reads the value.
  @inline(__always)
  mutating func elements(_ body: (inout JSONReader, _ index: Int) throws(Fault) -> Void) throws(Fault) {
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

  /// A number of a size that something on earth can have, also in a string, with or without its unit behind it.
  mutating func optionalNumber() throws(Fault) -> Double? {
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

  /// The same where below zero means unknown.
  mutating func optionalMagnitude() throws(Fault) -> Double? { try optionalNumber().flatMap { $0 >= 0 ? $0 : nil } }

  /// A course in degrees, 0…360.
  mutating func optionalCourse() throws(Fault) -> Double? {
    try optionalNumber().flatMap { $0 >= 0 && $0 <= 360 ? $0 : nil }
  }

  /// A string that says something.
  mutating func optionalString() throws(Fault) -> String? {
    guard peek() == UInt8(ascii: "\"") else {
      try skipValue()
      return nil
    }
    let text = try string()
    return text.count == 0 ? nil : decoded(text)
  }

  mutating func optionalBoolean() throws(Fault) -> Bool? {
    let first = peek()
    if first == UInt8(ascii: "t") || first == UInt8(ascii: "f") { return try boolean() }
    try skipValue()
    return nil
  }

  /// A moment as RFC 3339, or as a number of seconds or milliseconds since 1970, in milliseconds; `nil` for all else.
  @inline(__always)
  mutating func optionalTime() throws(Fault) -> Int64? {
    let first = peek()
    if first == UInt8(ascii: "\"") {
      let text = try string()
      let bytes = UnsafeBufferPointer(start: base + text.start, count: text.count)
      return LenientTime.milliseconds(bytes)
    }
    guard first &- 48 <= 9 || first == UInt8(ascii: "-") else {
      try skipValue()
      return nil
    }
    return LenientTime.milliseconds(unix: try number())
  }
}

/// Moments as other programs write them.
enum LenientTime {
  /// RFC 3339, the same without a zone (which is taken as UTC) or with a space before the zone, or a number as below. Years
  /// 1970 to 2199.
  static func milliseconds(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    if let time = RFC3339.milliseconds(utf8: bytes) { return valid(time) }
    if let number = DecimalParser.double(bytes) { return milliseconds(unix: number) }
    guard bytes.count >= 10, bytes.count <= 40 else { return nil }
    var text = Array(bytes).filter { $0 != UInt8(ascii: "\"") }
    while text.last == 0x20 { text.removeLast() }
    while text.first == 0x20 { text.removeFirst() }
    for word in [" UTC", " GMT"] where text.suffix(4).elementsEqual(word.utf8) {
      text.removeLast(4)
      text.append(UInt8(ascii: "Z"))
    }
    // 2026/11/20 is 2026-11-20.
    for index in [4, 7] where index < text.count && text[index] == UInt8(ascii: "/") { text[index] = UInt8(ascii: "-") }
    // The space that some write before the zone.
    if let space = text.lastIndex(of: 0x20), space > 10 { text.remove(at: space) }
    if text.count == 10 { text += Array("T00:00:00".utf8) }
    if text.count == 16 { text += Array(":00".utf8) }
    return attempt(text) ?? attempt(text + [UInt8(ascii: "Z")])
  }

  private static func attempt(_ text: [UInt8]) -> Int64? {
    text.withUnsafeBufferPointer { RFC3339.milliseconds(utf8: $0) }.flatMap(valid)
  }

  /// Seconds since 1970, or milliseconds where that many seconds would be far beyond anything, or micro- or nanoseconds.
  static func milliseconds(unix number: Double) -> Int64? {
    let size = abs(number)
    guard size < 1e20 else { return nil }
    let milliseconds = size < 1e11 ? number * 1000 : size < 1e14 ? number : size < 1e17 ? number / 1e3 : number / 1e6
    return valid(Int64(milliseconds.rounded()))
  }

  static func valid(_ milliseconds: Int64) -> Int64? {
    OverlandReader.validTimes.contains(milliseconds) ? milliseconds : nil
  }
}

/// What a sender says beyond what has a place in a record: the text of an object.
struct ExtrasText {
  private var bytes: [UInt8] = [UInt8(ascii: "{")]
  /// The last text, for senders that say the same again and again.
  private var last: (bytes: [UInt8], text: String)?

  init() {}

  var isEmpty: Bool { bytes.count == 1 }

  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(UInt8(ascii: "{"))
  }

  /// A member as it stands in the text: `"name":value`.
  @inline(__always)
  mutating func keep(_ range: Range<Int>, of json: JSONReader) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(contentsOf: UnsafeBufferPointer(start: json.base + range.lowerBound, count: range.count))
  }

  /// A member whose value is an array or an object, without the white space in it.
  mutating func keepCompact(_ key: JSONReader.Text, _ value: Range<Int>, of json: JSONReader) {
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

  /// A member that is a string; none where there is no text.
  mutating func add(_ name: String, _ text: String?) {
    guard let text, !text.isEmpty else { return }
    self.name(name)
    JSONWriter.string(text, to: &bytes)
  }

  /// A member that is a number; none where it is not known.
  mutating func add(_ name: String, _ value: Double?, decimals: Int = 6) {
    guard let value, DecimalWriter.canWrite(value, decimals: decimals) else { return }
    self.name(name)
    DecimalWriter.append(value, decimals: decimals, to: &bytes)
  }

  mutating func add(_ name: String, _ flag: Bool) {
    self.name(name)
    bytes += Array((flag ? "true" : "false").utf8)
  }

  /// The object; `nil` where there is nothing in it.
  var text: String? {
    mutating get {
      guard bytes.count > 1 else { return nil }
      if let last, last.bytes == bytes { return last.text }
      let made = String(decoding: bytes, as: UTF8.self) + "}"
      last = (bytes, made)
      return made
    }
  }
}
