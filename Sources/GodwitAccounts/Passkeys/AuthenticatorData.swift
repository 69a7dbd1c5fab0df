/// The data that an authenticator signs together with the client data (WebAuthn Level 2, section 6.1).
package struct AuthenticatorData: Sendable {
  /// SHA-256 of the host name.
  package let hostHash: [UInt8]
  /// Whether the user was present.
  package let isPresent: Bool
  /// Whether the authenticator verified the user, by a PIN or a fingerprint.
  package let isVerified: Bool
  /// Whether the key is synchronized, such as in a password manager.
  package let isBackedUp: Bool
  /// The authenticator's signature counter; 0: not supported.
  package let signatures: UInt32
  /// The new credential, in a registration.
  package let credential: Credential?

  package struct Credential: Sendable {
    /// 1 to 1,023 bytes.
    package let id: [UInt8]
    /// The public key in COSE (RFC 9052).
    package let key: [UInt8]
  }

  private enum Flag {
    static let present: UInt8 = 1 << 0
    static let verified: UInt8 = 1 << 2
    static let backedUp: UInt8 = 1 << 4
    static let credential: UInt8 = 1 << 6
    static let extensions: UInt8 = 1 << 7
  }

  /// Bytes of the fixed part: the hash, the flags and the counter.
  private static let fixedLength = 37

  /// - Throws: ``PasskeyError`` if the bytes are not authenticator data, or if more bytes follow.
  package init(_ bytes: [UInt8]) throws(PasskeyError) {
    guard bytes.count >= Self.fixedLength else { throw .malformed("The authenticator data is too short.") }
    hostHash = Array(bytes[..<32])
    let flags = bytes[32]
    isPresent = flags & Flag.present != 0
    isVerified = flags & Flag.verified != 0
    isBackedUp = flags & Flag.backedUp != 0
    signatures = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    var end = Self.fixedLength
    if flags & Flag.credential != 0 {
      (credential, end) = try Self.credential(bytes)
    } else {
      credential = nil
    }
    if flags & Flag.extensions != 0 {
      var reader = CBORReader(bytes, from: end)
      do { _ = try reader.next() } catch { throw .malformed("The extensions of the authenticator data: \(error)") }
      end = reader.offset
    }
    guard end == bytes.count else { throw .malformed("The authenticator data is too long.") }
  }

  /// Returns the credential, which follows the 16 bytes of the authenticator's model, and the offset of its end.
  private static func credential(_ bytes: [UInt8]) throws(PasskeyError) -> (Credential, end: Int) {
    let start = fixedLength + 18
    guard bytes.count >= start else { throw .malformed("The credential of the authenticator data is too short.") }
    let length = Int(bytes[start - 2]) << 8 | Int(bytes[start - 1])
    guard PasskeyLimits.credential.contains(length), start + length <= bytes.count else {
      throw .malformed("The credential's id has \(length) bytes; expected 1 to 1,023 that are there.")
    }
    var reader = CBORReader(bytes, from: start + length)
    do { _ = try reader.next() } catch { throw .malformed("The credential's key: \(error)") }
    let key = Array(bytes[(start + length)..<reader.offset])
    return (Credential(id: Array(bytes[start..<(start + length)]), key: key), reader.offset)
  }
}
