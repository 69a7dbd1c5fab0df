/// The hash function BLAKE2b, without a key (RFC 7693). Apple's systems have no library for it, and both sides of a
/// sync must compute the same.
public struct BLAKE2b: Sendable {
  private var state: [UInt64]
  private var block = [UInt8](repeating: 0, count: 128)
  /// Bytes in the block.
  private var filled = 0
  /// Bytes before the block.
  private var counted: UInt64 = 0
  /// Bytes of the hash.
  private let length: Int

  /// - Parameter length: bytes of the hash, 1...64; other values are clamped.
  public init(length: Int = 64) {
    self.length = min(max(1, length), 64)
    state = Self.start
    state[0] ^= 0x0101_0000 ^ UInt64(self.length)
  }

  /// Returns the hash of a complete message.
  /// - Parameters:
  ///   - bytes: what is hashed.
  ///   - length: bytes of the hash, 1...64.
  public static func hash(_ bytes: some Sequence<UInt8>, length: Int = 64) -> [UInt8] {
    var hash = BLAKE2b(length: length)
    hash.update(bytes)
    return hash.finished()
  }

  /// Adds bytes to the message.
  public mutating func update(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      // A full block waits until it is known whether it is the last one.
      if filled == 128 {
        counted += 128
        compress(isLast: false)
        filled = 0
      }
      block[filled] = byte
      filled += 1
    }
  }

  /// Returns the hash of all added bytes.
  public func finished() -> [UInt8] {
    var last = self
    for index in filled..<128 { last.block[index] = 0 }
    last.counted += UInt64(filled)
    last.compress(isLast: true)
    return (0..<length).map { UInt8(truncatingIfNeeded: last.state[$0 / 8] >> UInt64($0 % 8 * 8)) }
  }

  /// No message is longer than 2^64 bytes: the upper half of the counter stays 0.
  private mutating func compress(isLast: Bool) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 32) { words in
      // 0 ..< 16: the working vector, 16 ..< 32: the message.
      for index in 0..<8 {
        words[index] = state[index]
        words[index + 8] = Self.start[index]
      }
      words[12] ^= counted
      if isLast { words[14] = ~words[14] }
      for index in 0..<16 {
        var word: UInt64 = 0
        for byte in 0..<8 { word |= UInt64(block[index * 8 + byte]) << UInt64(byte * 8) }
        words[16 + index] = word
      }
      for round in 0..<12 {
        let order = round % 10 * 16
        for step in 0..<8 {
          let (a, b, c, d) = Self.corners[step]
          let x = words[16 + Self.orders[order + step * 2]]
          let y = words[16 + Self.orders[order + step * 2 + 1]]
          words[a] = words[a] &+ words[b] &+ x
          words[d] = Self.turned(words[d] ^ words[a], 32)
          words[c] = words[c] &+ words[d]
          words[b] = Self.turned(words[b] ^ words[c], 24)
          words[a] = words[a] &+ words[b] &+ y
          words[d] = Self.turned(words[d] ^ words[a], 16)
          words[c] = words[c] &+ words[d]
          words[b] = Self.turned(words[b] ^ words[c], 63)
        }
      }
      for index in 0..<8 { state[index] ^= words[index] ^ words[index + 8] }
    }
  }

  private static func turned(_ word: UInt64, _ bits: UInt64) -> UInt64 { word >> bits | word << (64 - bits) }

  /// RFC 7693, 2.6: that of SHA-512.
  private static let start: [UInt64] = [
    0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1,
    0x510E_527F_ADE6_82D1, 0x9B05_688C_2B3E_6C1F, 0x1F83_D9AB_FB41_BD6B, 0x5BE0_CD19_137E_2179,
  ]

  /// RFC 7693, 3.2: the columns, then the diagonals.
  private static let corners: [(Int, Int, Int, Int)] = [
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
    (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
  ]

  /// RFC 7693, 2.7: of ten rounds each.
  private static let orders: [Int] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
    11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4,
    7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
    9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13,
    2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
    12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11,
    13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
    6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5,
    10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
  ]
}
