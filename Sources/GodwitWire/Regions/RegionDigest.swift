internal import GodwitDigests
package import GodwitModel

/// A digest of 128 bits by which a device and its server detect different sets of regions: the exclusive or of the hashes
/// of all regions. The cost of an update depends only on the changed regions, and the order does not matter.
package struct RegionDigest: Sendable, Hashable {
  /// The first and the last eight bytes, in big-endian order.
  package private(set) var high: UInt64, low: UInt64

  /// The digest of no regions.
  package static let empty = RegionDigest(high: 0, low: 0)

  private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// The hash of one region: the first 16 bytes of SHA-256 over its id, a zero byte, and its JSON.
  /// - Parameters:
  ///   - id: the id of the region.
  ///   - json: the text that ``RegionJSON`` writes for the region, without a revision.
  package init(id: String, json: [UInt8]) { self.init(hashing: RegionJSON.canonicalBytes(id: id, text: json)) }

  /// The hash of one region.
  package init(of region: Region) { self.init(hashing: RegionJSON.canonicalBytes(of: region)) }

  private init(hashing bytes: [UInt8]) { self.init(bytes: SHA256Digest.of(bytes, prefix: 16)) }

  /// Reads 16 bytes. The result is ``empty`` for any other number of bytes.
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

  /// Adds the hash of a region, or removes a hash that was added before.
  package mutating func toggle(_ region: RegionDigest) {
    high ^= region.high
    low ^= region.low
  }
}

extension RegionDigest: LosslessStringConvertible {
  /// Reads 32 hexadecimal digits; `nil` for other texts.
  package init?(_ description: String) {
    let digits = Array(description.utf8)
    guard digits.count == 32, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let high = UInt64(description.prefix(16), radix: 16), let low = UInt64(description.dropFirst(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  package var description: String { Self.hex(high) + Self.hex(low) }

  /// Returns 16 lowercase hexadecimal digits.
  package static func hex(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
