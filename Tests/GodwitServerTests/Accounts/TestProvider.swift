import CGnuTLS
import Foundation
import GodwitDigests
import Synchronization
import TestServer

@testable import GodwitAccounts

/// A signing key of a provider, for RS256 or ES256.
final class TestSigner: @unchecked Sendable {
  // GnuTLS synchronizes access to its keys; the properties do not change after `init`.
  private let key: gnutls_privkey_t
  let name: String
  let isRSA: Bool

  struct Failure: Error {
    let code: Int32
  }

  init(_ name: String, isRSA: Bool) throws {
    var key: gnutls_privkey_t?
    var code = gnutls_privkey_init(&key)
    guard code == 0, let key else { throw Failure(code: code) }
    self.key = key
    self.name = name
    self.isRSA = isRSA
    // GNUTLS_CURVE_TO_BITS: the highest bit marks a curve.
    let bits = isRSA ? 2048 : UInt32(1) << 31 | GNUTLS_ECC_CURVE_SECP256R1.rawValue
    code = gnutls_privkey_generate(key, isRSA ? GNUTLS_PK_RSA : GNUTLS_PK_ECDSA, bits, 0)
    guard code == 0 else { throw Failure(code: code) }
  }

  deinit { gnutls_privkey_deinit(key) }

  private static func bytes(_ datum: inout gnutls_datum_t) -> [UInt8] {
    defer {
      // GnuTLS allocates with `malloc` by default.
      free(datum.data)
      datum.data = nil
    }
    return Array(UnsafeBufferPointer(start: datum.data, count: Int(datum.size)))
  }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array(bytes.drop { $0 == 0 })
    return [UInt8](repeating: 0, count: max(0, 32 - digits.count)) + digits
  }

  /// The public key in a JWK set.
  func json() throws -> [String: String] {
    var (first, second) = (gnutls_datum_t(), gnutls_datum_t())
    if isRSA {
      let code = gnutls_privkey_export_rsa_raw2(key, &first, &second, nil, nil, nil, nil, nil, nil, 0)
      guard code == 0 else { throw Failure(code: code) }
      return [
        "kty": "RSA", "kid": name, "use": "sig", "alg": "RS256", "n": Base64URL.encode(Self.bytes(&first)),
        "e": Base64URL.encode(Self.bytes(&second)),
      ]
    }
    var curve = GNUTLS_ECC_CURVE_INVALID
    let code = gnutls_privkey_export_ecc_raw2(key, &curve, &first, &second, nil, 0)
    guard code == 0 else { throw Failure(code: code) }
    return [
      "kty": "EC", "kid": name, "crv": "P-256", "x": Base64URL.encode(Self.padded(Self.bytes(&first))),
      "y": Base64URL.encode(Self.padded(Self.bytes(&second))),
    ]
  }

  /// A signed JSON Web Token.
  /// - Parameter algorithm: the algorithm in the header; `nil` for the actual one.
  func token(_ claims: [String: Any], algorithm: String? = nil) throws -> String {
    let header = ["alg": algorithm ?? (isRSA ? "RS256" : "ES256"), "kid": name, "typ": "JWT"]
    let parts = try [header, claims].map { Base64URL.encode(Array(try JSONSerialization.data(withJSONObject: $0))) }
    let text = parts.joined(separator: ".")
    return text + "." + Base64URL.encode(try signature(of: Array(text.utf8)))
  }

  private func signature(of message: [UInt8]) throws -> [UInt8] {
    var (message, signature) = (message, gnutls_datum_t())
    var code = message.withUnsafeMutableBufferPointer { buffer in
      var datum = gnutls_datum_t(data: buffer.baseAddress, size: UInt32(buffer.count))
      return gnutls_privkey_sign_data2(
        key, isRSA ? GNUTLS_SIGN_RSA_SHA256 : GNUTLS_SIGN_ECDSA_SHA256, 0, &datum, &signature)
    }
    guard code == 0 else { throw Failure(code: code) }
    if isRSA { return Self.bytes(&signature) }
    var (r, s) = (gnutls_datum_t(), gnutls_datum_t())
    code = gnutls_decode_rs_value(&signature, &r, &s)
    _ = Self.bytes(&signature)
    guard code == 0 else { throw Failure(code: code) }
    return Self.padded(Self.bytes(&r)) + Self.padded(Self.bytes(&s))
  }
}

/// A small OpenID provider on a free port, with one user.
final class TestProvider: Sendable {
  /// The responses of the provider and their faults.
  struct Behaviour: Sendable {
    var claims: [String: String] = ["sub": "u-1", "preferred_username": "anna"]
    /// Claims of the token with wrong values; an empty text removes the claim.
    var faults: [String: String] = [:]
    var isEmailVerified = false
    var expires: TimeInterval = 300
    var issued: TimeInterval = 0
    var authenticated: TimeInterval?
    /// Whether claims other than the subject are only in the userinfo response.
    var keepsClaims = false
    var userinfoSubject: String?
    var signer = 0
    /// The indices of the published keys.
    var named = [0, 1]
    var algorithm: String?
    var issuer: String?
    var tokenStatus = "200 OK"
    var token: String?
    var methods: [String]? = ["client_secret_basic"]
  }

  static let secret = "s3cr€t :+"
  private let state: Shared
  private let server: LocalServer

  private struct State: Sendable {
    var behaviour = Behaviour()
    /// The authorization parameters of pending sign-ins, by code.
    var begun: [String: [String: String]] = [:]
    var address = ""
  }

  private final class Shared: Sendable {
    let value = Mutex(State())
  }

  let signers: [TestSigner]

  init() throws {
    let signers = [try TestSigner("rsa", isRSA: true), try TestSigner("ec", isRSA: false), try TestSigner("new", isRSA: true)]
    self.signers = signers
    let state = Shared()
    self.state = state
    server = try LocalServer { request, connection in
      let (status, body) = Self.response(request, state, signers)
      connection.respond(status, headers: ["Content-Type": "application/json"], body: body)
    }
    let port = server.port
    state.value.withLock { $0.address = "http://127.0.0.1:\(port)/realm" }
  }

  var issuer: String { state.value.withLock { $0.address } }
  var requests: [LocalServer.Request] { server.requests }

  func behave(_ change: (inout Behaviour) -> Void) {
    state.value.withLock { state in
      var behaviour = Behaviour()
      change(&behaviour)
      state.behaviour = behaviour
    }
  }

  /// Signs in at the provider, as a browser does.
  /// - Returns: the redirect address and its parameters.
  func visit(_ address: String) throws -> (redirect: String, code: String, state: String) {
    let items = URLComponents(string: address)?.queryItems ?? []
    let parameters = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
    let code = "code-\(UUID().uuidString)"
    state.value.withLock { $0.begun[code] = parameters }
    return (parameters["redirect_uri"] ?? "", code, parameters["state"] ?? "")
  }

  /// The query parameters of an authorization address.
  func parameters(_ address: String) -> [String: String] {
    let items = URLComponents(string: address)?.queryItems ?? []
    return Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
  }

  private static func response(
    _ request: LocalServer.Request, _ state: Shared, _ signers: [TestSigner]
  ) -> (status: String, body: [UInt8]) {
    let (behaviour, address) = state.value.withLock { ($0.behaviour, $0.address) }
    func json(_ object: Any) -> [UInt8] { Array((try? JSONSerialization.data(withJSONObject: object)) ?? Data()) }
    switch request.target {
    case "/realm/.well-known/openid-configuration":
      var document: [String: Any] = [
        "issuer": behaviour.issuer ?? address, "authorization_endpoint": address + "/authorize",
        "token_endpoint": address + "/token", "jwks_uri": address + "/keys", "userinfo_endpoint": address + "/userinfo",
      ]
      document["token_endpoint_auth_methods_supported"] = behaviour.methods
      return ("200 OK", json(document))
    case "/realm/keys":
      let keys = behaviour.named.compactMap { try? signers[$0].json() as [String: String] }
      return ("200 OK", json(["keys": [["kty": "oct", "kid": "odd"]] + keys]))
    case "/realm/userinfo":
      guard request.headers["authorization"] == "Bearer access" else { return ("401 Unauthorized", json([:])) }
      var claims: [String: Any] = behaviour.claims
      claims["email_verified"] = behaviour.isEmailVerified
      if let subject = behaviour.userinfoSubject { claims["sub"] = subject }
      return ("200 OK", json(claims))
    case "/realm/token":
      guard behaviour.tokenStatus == "200 OK" else { return (behaviour.tokenStatus, json(["error": "invalid_client"])) }
      guard let token = token(request, behaviour, state, signers) else {
        return ("400 Bad Request", json(["error": "invalid_grant"]))
      }
      return ("200 OK", json(["id_token": behaviour.token ?? token, "access_token": "access", "token_type": "Bearer"]))
    default: return ("404 Not Found", [])
    }
  }

  /// The token for a code; `nil` unless client, code, redirect and verifier are right.
  private static func token(
    _ request: LocalServer.Request, _ behaviour: Behaviour, _ state: Shared, _ signers: [TestSigner]
  ) -> String? {
    let body = String(decoding: request.body, as: UTF8.self)
    let form = Dictionary(
      uniqueKeysWithValues: (URLComponents(string: "?" + body)?.queryItems ?? []).map { ($0.name, $0.value ?? "") })
    let basic = "Basic " + Data("godwit:s3cr%E2%82%ACt%20%3A%2B".utf8).base64EncodedString()
    let isClient =
      behaviour.methods?.contains("client_secret_basic") ?? true
      ? request.headers["authorization"] == basic : form["client_id"] == "godwit" && form["client_secret"] == secret
    guard isClient, form["grant_type"] == "authorization_code", let code = form["code"],
      let begun = state.value.withLock({ $0.begun.removeValue(forKey: code) }), form["redirect_uri"] == begun["redirect_uri"],
      begun["code_challenge_method"] == "S256",
      Base64URL.encode(SHA256Digest.of(Array((form["code_verifier"] ?? "").utf8))) == begun["code_challenge"]
    else { return nil }
    let now = Date().timeIntervalSince1970
    var claims: [String: Any] = behaviour.keepsClaims ? ["sub": behaviour.claims["sub"] ?? ""] : behaviour.claims
    claims["iss"] = state.value.withLock { $0.address }
    claims["aud"] = "godwit"
    claims["nonce"] = begun["nonce"]
    (claims["exp"], claims["iat"]) = (now + behaviour.expires, now + behaviour.issued)
    claims["email_verified"] = behaviour.isEmailVerified
    if let authenticated = behaviour.authenticated { claims["auth_time"] = now + authenticated }
    for (name, value) in behaviour.faults { claims[name] = value.isEmpty ? nil : value }
    return try? signers[behaviour.signer].token(claims, algorithm: behaviour.algorithm)
  }
}
