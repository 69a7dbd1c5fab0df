/// Reads messages of Protocol Buffers: numbered fields, each an integer, fixed bytes, or a length and that number of bytes.
///
/// Nothing is copied: a field with a length is returned as a range of the bytes.
struct ProtobufReader {
  /// A violation of the format.
  enum Fault: Error {
    /// The bytes end inside a field.
    case ended
    /// A number of more than 64 bits.
    case number
    /// A field of an undefined or obsolete kind.
    case kind
  }

  /// The value of a field.
  enum Value {
    case number(UInt64)
    case fixed(UInt64)
    case range(Range<Int>)
  }

  let bytes: [UInt8]
  private(set) var position: Int
  let end: Int

  /// Creates a reader for all bytes, or for a range of them.
  init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    self.bytes = bytes
    position = range?.lowerBound ?? 0
    end = range?.upperBound ?? bytes.count
  }

  var isAtEnd: Bool { position >= end }

  /// Returns the next field; `nil` at the end.
  mutating func next() throws(Fault) -> (field: UInt64, value: Value)? {
    guard !isAtEnd else { return nil }
    let tag = try varint()
    switch tag & 7 {
    case 0: return (tag >> 3, .number(try varint()))
    case 1: return (tag >> 3, .fixed(try fixed(8)))
    case 5: return (tag >> 3, .fixed(try fixed(4)))
    case 2:
      let length = try varint()
      guard length <= UInt64(end - position) else { throw .ended }
      let start = position
      position += Int(length)
      return (tag >> 3, .range(start..<position))
    default: throw .kind
    }
  }

  /// Reads an integer of one to ten bytes.
  mutating func varint() throws(Fault) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard position < end else { throw .ended }
      let byte = bytes[position]
      position += 1
      guard shift < 63 || byte <= 1 else { throw .number }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    throw .number
  }

  /// Decodes a zigzag integer, whose sign is the lowest bit.
  static func signed(_ number: UInt64) -> Int64 { Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1) }

  private mutating func fixed(_ count: Int) throws(Fault) -> UInt64 {
    guard end - position >= count else { throw .ended }
    defer { position += count }
    return bytes[position..<position + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
