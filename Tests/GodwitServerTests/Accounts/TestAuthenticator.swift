import CSodium
import Foundation
import GodwitDigests

@testable import GodwitAccounts

/// An authenticator with one Ed25519 key. It creates the requests of a browser, with faults that a test chooses.
struct TestAuthenticator {
  /// The faults of a response; `nil` keeps the right value.
  struct Faults {
    var type: String?
    var origin: String?
    var isCrossOrigin = false
    var host: String?
    /// The flags of the authenticator data: user present (0x01) and user verified (0x04).
    var flags: UInt8 = 0x05
    var signsOther = false
    var handle: [UInt8]?
  }

  let credential: [UInt8]
  private let publicKey, secretKey: [UInt8]
  var signatures: UInt32 = 0
  /// Whether the authenticator has a signature counter.
  var counts = true
  var host = "godwit.example"
  var origin = "https://godwit.example"
  /// The user handle, set by a registration.
  var handle: [UInt8] = []

  init() {
    var (open, secret) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 64))
    crypto_sign_keypair(&open, &secret)
    var id = [UInt8](repeating: 0, count: 20)
    randombytes_buf(&id, id.count)
    (credential, publicKey, secretKey) = (id, open, secret)
  }

  private func clientData(_ type: String, _ challenge: String, _ faults: Faults) -> [UInt8] {
    let text =
      #"{"type":"\#(faults.type ?? type)","challenge":"\#(challenge)","origin":"\#(faults.origin ?? origin)","crossOrigin":\#(faults.isCrossOrigin)}"#
    return Array(text.utf8)
  }

  private func head(_ flags: UInt8, _ faults: Faults) -> [UInt8] {
    SHA256Digest.of(Array((faults.host ?? host).utf8)) + [flags]
      + (0..<4).reversed().map { UInt8(truncatingIfNeeded: signatures >> UInt32($0 * 8)) }
  }

  /// The public key in COSE: OKP, EdDSA, Ed25519.
  var key: [UInt8] { [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 32] + publicKey }

  /// The `attestationObject` of a registration.
  func attestation(_ faults: Faults = Faults()) -> [UInt8] {
    let data =
      head(faults.flags | 0x40, faults) + [UInt8](repeating: 0, count: 16) + [0, UInt8(credential.count)] + credential + key
    return [0xA3, 0x63] + Array("fmt".utf8) + [0x64] + Array("none".utf8) + [0x67] + Array("attStmt".utf8) + [0xA0, 0x68]
      + Array("authData".utf8) + [0x58, UInt8(data.count)] + data
  }

  /// The body of `POST /api/v1/passkeys`.
  func registration(_ challenge: String, name: String = "Key", _ faults: Faults = Faults()) -> String {
    #"{"name":"\#(name)","client_data":"\#(Base64URL.encode(clientData("webauthn.create", challenge, faults)))","attestation":"\#(Base64URL.encode(attestation(faults)))"}"#
  }

  /// The body of a sign-in with the passkey. Increments the signature counter.
  mutating func assertion(_ challenge: String, _ faults: Faults = Faults()) -> String {
    if counts { signatures += 1 }
    let client = clientData("webauthn.get", challenge, faults)
    let data = head(faults.flags, faults)
    let message = data + (faults.signsOther ? [0] : SHA256Digest.of(client))
    var signature = [UInt8](repeating: 0, count: 64)
    crypto_sign_detached(&signature, nil, message, UInt64(message.count), secretKey)
    let user = faults.handle ?? handle
    return
      #"{"credential":"\#(Base64URL.encode(credential))","client_data":"\#(Base64URL.encode(client))","authenticator_data":"\#(Base64URL.encode(data))","signature":"\#(Base64URL.encode(signature))""#
      + (user.isEmpty ? "}" : #","user":"\#(Base64URL.encode(user))"}"#)
  }
}
