internal import Foundation
internal import GodwitDigests

/// What a browser made and an authenticator signed (`CollectedClientData`, WebAuthn Level 2, section 5.8.1).
private struct ClientData: Decodable {
  let type: String
  let challenge: String
  let origin: String
  let crossOrigin: Bool?

  /// - Throws: ``PasskeyError`` where it is of another ceremony, request or page.
  static func check(_ bytes: [UInt8], type: String, challenge: [UInt8], party: RelyingParty) throws(PasskeyError) {
    guard PasskeyLimits.clientData.contains(bytes.count),
      let data = try? JSONDecoder().decode(ClientData.self, from: Data(bytes))
    else { throw .malformed("The client data is not JSON with type, challenge and origin.") }
    guard data.type == type, Base64URL.decode(data.challenge) == challenge else { throw .otherRequest }
    guard party.origins.contains(data.origin), data.crossOrigin != true else {
      throw .otherOrigin(String(data.origin.prefix(100)), expected: party.origins.joined(separator: " or "))
    }
  }

  /// The challenge that client data names, before anything of it is checked; `nil` where it names none.
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

/// What a browser sends after it has made a passkey.
package struct PasskeyRegistration: Sendable {
  /// `clientDataJSON`.
  package let clientData: [UInt8]
  /// `attestationObject`.
  package let attestation: [UInt8]

  package init(clientData: [UInt8], attestation: [UInt8]) {
    self.clientData = clientData
    self.attestation = attestation
  }

  /// The challenge to which it answers, by its own word.
  package var challenge: [UInt8]? { ClientData.challenge(of: clientData) }

  /// A passkey that may be stored.
  package struct NewPasskey: Sendable {
    package let credential: AuthenticatorData.Credential
    package let signatures: UInt32
    package let isSynced: Bool
  }

  /// Checks it (WebAuthn Level 2, section 7.1). Statements of the maker of the authenticator are ignored: the server asks for
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

/// What a browser sends to show that it has a passkey.
package struct PasskeyAssertion: Sendable {
  /// The credential's id.
  package let credential: [UInt8]
  /// `clientDataJSON`.
  package let clientData: [UInt8]
  /// `authenticatorData`.
  package let authenticatorData: [UInt8]
  package let signature: [UInt8]
  /// `userHandle`, which names the user; `nil`: the authenticator gave none.
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

  /// The challenge to which it answers, by its own word.
  package var challenge: [UInt8]? { ClientData.challenge(of: clientData) }

  /// Checks it (WebAuthn Level 2, section 7.2), except the count of signatures.
  /// - Parameters:
  ///   - challenge: of the request.
  ///   - party: the server under the name of the request.
  ///   - key: the stored public key.
  /// - Returns: what the authenticator says.
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
