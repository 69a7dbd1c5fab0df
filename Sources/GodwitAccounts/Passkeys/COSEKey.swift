/// Public keys of authenticators in COSE (RFC 9052; algorithms: RFC 9053 and RFC 8812).
package enum COSEKey {
  /// The supported algorithms in order of preference: ES256, EdDSA, RS256.
  package static let algorithms: [Int64] = [-7, -8, -257]

  /// Reads a key.
  /// - Throws: ``PasskeyError`` if the key is malformed or has another algorithm.
  package static func read(_ bytes: [UInt8]) throws(PasskeyError) -> SignatureKey {
    let value: CBORValue
    do { value = try CBORReader.value(of: bytes) } catch { throw .malformed("The key: \(error)") }
    // Labels 1 and 3 are the key type and the algorithm; −1, −2 and −3 depend on the type.
    let key: SignatureKey? =
      switch (value[key: 1]?.integer, value[key: 3]?.integer) {
      case (2, -7):
        value[key: -1]?.integer == 1
          ? .p256(x: value[key: -2]?.byteString ?? [], y: value[key: -3]?.byteString ?? []) : nil
      case (1, -8): value[key: -1]?.integer == 6 ? .edwards(value[key: -2]?.byteString ?? []) : nil
      case (3, -257): .rsa(modulus: value[key: -1]?.byteString ?? [], exponent: value[key: -2]?.byteString ?? [])
      default: nil
      }
    guard let key else {
      throw .malformed("The key is damaged, or none of ES256, EdDSA and RS256. Use another authenticator.")
    }
    return key
  }
}
