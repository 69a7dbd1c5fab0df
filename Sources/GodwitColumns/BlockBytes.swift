/// Writes the parts of a block, one after the other.
struct BlockWriter {
  private(set) var bytes: [UInt8] = []

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  /// Writes an unsigned number in LEB128: seven bits per byte, the lowest first.
  mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Writes a number that may be negative, see ``ZigZag``.
  mutating func signed(_ value: Int64) { number(ZigZag.encoded(value)) }

  mutating func fixed32(_ value: UInt32) {
    for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  mutating func append(_ part: [UInt8]) { bytes.append(contentsOf: part) }

  /// Writes bytes, preceded by their number.
  mutating func counted(_ part: [UInt8]) {
    number(UInt64(part.count))
    append(part)
  }
}

/// Reads the parts of a block. A read never passes the end of the bytes.
struct BlockReader {
  let bytes: UnsafeRawBufferPointer
  private(set) var place = 0

  /// - Parameter bytes: must be valid as long as the reader is used.
  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var rest: Int { bytes.count - place }

  mutating func byte() throws(ColumnDamage) -> UInt8 {
    guard place < bytes.count else { throw ColumnDamage("it ends too early") }
    defer { place += 1 }
    return bytes[place]
  }

  mutating func number() throws(ColumnDamage) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      let next = try byte()
      guard shift < 63 || next <= 1 else { throw ColumnDamage("it has a number of more than 64 bits") }
      value |= UInt64(next & 0x7f) << UInt64(shift)
      if next < 0x80 { return value }
    }
    throw ColumnDamage("it has a number of more than ten bytes")
  }

  /// Reads a number. Throws if it exceeds a limit.
  mutating func number(limit: Int) throws(ColumnDamage) -> Int {
    let value = try number()
    guard value <= UInt64(limit) else { throw ColumnDamage("it has the number \(value) where at most \(limit) is allowed") }
    return Int(value)
  }

  mutating func signed() throws(ColumnDamage) -> Int64 { ZigZag.decoded(try number()) }

  mutating func part(_ count: Int) throws(ColumnDamage) -> UnsafeRawBufferPointer {
    guard count >= 0, count <= rest else { throw ColumnDamage("it ends too early") }
    defer { place += count }
    return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
  }

  /// Reads a part that is preceded by its number of bytes.
  mutating func counted() throws(ColumnDamage) -> UnsafeRawBufferPointer { try part(number(limit: rest)) }
}

/// Maps signed numbers to unsigned ones, so that numbers near 0 stay small: 0, −1, 1, −2, … become 0, 1, 2, 3, …
enum ZigZag {
  @inline(__always)
  static func encoded(_ value: Int64) -> UInt64 { UInt64(bitPattern: (value &<< 1) ^ (value &>> 63)) }

  @inline(__always)
  static func decoded(_ value: UInt64) -> Int64 { Int64(bitPattern: (value &>> 1) ^ (0 &- (value & 1))) }
}
