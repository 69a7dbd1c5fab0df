internal import Foundation
internal import GodwitAccounts
internal import GodwitHTTP

/// The length of a member in bytes.
protocol ByteLimits: Sendable {
  static var length: ClosedRange<Int> { get }
}

/// A member of a body with bytes as Base64 in the URL-safe alphabet, without padding.
struct EncodedBytes<Limits: ByteLimits>: BodyValue {
  let bytes: [UInt8]

  static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self? {
    guard let text = try body.text(name) else { return nil }
    // Four characters encode three bytes.
    guard text.utf8.count <= Limits.length.upperBound / 3 * 4 + 4, let bytes = Base64URL.decode(text),
      Limits.length.contains(bytes.count)
    else {
      throw body.fault(
        name, "expected \(Limits.length.lowerBound) to \(Limits.length.upperBound) bytes as Base64 (URL-safe, without padding).")
    }
    return Self(bytes: bytes)
  }

  static func schema(in components: SchemaComponents) -> JSONValue {
    ["type": "string", "pattern": "^[A-Za-z0-9_-]+$", "minLength": 2]
  }
  static var sample: Self { Self(bytes: [0]) }
}

extension PasskeyAPI {
  enum CredentialLimits: ByteLimits { static let length = PasskeyLimits.credential }
  enum ClientDataLimits: ByteLimits { static let length = PasskeyLimits.clientData }
  enum AuthenticatorLimits: ByteLimits { static let length = PasskeyLimits.authenticatorData }
  enum SignatureLimits: ByteLimits { static let length = PasskeyLimits.signature }
  enum HandleLimits: ByteLimits { static let length = 1...64 }
  enum NameLimits: TextLimits { static let length = 1...64 }

  struct PasskeyObject: ResultObject {
    var id: String
    var name: String
    var host: String
    var synced: Bool
    var created: Date
    @Nullable var used: Date?

    static let schemaName: String? = "Passkey"
    static let notes: [String: JSONValue] = [
      "id": ["pattern": "^psk_[0-9]+$"], "host": "The host name under which it was created; browsers use it under no other.",
      "synced": "Whether the key is kept in more than one place, such as a password manager.", "used": "When it was used last.",
    ]

    init(_ passkey: Passkey) {
      (id, name, host, synced) = (passkey.name, passkey.label, passkey.host, passkey.isSynced)
      (created, used) = (passkey.created, passkey.used)
    }
  }

  struct PasskeyList: ResultObject {
    var passkeys: [PasskeyObject]
  }

  /// The options that a page passes to the browser to create a passkey.
  struct CreationOptions: ResultObject {
    var challenge: String
    var host: String
    var userId: String
    var userName: String
    var algorithms: [Int]
    var exclude: [String]
    var timeout: Int

    static let schemaName: String? = "PasskeyCreationOptions"
    static let notes: [String: JSONValue] = [
      "challenge": "Base64, URL-safe; valid once, for five minutes, in this session.", "host": "The id of the relying party.",
      "user_id": "The user handle; Base64, URL-safe.", "algorithms": "Of COSE, the preferred one first.",
      "exclude": "Credentials that exist; Base64, URL-safe.", "timeout": "Milliseconds.",
    ]
  }

  /// The options that a page passes to the browser to use a passkey.
  struct RequestOptions: ResultObject {
    var challenge: String
    @Nullable var host: String?
    var allow: [String]
    var timeout: Int

    static let schemaName: String? = "PasskeyRequestOptions"
    static let notes: [String: JSONValue] = [
      "challenge": "Base64, URL-safe; valid once, for five minutes.",
      "host": "The id of the relying party; null where the request names an address, for which browsers have no passkeys.",
      "allow": "Credentials that may be used; empty: any.", "timeout": "Milliseconds.",
    ]
  }

  struct NewPasskey: BodyObject {
    let name: LimitedText<NameLimits>
    let clientData: EncodedBytes<ClientDataLimits>
    let attestation: EncodedBytes<AuthenticatorLimits>

    static let kind = "passkey"
    static let notes: [String: JSONValue] = [
      "client_data": "`clientDataJSON` of the browser; Base64, URL-safe.",
      "attestation": "`attestationObject` of the browser; Base64, URL-safe. Statements in it are ignored.",
    ]
  }

  struct PasskeyName: BodyObject {
    let name: LimitedText<NameLimits>

    static let kind = "passkey"
  }

  struct Assertion: BodyObject {
    let credential: EncodedBytes<CredentialLimits>
    let clientData: EncodedBytes<ClientDataLimits>
    let authenticatorData: EncodedBytes<AuthenticatorLimits>
    let signature: EncodedBytes<SignatureLimits>
    let user: EncodedBytes<HandleLimits>?

    static let kind = "passkey"
    static let schemaName: String? = "PasskeyAssertion"
    static let notes: [String: JSONValue] = [
      "credential": "`rawId` of the browser; all members are Base64, URL-safe.", "client_data": "`clientDataJSON`.",
      "authenticator_data": "`authenticatorData`.", "user": "`userHandle`.",
    ]

    var value: PasskeyAssertion {
      PasskeyAssertion(
        credential: credential.bytes, clientData: clientData.bytes, authenticatorData: authenticatorData.bytes,
        signature: signature.bytes, user: user?.bytes)
    }
  }

  struct Removed: ResultObject {
    var removed: Int
    static let notes: [String: JSONValue] = ["removed": ["minimum": 0, "description": "Number of passkeys."]]
  }
}
