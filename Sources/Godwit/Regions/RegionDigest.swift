internal import GodwitModel
internal import GodwitWire

/// A digest that is equal if two sides hold the same regions: the exclusive or of a hash of each region. A change costs
/// as much as what is changed, and the order does not matter.
struct RegionDigest: Sendable, Hashable, CustomStringConvertible {
  private(set) var high: UInt64 = 0
  private(set) var low: UInt64 = 0

  /// The digest of no regions.
  init() {}

  /// The hash of a region: BLAKE2b-128 of its identifier, a zero byte and its JSON as ``RegionJSON`` writes it.
  init(_ region: Region) {
    self.init(bytes: BLAKE2b.hash(RegionJSON.canonicalBytes(of: region), length: 16))
  }

  /// The hash of a region of a newer server: of its text as the server wrote it, with all unknown members.
  init(id: String, text: [UInt8]) {
    self.init(bytes: BLAKE2b.hash(RegionJSON.canonicalBytes(id: id, text: text), length: 16))
  }

  /// Restores a digest from ``bytes``; an invalid value counts as an empty digest.
  init(bytes: [UInt8]) {
    guard bytes.count == 16 else { return }
    for byte in bytes.prefix(8) { high = high << 8 | UInt64(byte) }
    for byte in bytes.suffix(8) { low = low << 8 | UInt64(byte) }
  }

  /// 32 hexadecimal digits.
  init?(_ text: String) {
    guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    (self.high, self.low) = (high, low)
  }

  var bytes: [UInt8] {
    [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - $0 * 8)) } }
  }

  /// 32 hexadecimal digits in lowercase.
  var description: String {
    [high, low].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  static func ^= (a: inout RegionDigest, b: RegionDigest) {
    a.high ^= b.high
    a.low ^= b.low
  }
}
