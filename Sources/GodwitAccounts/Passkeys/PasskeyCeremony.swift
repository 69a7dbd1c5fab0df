internal import Foundation
internal import GodwitDigests

/// The client data of a browser, which an authenticator signs (`CollectedClientData`, WebAuthn Level 2, section 5.8.1).
private struct ClientData: Decodable {
  let type: String
  let challenge: String
  let origin: String
  let crossOrigin: Bool?

  /// - Throws: ``PasskeyError`` if the data belongs to another ceremony, request or page.
  static func check(_ bytes: [UInt8], type: String, challenge: [UInt8], party: RelyingParty) throws(PasskeyError) {
    guard PasskeyLimits.clientData.contains(bytes.count),
      let data = try? JSONDecoder().decode(ClientData.self, from: Data(bytes))
    else { throw .malformed("The client data is not JSON with type, challenge and origin.") }
    guard data.type == type, Base64URL.decode(data.challenge) == challenge else { throw .otherRequest }
    guard party.origins.contains(data.origin), data.crossOrigin != true else {
      throw .otherOrigin(String(data.origin.prefix(100)), expected: party.origins.joined(separator: " or "))
    }
  }

  /// Returns the challenge in unverified client data; `nil` if it is absent.
  static func challenge(of bytes: [UInt8]) -> [UInt8]? {
    guard PasskeyLimits.clientData.contains(bytes.count) else { return nil }
    return (try? JSONDecoder().decode(ClientData.self, from: Data(bytes))).flatMap { Base64URL.decode($0.challenge) }
  }
}

extension AuthenticatorData {
  fileprivate func check(_ party: RelyingParty) throws(PasskeyError) {
    guard hostHash == party.hostHash else { throw .otherHost }
    guard isPresent, isVerified else { throw .notVerified }
  }
}

/// The response of a browser after it has created a passkey.
package struct PasskeyRegistration: Sendable {
  /// `clientDataJSON`.
  package let clientData: [UInt8]
  /// `attestationObject`.
  package let attestation: [UInt8]

  package init(clientData: [UInt8], attestation: [UInt8]) {
    self.clientData = clientData
    self.attestation = attestation
  }

  /// The challenge in the client data, not verified.
  package var challenge: [UInt8]? { ClientData.challenge(of: clientData) }

  /// A verified passkey.
  package struct NewPasskey: Sendable {
    package let credential: AuthenticatorData.Credential
    package let signatures: UInt32
    package let isSynced: Bool
  }

  /// Verifies the registration (WebAuthn Level 2, section 7.1). Attestation statements are ignored: the server requests
  /// none, and any authenticator is accepted.
  /// - Throws: ``PasskeyError``.
  package func checked(challenge: [UInt8], party: RelyingParty) throws(PasskeyError) -> NewPasskey {
    try ClientData.check(clientData, type: "webauthn.create", challenge: challenge, party: party)
    guard PasskeyLimits.authenticatorData.contains(attestation.count) else { throw .malformed("The attestation is too long.") }
    let object: CBORValue
    do { object = try CBORReader.value(of: attestation) } catch { throw .malformed("The attestation: \(error)") }
    guard let bytes = object[key: "authData"]?.byteString else { throw .malformed("The attestation has no authenticator data.") }
    let data = try AuthenticatorData(bytes)
    try data.check(party)
    guard let credential = data.credential else { throw .malformed("The authenticator data has no credential.") }
    _ = try COSEKey.read(credential.key)
    return NewPasskey(credential: credential, signatures: data.signatures, isSynced: data.isBackedUp)
  }
}

/// The response of a browser that proves possession of a passkey.
package struct PasskeyAssertion: Sendable {
  /// The credential's id.
  package let credential: [UInt8]
  /// `clientDataJSON`.
  package let clientData: [UInt8]
  /// `authenticatorData`.
  package let authenticatorData: [UInt8]
  package let signature: [UInt8]
  /// `userHandle`, which identifies the user; `nil`: the authenticator sent none.
  package let user: [UInt8]?

  package init(
    credential: [UInt8], clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8], user: [UInt8]? = nil
  ) {
    self.credential = credential
    self.clientData = clientData
    self.authenticatorData = authenticatorData
    self.signature = signature
    self.user = user
  }

  /// The challenge in the client data, not verified.
  package var challenge: [UInt8]? { ClientData.challenge(of: clientData) }

  /// Verifies the assertion (WebAuthn Level 2, section 7.2), except the signature counter.
  /// - Parameters:
  ///   - challenge: the challenge of the request.
  ///   - party: the server with the host name of the request.
  ///   - key: the stored public key.
  /// - Returns: the authenticator data.
  /// - Throws: ``PasskeyError``.
  package func checked(challenge: [UInt8], party: RelyingParty, key: [UInt8]) throws(PasskeyError) -> AuthenticatorData {
    try ClientData.check(clientData, type: "webauthn.get", challenge: challenge, party: party)
    guard PasskeyLimits.authenticatorData.contains(authenticatorData.count) else {
      throw .malformed("The authenticator data is too long.")
    }
    let data = try AuthenticatorData(authenticatorData)
    try data.check(party)
    let message = authenticatorData + SHA256Digest.of(clientData)
    guard try COSEKey.read(key).isValid(signature, of: message) else { throw .wrongSignature }
    return data
  }
}
