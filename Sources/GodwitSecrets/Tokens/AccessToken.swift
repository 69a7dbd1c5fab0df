internal import CSodium
internal import GodwitDigests

/// The secret that authenticates a device. The server keeps only its hash: a copy of the database contains no usable token.
public struct AccessToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The text itself, to be shown once to the administrator.
  public let secret: String

  /// A new one: "gw_" and 192 random bits as 32 letters of URL-safe Base64.
  public init() {
    var random = [UInt8](repeating: 0, count: 24)
    randombytes_buf(&random, random.count)
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text = Array("gw_".utf8)
    for group in stride(from: 0, to: random.count, by: 3) {
      let bits = UInt32(random[group]) << 16 | UInt32(random[group + 1]) << 8 | UInt32(random[group + 2])
      for shift in [18, 12, 6, 0] { text.append(alphabet[Int(bits >> UInt32(shift)) & 63]) }
    }
    secret = String(decoding: text, as: UTF8.self)
  }

  /// What a client sent.
  public init(_ secret: String) { self.secret = secret }

  /// SHA-256: 32 bytes. A plain hash is enough where the secret is random and long.
  public var hash: [UInt8] { SHA256Digest.of(Array(secret.utf8)) }

  /// The hash by which a token is stored, of those that it may have: ``hash``, and ``formerHash`` in converted stores.
  package var hashes: [[UInt8]] { [hash, formerHash] }

  /// BLAKE2b, 32 bytes: the hash of tokens that development builds stored. Such tokens keep working.
  package var formerHash: [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    let bytes = Array(secret.utf8)
    crypto_generichash(&digest, digest.count, bytes, UInt64(bytes.count), nil, 0)
    return digest
  }

  /// Compares two hashes in a time that does not depend on where they differ.
  package static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool { a.count == b.count && sodium_memcmp(a, b, a.count) == 0 }

  public var description: String { "<token>" }
  public var debugDescription: String { description }
}
