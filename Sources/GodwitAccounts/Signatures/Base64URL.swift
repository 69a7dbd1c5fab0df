/// Base64 with the URL-safe alphabet (RFC 4648, section 5) without padding, the encoding of WebAuthn and JSON Web Tokens.
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let values: [UInt8: UInt32] = Dictionary(
    uniqueKeysWithValues: alphabet.enumerated().map { ($0.element, UInt32($0.offset)) })

  /// Encodes bytes.
  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits: UInt32 = 0
      for offset in 0..<3 { bits = bits << 8 | UInt32(offset < group.count ? group[start + offset] : 0) }
      for index in 0...group.count { text.append(alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)]) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes a text.
  /// - Returns: `nil` if the text has other characters, including padding, or an invalid length.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: characters.count, by: 4) {
      let group = characters[start..<min(start + 4, characters.count)]
      var bits: UInt32 = 0
      for character in group {
        guard let value = values[character] else { return nil }
        bits = bits << 6 | value
      }
      bits <<= UInt32(6 * (4 - group.count))
      for index in 0..<(group.count * 6 / 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * index))) }
    }
    return bytes
  }
}
