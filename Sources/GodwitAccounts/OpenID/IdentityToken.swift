package import Foundation

/// An ID token of an OpenID provider (OpenID Connect Core 1.0, section 2): a JSON Web Token that is signed with RS256 or ES256.
package struct IdentityToken: Sendable {
  /// The values that a token must contain.
  package struct Expectation: Sendable {
    package var issuer: String
    package var client: String
    package var nonce: String
    package var now: Date

    package init(issuer: String, client: String, nonce: String, now: Date) {
      self.issuer = issuer
      self.client = client
      self.nonce = nonce
      self.now = now
    }
  }

  /// The provider's identifier of the user, which never changes.
  package let subject: String
  /// The time of the user's last authentication at the provider; `nil`: unknown.
  package let authenticated: Date?
  package let claims: IdentityClaims

  /// Maximum seconds by which the provider's clock may differ.
  package static let skew: TimeInterval = 60
  /// Maximum bytes of a token.
  private static let maximum = 64 << 10

  private struct Header: Decodable {
    let alg: String
    let kid: String?
    let crit: [String]?
  }

  private struct Body: Decodable {
    let iss, sub: String
    let aud: Audience
    let exp, iat: Double
    let azp, nonce: String?
    let authTime: Double?

    enum CodingKeys: String, CodingKey {
      case iss, sub, aud, exp, iat, azp, nonce
      case authTime = "auth_time"
    }
  }

  /// One or several clients.
  private struct Audience: Decodable {
    let names: [String]
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      names = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
    }
  }

  /// Returns the identifier of the key in a token's header, which is not verified; `nil`: absent.
  package static func keyName(of token: String) -> String? {
    token.split(separator: ".").first.flatMap { Base64URL.decode($0) }
      .flatMap { try? JSONDecoder().decode(Header.self, from: Data($0)) }?.kid
  }

  /// Parses and validates a token (OpenID Connect Core, section 3.1.3.7).
  /// - Parameters:
  ///   - text: the token from the provider.
  ///   - keys: the keys of the provider.
  ///   - expected: the values that the token must contain.
  /// - Throws: ``IdentityError``.
  package init(_ text: String, keys: SigningKeys, expected: Expectation) throws(IdentityError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= Self.maximum, parts.count == 3, let head = Base64URL.decode(parts[0]),
      let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
      let header = try? JSONDecoder().decode(Header.self, from: Data(head))
    else { throw .token("It is not a signed JSON Web Token.") }
    guard header.crit == nil else { throw .token("It has extensions that are not known.") }
    let signed = Array("\(parts[0]).\(parts[1])".utf8)
    let isSigned = keys.candidates(header.kid).contains { key in
      switch (key, header.alg) {
      case (.rsaSHA256, "RS256"), (.ecdsaP256, "ES256"): key.isValid(signature, of: signed, ecdsa: .raw)
      default: false
      }
    }
    guard isSigned else { throw .token("Its signature is not the provider's; only RS256 and ES256 are accepted.") }
    guard let body = try? JSONDecoder().decode(Body.self, from: Data(payload)), let claims = IdentityClaims(json: payload) else {
      throw .token("It lacks iss, sub, aud, exp or iat.")
    }
    try Self.check(body, expected)
    subject = body.sub
    // A time in the future is invalid and is ignored.
    authenticated = body.authTime.map { Date(timeIntervalSince1970: $0) }.flatMap { $0 <= expected.now + Self.skew ? $0 : nil }
    self.claims = claims
  }

  private static func check(_ body: Body, _ expected: Expectation) throws(IdentityError) {
    guard body.iss == expected.issuer else { throw .token("It is of another provider.") }
    guard body.aud.names.contains(expected.client), body.azp ?? expected.client == expected.client,
      body.aud.names.count == 1 || body.azp != nil
    else { throw .token("It is for another client.") }
    let now = expected.now.timeIntervalSince1970
    guard body.exp.isFinite, body.exp + skew > now else { throw .token("It has expired; compare the clocks.") }
    guard body.iat.isFinite, body.iat - skew <= now else { throw .token("It is of a time to come; compare the clocks.") }
    guard body.nonce == expected.nonce else { throw .token("It is not the answer to this sign-in.") }
    guard (1...255).contains(body.sub.utf8.count) else { throw .token("Its subject has not 1 to 255 bytes.") }
  }
}

/// A provider's claims about a user.
package struct IdentityClaims: Sendable {
  private let texts: [String: String]
  private let isEmailVerified: Bool

  /// - Parameter json: a JSON object; members other than strings are ignored.
  package init?(json: [UInt8]) {
    guard let object = (try? JSONSerialization.jsonObject(with: Data(json))) as? [String: Any] else { return nil }
    texts = object.compactMapValues { $0 as? String }
    // Some providers send it as a string.
    isEmailVerified = (object["email_verified"] as? Bool) ?? (texts["email_verified"] == "true")
  }

  /// Returns a claim.
  /// - Returns: `nil` if the claim is absent or empty, or is an e-mail address that the provider has not verified.
  package subscript(name: String) -> String? {
    if name == "email", !isEmailVerified { return nil }
    return texts[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
