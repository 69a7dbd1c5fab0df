/// The coding of residuals: numbers that are mostly small, in arbitrary order.
///
/// Each number is divided into a token of one byte with its magnitude, and the bits below, which are nearly random. The tokens are
/// compressed; the bits are stored unchanged.
enum ResidualStream {
  /// How the tokens are stored.
  private enum Coding: UInt8 {
    /// All numbers are equal to a single number, which follows.
    case constant = 0
    /// A byte for each token.
    case plain = 1
    /// A frame of Zstandard, preceded by its length.
    case compressed = 2
  }

  static func encode(_ values: [UInt64], with zstandard: Zstandard, into writer: inout BlockWriter) {
    guard let first = values.first else { return }
    guard values.contains(where: { $0 != first }) else {
      writer.byte(Coding.constant.rawValue)
      writer.number(first)
      return
    }
    let tokens = values.map(Token.of)
    if let frame = zstandard.compressed(tokens) {
      writer.byte(Coding.compressed.rawValue)
      writer.counted(frame)
    } else {
      writer.byte(Coding.plain.rawValue)
      writer.append(tokens)
    }
    writer.append(Bits.encoded(values, tokens: tokens))
  }

  /// Decodes numbers. Their bits are the remaining bytes of the reader.
  static func decode(_ count: Int, with zstandard: Zstandard, from reader: inout BlockReader) throws(ColumnDamage) -> [UInt64] {
    guard count > 0 else { return [] }
    guard let coding = Coding(rawValue: try reader.byte()) else { throw ColumnDamage("a column has an unknown coding") }
    switch coding {
    case .constant: return [UInt64](repeating: try reader.number(), count: count)
    case .plain:
      let tokens = try reader.part(count)
      return try Bits.decoded(tokens, from: reader.part(reader.rest))
    case .compressed:
      let tokens = try zstandard.decompressed(try reader.counted(), size: count)
      let bits = try reader.part(reader.rest)
      return try tokens.withUnsafeBytes { tokens in
        Result<[UInt64], ColumnDamage> { () throws(ColumnDamage) in try Bits.decoded(tokens, from: bits) }
      }.get()
    }
  }
}

/// The magnitude of a number in one byte. 0...15 are the numbers themselves. From 16 there are two tokens for each length in bits:
/// 16 + 2 · (length − 5) + the bit below the highest one. The bits below that one are stored separately.
enum Token {
  /// The smallest number that has separate bits.
  static let firstWithBits: UInt64 = 16
  /// Number of tokens, 0...135.
  static let count = 136

  @inline(__always)
  static func of(_ value: UInt64) -> UInt8 {
    if value < firstWithBits { return UInt8(truncatingIfNeeded: value) }
    let shift = UInt64(62 &- value.leadingZeroBitCount)
    return UInt8(truncatingIfNeeded: 16 &+ (shift &- 3) &* 2 &+ ((value &>> shift) & 1))
  }

  /// Number of separate bits of a token, 0...62.
  @inline(__always)
  static func bits(_ token: UInt8) -> UInt64 { token < 16 ? 0 : UInt64(token &>> 1) &- 5 }

  /// The smallest number with a token.
  @inline(__always)
  static func start(_ token: UInt8) -> UInt64 { token < 16 ? UInt64(token) : (2 | UInt64(token & 1)) &<< bits(token) }
}

/// The separate bits of numbers, one number after the other without gaps, the lowest bit first.
enum Bits {
  /// - Parameter tokens: the tokens of the values.
  static func encoded(_ values: [UInt64], tokens: [UInt8]) -> [UInt8] {
    let total = tokens.reduce(0) { $0 &+ Int(Token.bits($1)) }
    // Eight bytes are written for each number. The next number overwrites the bits that are not used.
    let length = (total + 7) / 8
    return [UInt8](unsafeUninitializedCapacity: length + 8) { bytes, filled in
      let target = UnsafeMutableRawBufferPointer(bytes)
      target.storeBytes(of: 0, as: UInt64.self)
      var (buffer, used, place): (UInt64, UInt64, Int) = (0, 0, 0)
      for row in tokens.indices {
        var (rest, left) = (values[row], Token.bits(tokens[row]))
        while left > 0 {
          let part = min(left, 32)
          buffer |= (rest & ((1 &<< part) &- 1)) &<< used
          target.storeBytes(of: buffer.littleEndian, toByteOffset: place, as: UInt64.self)
          used &+= part
          place &+= Int(used &>> 3)
          buffer &>>= used & ~7
          used &= 7
          rest &>>= part
          left &-= part
        }
      }
      filled = length
    }
  }

  /// - Throws: `ColumnDamage` if a token is invalid, or if the number of bits does not match the tokens.
  static func decoded(_ tokens: UnsafeRawBufferPointer, from bits: UnsafeRawBufferPointer) throws(ColumnDamage) -> [UInt64] {
    var (total, largest): (Int, UInt8) = (0, 0)
    for token in tokens {
      total &+= Int(Token.bits(token))
      largest = max(largest, token)
    }
    guard Int(largest) < Token.count else { throw ColumnDamage("a column has an unknown token") }
    guard bits.count == (total + 7) / 8 else { throw ColumnDamage("a column has a wrong number of bits") }
    return [UInt64](unsafeUninitializedCapacity: tokens.count) { values, filled in
      var place: UInt64 = 0
      for row in 0..<tokens.count {
        let token = tokens[row]
        var value = Token.start(token)
        let length = Token.bits(token)
        if length > 0 {
          let low = min(length, 32)
          value |= load(bits, place) & ((1 &<< low) &- 1)
          if length > 32 { value |= (load(bits, place &+ 32) & ((1 &<< (length &- 32)) &- 1)) &<< 32 }
          place &+= length
        }
        values[row] = value
      }
      filled = tokens.count
    }
  }

  /// Returns 32 or more bits from a position; bits after the end are 0.
  @inline(__always)
  private static func load(_ bits: UnsafeRawBufferPointer, _ place: UInt64) -> UInt64 {
    let byte = Int(place &>> 3)
    if byte &+ 8 <= bits.count {
      return UInt64(littleEndian: bits.loadUnaligned(fromByteOffset: byte, as: UInt64.self)) &>> (place & 7)
    }
    var value: UInt64 = 0
    for next in byte..<max(byte, bits.count) { value |= UInt64(bits[next]) &<< UInt64((next &- byte) &* 8) }
    return value &>> (place & 7)
  }
}
