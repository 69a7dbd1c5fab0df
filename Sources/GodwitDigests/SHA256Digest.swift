#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import CSodium
#endif

/// SHA-256 (FIPS 180-4): by CryptoKit on Apple's systems, by libsodium elsewhere.
///
/// Both ends of a sync of regions compute it, and tokens are stored as it.
package enum SHA256Digest {
  /// Bytes of a digest.
  package static let length = 32

  /// The digest of bytes: 32 bytes.
  package static func of(_ bytes: [UInt8]) -> [UInt8] {
    #if canImport(CryptoKit)
      Array(SHA256.hash(data: bytes))
    #else
      var digest = [UInt8](repeating: 0, count: length)
      crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
      return digest
    #endif
  }

  /// The first bytes of the digest, where fewer identify.
  /// - Parameters:
  ///   - bytes: what is hashed.
  ///   - prefix: bytes of the result, 0...32.
  package static func of(_ bytes: [UInt8], prefix: Int) -> [UInt8] { Array(of(bytes).prefix(max(0, prefix))) }
}
