/// Encodes values as JSON, with members in the order of the properties.
///
/// Foundation's encoder does not preserve the order, and writes all digits of a number.
package enum ResultEncoder {
  /// - Throws: an error of the value's `encode(to:)`.
  package static func bytes(_ value: some Encodable) throws -> [UInt8] {
    let output = JSONOutput()
    try output.append(value)
    output.bytes.append(0x0A)
    return output.bytes
  }
}

/// The JSON that was written so far, and the open brackets.
private final class JSONOutput {
  var bytes: [UInt8] = []
  private var open: [Bracket] = []

  struct Bracket {
    /// `}` or `]`; `nil`: the value has no bracket.
    var end: UInt8?
    var isEmpty = true
  }

  func append(_ value: some Encodable) throws {
    if let direct = value as? any JSONWritable { return direct.write(to: &bytes) }
    if let dictionary = value as? any SortedMembers { return try dictionary.append(to: self) }
    open.append(Bracket())
    try value.encode(to: JSONOutputEncoder(output: self, depth: open.count - 1))
    if let end = open.removeLast().end { bytes.append(end) }
  }

  func append(_ members: [(name: String, value: any Encodable)]) throws {
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      member.name.write(to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      try append(member.value)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  func begin(_ begin: Unicode.Scalar, _ end: Unicode.Scalar, at depth: Int) {
    open[depth].end = UInt8(ascii: end)
    bytes.append(UInt8(ascii: begin))
  }

  func separate(at depth: Int) {
    if !open[depth].isEmpty { bytes.append(UInt8(ascii: ",")) }
    open[depth].isEmpty = false
  }

  func null() { bytes += Array("null".utf8) }
}

/// A dictionary. Its keys are not properties, so that they are written unchanged and sorted.
private protocol SortedMembers {
  func append(to output: JSONOutput) throws
}

extension Dictionary: SortedMembers where Key == String, Value: Encodable {
  fileprivate func append(to output: JSONOutput) throws {
    try output.append(sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
  }
}

private struct JSONOutputEncoder: Encoder {
  let output: JSONOutput
  let depth: Int
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    output.begin("{", "}", at: depth)
    return KeyedEncodingContainer(Members(output: output, depth: depth))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    output.begin("[", "]", at: depth)
    return Elements(output: output, depth: depth)
  }
  func singleValueContainer() -> any SingleValueEncodingContainer { Single(output: output) }

  struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: JSONOutput
    let depth: Int
    let codingPath: [any CodingKey] = []

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      name(key)
      try output.append(value)
    }
    func encodeNil(forKey key: Key) {
      name(key)
      output.null()
    }
    private func name(_ key: Key) {
      output.separate(at: depth)
      output.bytes.append(UInt8(ascii: "\""))
      MemberName.append(key.stringValue, to: &output.bytes)
      output.bytes += [UInt8(ascii: "\""), UInt8(ascii: ":")]
    }
    // Results do not use nested containers. Their output is discarded.
    func nestedContainer<NestedKey: CodingKey>(
      keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> { JSONOutputEncoder.discarding.container(keyedBy: keyType) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      JSONOutputEncoder.discarding.unkeyedContainer()
    }
    func superEncoder() -> any Encoder { JSONOutputEncoder.discarding }
    func superEncoder(forKey key: Key) -> any Encoder { JSONOutputEncoder.discarding }
  }

  struct Elements: UnkeyedEncodingContainer {
    let output: JSONOutput
    let depth: Int
    let codingPath: [any CodingKey] = []
    private(set) var count = 0

    init(output: JSONOutput, depth: Int) {
      self.output = output
      self.depth = depth
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
      count += 1
      output.separate(at: depth)
      try output.append(value)
    }
    mutating func encodeNil() {
      count += 1
      output.separate(at: depth)
      output.null()
    }
    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
      JSONOutputEncoder.discarding.container(keyedBy: keyType)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { JSONOutputEncoder.discarding.unkeyedContainer() }
    func superEncoder() -> any Encoder { JSONOutputEncoder.discarding }
  }

  struct Single: SingleValueEncodingContainer {
    let output: JSONOutput
    let codingPath: [any CodingKey] = []

    func encode<T: Encodable>(_ value: T) throws { try output.append(value) }
    func encodeNil() { output.null() }
  }

  private static var discarding: JSONOutputEncoder {
    let output = JSONOutput()
    return JSONOutputEncoder(output: output, depth: output.opened())
  }
}

extension JSONOutput {
  fileprivate func opened() -> Int {
    open.append(Bracket())
    return open.count - 1
  }
}
