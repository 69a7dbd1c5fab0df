internal import CSodium

/// A 128-bit hash by which two sides compare their regions: the XOR of a hash for each region, so that the order does
/// not matter and a change costs two hashes.
public struct RegionDigest: Sendable, Hashable {
  /// The first and the last eight bytes, big-endian.
  package var high: UInt64, low: UInt64

  /// The digest of no regions.
  public static let empty = RegionDigest(high: 0, low: 0)

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The digest of a region: BLAKE2b with 16 bytes over its id, a zero byte, and its JSON.
  /// - Parameters:
  ///   - id: the region's id.
  ///   - json: the region as `RegionJSON` writes it, without a revision.
  public init(id: String, json: [UInt8]) {
    var text = Array(id.utf8)
    text.reserveCapacity(text.count + 1 + json.count)
    text.append(0)
    text += json
    var hash = [UInt8](repeating: 0, count: 16)
    crypto_generichash(&hash, hash.count, text, UInt64(text.count), nil, 0)
    self.init(bytes: hash)
  }

  /// A digest of 16 bytes; any other number gives the empty digest.
  package init(bytes: [UInt8]) {
    guard bytes.count == 16 else {
      self = .empty
      return
    }
    high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The 16 bytes.
  package var bytes: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - $0 % 8 * 8)) }
  }

  /// Adds a region, or removes a contained one.
  public mutating func toggle(_ region: RegionDigest) {
    high ^= region.high
    low ^= region.low
  }
}

extension RegionDigest: LosslessStringConvertible {
  /// Decodes 32 hexadecimal digits; otherwise `nil`.
  public init?(_ description: String) {
    let digits = Array(description.utf8)
    guard digits.count == 32, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let high = UInt64(description.prefix(16), radix: 16), let low = UInt64(description.dropFirst(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  public var description: String { Self.hex(high) + Self.hex(low) }

  /// 16 lowercase hexadecimal digits.
  package static func hex(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
