internal import CSodium
internal import GodwitSecrets
internal import GodwitStore

/// Codes that replace a lost authenticator. Each can be used once.
package enum RecoveryCodes {
  /// Number of codes of a user.
  package static let count = 10
  /// Random bytes of a code.
  private static let length = 10

  /// Returns new codes: four groups of four letters or digits, 80 random bits each.
  package static func make() -> [String] {
    (0..<count).map { _ in
      var random = [UInt8](repeating: 0, count: length)
      randombytes_buf(&random, length)
      let text = Array(Base32.encode(random).lowercased())
      return stride(from: 0, to: text.count, by: 4).map { String(text[$0..<min($0 + 4, text.count)]) }.joined(separator: "-")
    }
  }

  /// Returns the stored hash of a code, which does not depend on case and hyphens.
  package static func hash(of code: String) -> [UInt8] { secret(code).hash }

  /// Returns the hashes that may be stored for a code.
  package static func hashes(of code: String) -> [[UInt8]] { secret(code).hashes }

  private static func secret(_ code: String) -> AccessToken {
    AccessToken(code.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) })
  }
}
