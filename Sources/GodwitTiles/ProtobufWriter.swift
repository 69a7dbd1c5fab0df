/// Appends fields of Protocol Buffers to bytes, as used by vector tiles and glyphs.
package enum ProtobufWriter {
  /// The encoding of a field; the lowest three bits of its key.
  private enum WireType: UInt64 {
    case varint = 0
    case fixed64 = 1
    case bytes = 2
  }

  /// Appends an integer with seven bits per byte, the lowest bits first.
  @inline(__always)
  package static func varint(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest > 127 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Encodes a signed integer with the sign in the lowest bit, so that small negative numbers are short.
  @inline(__always)
  package static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: (value << 1) ^ (value >> 63)) }

  /// Appends an integer field.
  package static func integer(_ number: UInt64, _ value: UInt64, to bytes: inout [UInt8]) {
    key(number, .varint, to: &bytes)
    varint(value, to: &bytes)
  }

  /// Appends a 64-bit floating-point field.
  package static func double(_ number: UInt64, _ value: Double, to bytes: inout [UInt8]) {
    key(number, .fixed64, to: &bytes)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends a field of bytes: a text, a message or a packed list.
  package static func bytes(_ number: UInt64, _ content: some Collection<UInt8>, to bytes: inout [UInt8]) {
    key(number, .bytes, to: &bytes)
    varint(UInt64(content.count), to: &bytes)
    bytes.append(contentsOf: content)
  }

  private static func key(_ number: UInt64, _ type: WireType, to bytes: inout [UInt8]) {
    varint(number << 3 | type.rawValue, to: &bytes)
  }
}
