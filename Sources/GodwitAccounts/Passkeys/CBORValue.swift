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

  /// The number; `nil` where it is none, or does not fit.
  package var integer: Int64? {
    switch self {
    case .unsigned(let number): Int64(exactly: number)
    case .negative(let number): Int64(exactly: number).map { -1 - $0 }
    default: nil
    }
  }

  /// The bytes; `nil` where it is another value.
  package var byteString: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

  /// A member of a map with a number as its key.
  package subscript(key key: Int64) -> CBORValue? {
    guard case .map(let members) = self else { return nil }
    return members[key < 0 ? .negative(UInt64(-1 - key)) : .unsigned(UInt64(key))]
  }

  /// A member of a map with a text as its key.
  package subscript(key key: String) -> CBORValue? {
    guard case .map(let members) = self else { return nil }
    return members[.text(key)]
  }
}

/// Why bytes are no CBOR of an authenticator.
package struct CBORError: Error, Sendable, CustomStringConvertible {
  /// Bytes before the place.
  package let offset: Int
  package let reason: String
  package var description: String { "CBOR, byte \(offset): \(reason)." }
}

/// Reads CBOR from bytes of a client: nothing is reserved for lengths that are only claimed, and the nesting is limited.
package struct CBORReader: Sendable {
  private let bytes: [UInt8]
  /// Bytes that are read.
  package private(set) var offset: Int
  /// Arrays and maps inside each other. Attestation statements have four.
  private static let maximumDepth = 8

  /// - Parameters:
  ///   - bytes: with one or more values.
  ///   - offset: of the first value.
  package init(_ bytes: [UInt8], from offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  /// The one value that all bytes are.
  /// - Throws: ``CBORError``, also where bytes follow.
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
      // Each value has a byte at least.
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

  /// The number behind the head of a value.
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
