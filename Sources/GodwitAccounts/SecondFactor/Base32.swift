/// Base32 (RFC 4648, section 6) without padding, the format of secrets in authenticator apps.
package enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Encodes bytes.
  /// - Returns: capital letters and the digits 2 to 7; eight characters for five bytes.
  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 5) {
      let group = bytes[start..<min(start + 5, bytes.count)]
      var bits: UInt64 = 0
      for offset in 0..<5 { bits = bits << 8 | UInt64(offset < group.count ? group[start + offset] : 0) }
      let count = (group.count * 8 + 4) / 5
      for index in 0..<count { text.append(alphabet[Int(bits >> UInt64(35 - 5 * index) & 31)]) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
