/// The source from which a decoder reads the members of a type.
protocol MemberSource {
  /// - Throws: ``Problem`` if the member is missing or invalid.
  func member<T: Decodable>(_ type: T.Type, _ name: String) throws -> T
  /// - Returns: `nil` if the member is missing.
  func memberIfPresent<T: Decodable>(_ type: T.Type, _ name: String) throws -> T?
}

/// A decoder of a type whose properties are read by name: parameters, the members of a body, or their schemas.
struct MemberDecoder<Source: MemberSource>: Decoder {
  let source: Source
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(MemberContainer(source: source))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.unsupported("arrays") }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.unsupported("single values") }

  static func unsupported(_ what: String) -> DecodingError {
    DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "\(what) need a schema of their own: DocumentedValue"))
  }
}

private struct MemberContainer<Source: MemberSource, Key: CodingKey>: KeyedDecodingContainerProtocol {
  let source: Source
  let codingPath: [any CodingKey] = []
  let allKeys: [Key] = []

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) -> Bool { false }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try source.member(type, MemberName.text(key.stringValue))
  }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try source.memberIfPresent(type, MemberName.text(key.stringValue))
  }
  // The compiler calls these for properties of Swift's own types.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try ifPresent(key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try ifPresent(key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try ifPresent(key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try ifPresent(key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try ifPresent(key) }
  private func ifPresent<T: Decodable>(_ key: Key) throws -> T? {
    try source.memberIfPresent(T.self, MemberName.text(key.stringValue))
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> { throw MemberDecoder<Source>.unsupported("nested containers") }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw MemberDecoder<Source>.unsupported("nested containers")
  }
  func superDecoder() throws -> any Decoder { throw MemberDecoder<Source>.unsupported("classes") }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw MemberDecoder<Source>.unsupported("classes") }
}
