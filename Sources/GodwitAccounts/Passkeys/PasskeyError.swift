/// The reason why a passkey is rejected.
package enum PasskeyError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Bytes that violate the standard. The value is a sentence about them.
  case malformed(String)
  /// The response belongs to another request, or to none.
  case otherRequest
  /// The browser's page does not belong to the server.
  case otherOrigin(String, expected: String)
  /// The authenticator signed for another host.
  case otherHost
  /// The authenticator did not verify the user.
  case notVerified
  /// The signature does not match the stored key.
  case wrongSignature

  package var description: String {
    switch self {
    case .malformed(let sentence): sentence
    case .otherRequest: "This is not the answer to the request. Try again."
    case .otherOrigin(let origin, let expected):
      "The page has the origin \(origin), and the server expects \(expected). A proxy in front of the server must keep the header Host."
    case .otherHost: "The passkey belongs to another host name."
    case .notVerified: "The authenticator did not ask for a PIN, a fingerprint or a face. Use one that does."
    case .wrongSignature: "The signature is wrong."
    }
  }
}

/// Limits of the data that browsers send.
package enum PasskeyLimits {
  /// Bytes of a credential's id (WebAuthn, section 4).
  package static let credential = 1...1023
  /// Bytes of the client data: an origin, a challenge and a few words.
  package static let clientData = 1...4096
  /// Bytes of an attestation or of authenticator data: some authenticators add certificates.
  package static let authenticatorData = 1...32768
  /// Bytes of a signature: RSA with 8,192 bits.
  package static let signature = 1...1024
  /// Maximum passkeys of a user.
  package static let perUser = 50
}
