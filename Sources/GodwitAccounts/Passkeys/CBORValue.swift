/// A value of CBOR (RFC 8949), in the subset of authenticators: definite lengths and no tags (CTAP 2.1, section 8).
package enum CBORValue: Sendable, Hashable {
  case unsigned(UInt64)
  /// −1 − n.
  case negative(UInt64)
  case bytes([UInt8])
  case text(String)
  case array([CBORValue])
  case map([CBORValue: CBORValue])
  case boolean(Bool)
  /// `null` or `undefined`.
  case null
  /// A number with a fraction; its value is not read.
  case float

  /// The value as an integer; `nil` if it is not an integer or exceeds 64 bits.
  package var integer: Int64? {
    switch self {
    case .unsigned(let number): Int64(exactly: number)
    case .negative(let number): Int64(exactly: number).map { -1 - $0 }
    default: nil
    }
  }

  /// The bytes; `nil` for another value.
  package var byteString: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

  /// The member of a map with an integer key.
  package subscript(key key: Int64) -> CBORValue? {
    guard case .map(let members) = self else { return nil }
    return members[key < 0 ? .negative(UInt64(-1 - key)) : .unsigned(UInt64(key))]
  }

  /// The member of a map with a text key.
  package subscript(key key: String) -> CBORValue? {
    guard case .map(let members) = self else { return nil }
    return members[.text(key)]
  }
}

/// The reason why bytes are not CBOR of an authenticator.
package struct CBORError: Error, Sendable, CustomStringConvertible {
  /// The offset of the fault.
  package let offset: Int
  package let reason: String
  package var description: String { "CBOR, byte \(offset): \(reason)." }
}

/// Reads CBOR from untrusted bytes: memory is not reserved for announced lengths, and the nesting is limited.
package struct CBORReader: Sendable {
  private let bytes: [UInt8]
  /// Number of bytes that have been read.
  package private(set) var offset: Int
  /// Maximum nesting of arrays and maps. Attestation statements have four levels.
  private static let maximumDepth = 8

  /// - Parameters:
  ///   - bytes: one or more values.
  ///   - offset: the offset of the first value.
  package init(_ bytes: [UInt8], from offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  /// Reads a single value that takes all bytes.
  /// - Throws: ``CBORError``, also if bytes follow the value.
  package static func value(of bytes: [UInt8]) throws(CBORError) -> CBORValue {
    var reader = CBORReader(bytes)
    let value = try reader.next()
    guard reader.offset == bytes.count else { throw reader.fault("more bytes follow") }
    return value
  }

  /// Reads the next value.
  package mutating func next() throws(CBORError) -> CBORValue { try next(depth: 0) }

  private func fault(_ reason: String) -> CBORError { CBORError(offset: offset, reason: reason) }

  private mutating func next(depth: Int) throws(CBORError) -> CBORValue {
    guard depth < Self.maximumDepth else { throw fault("nested too deeply") }
    let head = try consume(1)[0]
    let (major, low) = (head >> 5, head & 31)
    if major == 7 { return try simple(low) }
    let argument = try argument(low)
    switch major {
    case 0: return .unsigned(argument)
    case 1: return .negative(argument)
    case 2: return .bytes(try consume(argument))
    case 3:
      guard let text = String(validating: try consume(argument), as: UTF8.self) else { throw fault("text is not UTF-8") }
      return .text(text)
    case 4:
      var values: [CBORValue] = []
      // Each value has at least one byte.
      guard argument <= UInt64(remaining) else { throw fault("the array is longer than the bytes") }
      for _ in 0..<argument { values.append(try next(depth: depth + 1)) }
      return .array(values)
    case 5:
      var members: [CBORValue: CBORValue] = [:]
      guard argument <= UInt64(remaining) else { throw fault("the map is longer than the bytes") }
      for _ in 0..<argument {
        let key = try next(depth: depth + 1)
        let value = try next(depth: depth + 1)
        guard members.updateValue(value, forKey: key) == nil else { throw fault("a key of the map is there twice") }
      }
      return .map(members)
    default: throw fault("tags are not used by authenticators")
    }
  }

  private mutating func simple(_ low: UInt8) throws(CBORError) -> CBORValue {
    switch low {
    case 20: return .boolean(false)
    case 21: return .boolean(true)
    case 22, 23: return .null
    case 25, 26, 27:
      _ = try consume(1 << (low - 24))
      return .float
    default: throw fault("simple value \(low) is unknown")
    }
  }

  /// Reads the argument of a value's head.
  private mutating func argument(_ low: UInt8) throws(CBORError) -> UInt64 {
    switch low {
    case 0..<24: return UInt64(low)
    case 24...27: return try consume(1 << (low - 24)).reduce(0) { $0 << 8 | UInt64($1) }
    default: throw fault("lengths must be definite")
    }
  }

  private var remaining: Int { bytes.count - offset }

  private mutating func consume(_ count: UInt64) throws(CBORError) -> [UInt8] {
    guard let count = Int(exactly: count) else { throw fault("\(count) bytes are missing") }
    return try consume(count)
  }

  private mutating func consume(_ count: Int) throws(CBORError) -> [UInt8] {
    guard offset >= 0, count <= remaining else { throw fault("the bytes end too early") }
    defer { offset += count }
    return Array(bytes[offset..<(offset + count)])
  }
}
