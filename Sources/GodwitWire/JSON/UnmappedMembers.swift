package import GodwitText

/// The members of an object that map to no property of the result. They are stored as received, without white space.
package struct UnmappedMembers {
  package typealias Fault = JSONReader.Fault

  /// The members as `"name":value`, concatenated.
  private var bytes: [UInt8] = []
  /// The offset of the end of each member.
  private var ends: [Int] = []

  /// Makes an empty collection.
  package init() {}

  package var isEmpty: Bool { ends.isEmpty }

  /// Adds a member.
  /// - Parameter member: `"name":value`.
  mutating func store(_ member: [UInt8]) {
    bytes += member
    ends.append(bytes.count)
  }

  /// Adds a member with a string.
  package mutating func store(_ name: String, text: String) {
    var member: [UInt8] = []
    JSONWriter.string(name, to: &member)
    member.append(UInt8(ascii: ":"))
    JSONWriter.string(text, to: &member)
    store(member)
  }

  /// Adds a member with an object or an array.
  mutating func store(_ name: String, json value: String) {
    var member: [UInt8] = []
    JSONWriter.string(name, to: &member)
    store(member + Array(":\(value)".utf8))
  }

  /// Adds a member from a text.
  /// - Throws: a fault if there are more than `RecordLimits.extraMembers`.
  private mutating func store(_ key: JSONReader.Text, _ value: Range<Int>, of json: JSONReader) throws(Fault) {
    guard ends.count < RecordLimits.extraMembers else {
      throw json.unexpected(RecordLimits.tooManyMembers, at: key.start - 1)
    }
    json.appendMember(key, value, to: &bytes)
    ends.append(bytes.count)
  }

  /// Removes a member.
  mutating func discard(_ name: String) {
    let others = members.filter { !$0.starts(with: "\"\(name)\":".utf8) }
    (bytes, ends) = ([], [])
    for member in others { store(Array(member)) }
  }

  private var members: [ArraySlice<UInt8>] { zip([0] + ends, ends).map { bytes[$0..<$1] } }

  /// The members as the text of an object; `nil` without members.
  var text: String? {
    guard !ends.isEmpty else { return nil }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + ends.count + 1)
    for member in members {
      text.append(text.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
      text.append(contentsOf: member)
    }
    text.append(UInt8(ascii: "}"))
    return String(decoding: text, as: UTF8.self)
  }

  // MARK: Reading

  /// Reads an object.
  /// - Parameters:
  ///   - json: the reader, before the object.
  ///   - take: reads a value and returns `true`, or returns `false`; then the member is added here. It may add other
  ///     members itself.
  package mutating func readObject(
    from json: inout JSONReader,
    _ take: (inout JSONReader, _ key: JSONReader.Text, inout UnmappedMembers) throws(Fault) -> Bool
  ) throws(Fault) {
    guard try json.kind() == .object else { throw json.unexpected("expected an object", at: json.position) }
    json.position += 1
    guard !json.isEmpty(closing: UInt8(ascii: "}")) else { return }
    repeat {
      let key = try json.key()
      _ = json.peek()
      let start = json.position
      do throws(Fault) {
        guard try take(&json, key, &self) else {
          json.position = start
          let value = try json.skipValue()
          try store(key, value, of: json)
          continue
        }
      } catch { throw error.below(".\(json.shown(key))") }
    } while try json.hasMore(closing: UInt8(ascii: "}"))
  }

  /// Reads a nested object. Its unknown members are added as an object with the name of the nested object.
  mutating func readObject(
    named name: String, from json: inout JSONReader,
    _ take: (inout JSONReader, _ key: JSONReader.Text) throws(Fault) -> Bool
  ) throws(Fault) {
    var inner = UnmappedMembers()
    try inner.readObject(from: &json) { (json, key, _) throws(Fault) in try take(&json, key) }
    if let text = inner.text { store(name, json: text) }
  }
}

extension JSONReader {
  /// Appends `"name":value` without white space.
  func appendMember(_ key: Text, _ value: Range<Int>, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: base + key.start - 1, count: key.count + 2))
    bytes.append(UInt8(ascii: ":"))
    let text = UnsafeBufferPointer(start: base + value.lowerBound, count: value.count)
    // Only objects and arrays can contain white space between tokens.
    if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") {
      bytes += JSONObjectText.compact(text)
    } else {
      bytes.append(contentsOf: text)
    }
  }
}
