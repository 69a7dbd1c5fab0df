internal import Foundation

/// The public keys of an OpenID provider, as a JWK set (RFC 7517).
package struct SigningKeys: Sendable {
  private struct Document: Decodable {
    let keys: [Lossy]
  }

  /// An element of the set. A key of an unsupported type is skipped.
  private struct Lossy: Decodable {
    let key: JSONKey?
    init(from decoder: any Decoder) throws { key = try? JSONKey(from: decoder) }
  }

  private struct JSONKey: Decodable {
    let kty: String
    let kid, use, alg, crv, n, e, x, y: String?

    var value: SignatureKey? {
      func bytes(_ text: String?) -> [UInt8] { text.flatMap { Base64URL.decode($0) } ?? [] }
      guard use == nil || use == "sig" else { return nil }
      switch (kty, crv) {
      case ("RSA", _): return alg == nil || alg == "RS256" ? .rsa(modulus: bytes(n), exponent: bytes(e)) : nil
      case ("EC", "P-256"): return alg == nil || alg == "ES256" ? .p256(x: bytes(x), y: bytes(y)) : nil
      default: return nil
      }
    }
  }

  private let keys: [(id: String?, key: SignatureKey)]
  /// Maximum keys that are read. A provider has few.
  private static let maximum = 100

  /// - Throws: ``IdentityError`` if the document is not a JWK set. Keys of algorithms other than RS256 and ES256 are
  ///   skipped.
  package init(json: [UInt8]) throws(IdentityError) {
    guard let document = try? JSONDecoder().decode(Document.self, from: Data(json)) else {
      throw .provider("Its keys are not a JWK set.")
    }
    keys = document.keys.prefix(Self.maximum).compactMap(\.key).compactMap { key in key.value.map { (key.kid, $0) } }
  }

  /// Returns the keys with an identifier; `nil`: all keys.
  func candidates(_ id: String?) -> [SignatureKey] { keys.filter { id == nil || $0.id == id }.map(\.key) }

  /// Whether a key with this identifier exists.
  package func has(_ id: String?) -> Bool { !candidates(id).isEmpty }
}

/// The reason why an identity of an OpenID provider is rejected.
package enum IdentityError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The provider violated OpenID Connect. The value is a sentence about the violation.
  case provider(String)
  /// The token is invalid. The value is a sentence with the reason.
  case token(String)

  package var description: String {
    switch self {
    case .provider(let sentence): "The identity provider: \(sentence)"
    case .token(let sentence): "The identity token: \(sentence)"
    }
  }
}
