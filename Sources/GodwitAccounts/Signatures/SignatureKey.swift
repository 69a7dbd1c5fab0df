internal import CGnuTLS
internal import CSodium

/// A public key of an authenticator or of an OpenID provider, with the signature algorithm. Signatures are verified by
/// GnuTLS and libsodium.
package enum SignatureKey: Sendable, Hashable {
  /// ECDSA on P-256 with SHA-256; the coordinates have 32 bytes each.
  case ecdsaP256(x: [UInt8], y: [UInt8])
  /// Ed25519; 32 bytes.
  case ed25519([UInt8])
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rsaSHA256(modulus: [UInt8], exponent: [UInt8])

  /// The format of an ECDSA signature.
  package enum ECDSAFormat: Sendable {
    /// The ASN.1 sequence of both numbers, used by WebAuthn.
    case der
    /// Both numbers with 32 bytes each, used by JSON Web Signatures (RFC 7518, section 3.4).
    case raw
  }

  /// Bytes of an RSA modulus. NIST SP 800-131A accepts 2,048 bits or more; verification with more than 8,192 bits is too
  /// slow.
  private static let modulusBytes = 256...1024

  /// Returns an elliptic curve key; `nil` if a coordinate does not have 32 bytes.
  package static func p256(x: [UInt8], y: [UInt8]) -> SignatureKey? {
    x.count == 32 && y.count == 32 ? .ecdsaP256(x: x, y: y) : nil
  }

  /// Returns an Ed25519 key; `nil` if it does not have 32 bytes.
  package static func edwards(_ bytes: [UInt8]) -> SignatureKey? { bytes.count == 32 ? .ed25519(bytes) : nil }

  /// Creates an RSA key.
  /// - Returns: `nil` if the modulus has fewer than 256 or more than 1,024 bytes, or a number is even, or the exponent is 1
  ///   or has more than 4 bytes.
  package static func rsa(modulus: [UInt8], exponent: [UInt8]) -> SignatureKey? {
    let (modulus, exponent) = (Array(modulus.drop { $0 == 0 }), Array(exponent.drop { $0 == 0 }))
    guard modulusBytes.contains(modulus.count), (1...4).contains(exponent.count), let last = modulus.last, last & 1 == 1,
      let end = exponent.last, end & 1 == 1, exponent != [1]
    else { return nil }
    return .rsaSHA256(modulus: modulus, exponent: exponent)
  }

  /// Whether a signature of a message was made with this key. Malformed signatures are invalid.
  package func isValid(_ signature: [UInt8], of message: [UInt8], ecdsa format: ECDSAFormat = .der) -> Bool {
    switch self {
    case .ed25519(let key):
      return signature.count == Int(crypto_sign_BYTES)
        && crypto_sign_verify_detached(signature, message, UInt64(message.count), key) == 0
    case .ecdsaP256:
      var signature = signature
      if format == .raw {
        guard signature.count == 64 else { return false }
        signature = Self.der(signature)
      }
      return isValid(signature, of: message, GNUTLS_SIGN_ECDSA_SHA256)
    case .rsaSHA256: return isValid(signature, of: message, GNUTLS_SIGN_RSA_SHA256)
    }
  }

  private func isValid(_ signature: [UInt8], of message: [UInt8], _ algorithm: gnutls_sign_algorithm_t) -> Bool {
    var key: gnutls_pubkey_t?
    guard gnutls_pubkey_init(&key) == GNUTLS_E_SUCCESS, let key else { return false }
    defer { gnutls_pubkey_deinit(key) }
    guard load(into: key) == GNUTLS_E_SUCCESS else { return false }
    return Self.withDatum(message) { message in
      Self.withDatum(signature) { signature in
        var (message, signature) = (message, signature)
        return gnutls_pubkey_verify_data2(key, algorithm, 0, &message, &signature) >= 0
      }
    }
  }

  private func load(into key: gnutls_pubkey_t) -> Int32 {
    switch self {
    case .ecdsaP256(let x, let y):
      Self.withDatum(x) { x in
        Self.withDatum(y) { y in
          var (x, y) = (x, y)
          return gnutls_pubkey_import_ecc_raw(key, GNUTLS_ECC_CURVE_SECP256R1, &x, &y)
        }
      }
    case .rsaSHA256(let modulus, let exponent):
      Self.withDatum(modulus) { modulus in
        Self.withDatum(exponent) { exponent in
          var (modulus, exponent) = (modulus, exponent)
          return gnutls_pubkey_import_rsa_raw(key, &modulus, &exponent)
        }
      }
    case .ed25519: GNUTLS_E_INVALID_REQUEST
    }
  }

  /// Calls `body` with a datum that points to a copy of the bytes.
  private static func withDatum<Value>(_ bytes: [UInt8], _ body: (gnutls_datum_t) -> Value) -> Value {
    var bytes = bytes
    return bytes.withUnsafeMutableBufferPointer { body(gnutls_datum_t(data: $0.baseAddress, size: UInt32($0.count))) }
  }

  /// Returns the ASN.1 sequence (X.690) of the two numbers of a signature.
  private static func der(_ raw: [UInt8]) -> [UInt8] {
    func number(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
      var digits = Array(bytes.drop { $0 == 0 })
      if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
      return [0x02, UInt8(digits.count)] + digits
    }
    // Two numbers of at most 33 bytes: the length has one byte.
    let body = number(raw[..<32]) + number(raw[32...])
    return [0x30, UInt8(body.count)] + body
  }
}
