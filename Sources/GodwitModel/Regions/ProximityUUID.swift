/// The 128-bit UUID of the beacons of an owner, in the text form of RFC 9562: `F7826DA6-4FA2-4E98-8024-BC5B71E0893E`.
public struct ProximityUUID: Sendable, Hashable {
  /// The first and the last eight bytes, in big-endian order.
  public let high, low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension ProximityUUID: LosslessStringConvertible {
  /// Parses a UUID in upper or lower case; `nil` for any other text.
  public init?(_ description: String) {
    let text = Array(description.utf8)
    guard text.count == 36 else { return nil }
    var (high, low): (UInt64, UInt64) = (0, 0)
    var digits = 0
    for (index, byte) in text.enumerated() {
      if [8, 13, 18, 23].contains(index) {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
      if digits < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
      digits += 1
    }
    self.init(high: high, low: low)
  }

  /// The UUID in uppercase, as in Core Location.
  public var description: String {
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for digit in 0..<32 {
      if [8, 12, 16, 20].contains(digit) { text.append(UInt8(ascii: "-")) }
      let word = digit < 16 ? high : low
      let value = UInt8(truncatingIfNeeded: word >> UInt64(60 - digit % 16 * 4) & 15)
      text.append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension ProximityUUID: Comparable {
  public static func < (a: ProximityUUID, b: ProximityUUID) -> Bool { (a.high, a.low) < (b.high, b.low) }
}

/// Encoded as text.
extension ProximityUUID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let uuid = ProximityUUID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a UUID")
    }
    self = uuid
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
