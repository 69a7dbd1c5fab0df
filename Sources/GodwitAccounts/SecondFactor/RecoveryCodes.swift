internal import CSodium
internal import GodwitSecrets
internal import GodwitStore

/// Codes that replace a lost authenticator, each once.
package enum RecoveryCodes {
  /// How many a user gets.
  package static let count = 10
  /// Random bytes of each.
  private static let length = 10

  /// New codes: four groups of four letters or digits, 80 random bits each.
  package static func make() -> [String] {
    (0..<count).map { _ in
      var random = [UInt8](repeating: 0, count: length)
      randombytes_buf(&random, length)
      let text = Array(Base32.encode(random).lowercased())
      return stride(from: 0, to: text.count, by: 4).map { String(text[$0..<min($0 + 4, text.count)]) }.joined(separator: "-")
    }
  }

  /// What is stored of a code: the same for capitals and without hyphens.
  package static func hash(of code: String) -> [UInt8] { secret(code).hash }

  /// The hashes that a stored code may have.
  package static func hashes(of code: String) -> [[UInt8]] { secret(code).hashes }

  private static func secret(_ code: String) -> AccessToken {
    AccessToken(code.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) })
  }
}
