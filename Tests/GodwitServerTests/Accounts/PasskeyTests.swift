import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitAccess
@testable import GodwitAccounts
@testable import GodwitServer
@testable import GodwitStore

@Suite("Passkeys")
struct PasskeyTests {
  private typealias Faults = TestAuthenticator.Faults
  private static let now = Date(timeIntervalSince1970: 1_795_000_000)

  // MARK: Encodings

  @Test(
    "the examples of RFC 8949, appendix A, are decoded",
    arguments: [
      ([0x00], .unsigned(0)), ([0x17], .unsigned(23)), ([0x18, 0x18], .unsigned(24)), ([0x19, 0x03, 0xE8], .unsigned(1000)),
      ([0x1B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .unsigned(.max)), ([0x20], .negative(0)),
      ([0x3B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .negative(.max)), ([0xF4], .boolean(false)),
      ([0xF5], .boolean(true)), ([0xF6], .null), ([0xF9, 0x00, 0x00], .float), ([0x44, 1, 2, 3, 4], .bytes([1, 2, 3, 4])),
      ([0x62, 0xC3, 0xBC], .text("ü")), ([0x82, 0x01, 0x80], .array([.unsigned(1), .array([])])),
      ([0xA1, 0x61, 0x61, 0x01], .map([.text("a"): .unsigned(1)])),
    ] as [([UInt8], CBORValue)])
  func cbor(_ bytes: [UInt8], _ value: CBORValue) throws { #expect(try CBORReader.value(of: bytes) == value) }

  @Test(
    "truncated, oversized, deeply nested, indefinite, tagged and ambiguous CBOR is rejected",
    arguments: [
      [], [0x18], [0x1B, 0, 0], [0x44, 1, 2, 3], [0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x00, 0x00],
      [0x9B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0xBB, 0x00, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], [0x9F, 0xFF],
      [0x5F, 0xFF], [0xC0, 0x00], [0xA2, 0x01, 0x01, 0x01, 0x02], [0x62, 0xFF, 0xFF], [0x1C], [0xF8, 0x20],
      [UInt8](repeating: 0x81, count: 1000), [UInt8](repeating: 0xA1, count: 1000),
    ] as [[UInt8]])
  func damagedCBOR(_ bytes: [UInt8]) { #expect(throws: CBORError.self) { try CBORReader.value(of: bytes) } }

  @Test("Base64 of URLs is written without padding and read strictly")
  func base64() {
    for (bytes, text) in [([], ""), ([0xFF], "_w"), ([0xFB, 0xEF], "--8"), ([1, 2, 3], "AQID")] as [([UInt8], String)] {
      #expect(Base64URL.encode(bytes) == text)
      #expect(Base64URL.decode(text) == bytes)
    }
    for wrong in ["A", "AQ==", "A+/A", "AQID ", "ÄQID", "AQIDA"] { #expect(Base64URL.decode(wrong) == nil, "\(wrong)") }
  }

  @Test(
    "the relying party is the host name of the request, never an IP address",
    arguments: [
      ("Godwit.example", "godwit.example", ["https://godwit.example"]),
      ("godwit.example:8443", "godwit.example", ["https://godwit.example:8443"]),
      ("godwit.example:443", "godwit.example", ["https://godwit.example"]),
      ("localhost:8080", "localhost", ["https://localhost:8080", "http://localhost:8080"]), ("127.0.0.1:8080", nil, []),
      ("[::1]:8080", nil, []), ("", nil, []), ("a..b", nil, []), ("a b", nil, []), ("1.2.3", nil, []), ("name:99999", nil, []),
      (nil, nil, []),
    ] as [(String?, String?, [String])])
  func party(_ header: String?, _ host: String?, _ origins: [String]) {
    #expect(RelyingParty(host: header)?.host == host)
    #expect(RelyingParty(host: header)?.origins ?? [] == origins)
  }

  // MARK: Signatures of another implementation

  private static func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

  private static func registration(_ vector: PasskeyVector) throws -> PasskeyRegistration {
    PasskeyRegistration(clientData: try bytes(vector.createdClientData), attestation: try bytes(vector.attestation))
  }

  private static func assertion(_ vector: PasskeyVector) throws -> PasskeyAssertion {
    PasskeyAssertion(
      credential: try bytes(vector.credential), clientData: try bytes(vector.clientData),
      authenticatorData: try bytes(vector.authenticatorData), signature: try bytes(vector.signature))
  }

  private static var party: RelyingParty {
    get throws { try #require(RelyingParty(host: "godwit.example:8443")) }
  }

  @Test("passkeys of another implementation are accepted", arguments: PasskeyVector.all)
  func vectors(_ vector: PasskeyVector) throws {
    let (registration, assertion, party) = (try Self.registration(vector), try Self.assertion(vector), try Self.party)
    let made = try registration.checked(challenge: try #require(registration.challenge), party: party)
    #expect(made.credential.id == assertion.credential && made.isSynced && made.signatures == 0)
    let challenge = try #require(assertion.challenge)
    #expect(try assertion.checked(challenge: challenge, party: party, key: made.credential.key).signatures == 7)
    // Rejected: another key, another challenge, another host.
    let other = try #require(PasskeyVector.all.first { $0.algorithm != vector.algorithm })
    let otherKey = try Self.registration(other)
    let otherMade = try otherKey.checked(challenge: try #require(otherKey.challenge), party: party)
    #expect(throws: PasskeyError.wrongSignature) {
      try assertion.checked(challenge: challenge, party: party, key: otherMade.credential.key)
    }
    #expect(throws: PasskeyError.otherRequest) {
      try assertion.checked(challenge: [UInt8](repeating: 0, count: 32), party: party, key: made.credential.key)
    }
    let elsewhere = try #require(RelyingParty(host: "godwit.example"))
    #expect(throws: PasskeyError.self) { try assertion.checked(challenge: challenge, party: elsewhere, key: made.credential.key) }
  }

  @Test("damaged bytes of a passkey never crash, and a changed signed byte is never accepted", arguments: PasskeyVector.all)
  func damaged(_ vector: PasskeyVector) throws {
    let (registration, assertion, party) = (try Self.registration(vector), try Self.assertion(vector), try Self.party)
    let challenges = (try #require(registration.challenge), try #require(assertion.challenge))
    let key = try registration.checked(challenge: challenges.0, party: party).credential.key
    for place in registration.attestation.indices {
      for change in [0x01, 0x80, 0xFF] as [UInt8] {
        var bytes = registration.attestation
        bytes[place] ^= change
        let damaged = PasskeyRegistration(clientData: registration.clientData, attestation: bytes)
        guard let made = try? damaged.checked(challenge: challenges.0, party: party) else { continue }
        // If the damage changes the key, signatures of the original key are rejected.
        if made.credential.key != key {
          #expect(throws: PasskeyError.self) {
            try assertion.checked(challenge: challenges.1, party: party, key: made.credential.key)
          }
        }
      }
      let short = PasskeyRegistration(
        clientData: registration.clientData, attestation: Array(registration.attestation[..<place]))
      #expect(throws: PasskeyError.self) { try short.checked(challenge: challenges.0, party: party) }
    }
    for (part, count) in [assertion.clientData, assertion.authenticatorData, assertion.signature].map(\.count).enumerated() {
      for place in 0..<count {
        var parts = [assertion.clientData, assertion.authenticatorData, assertion.signature]
        parts[part][place] ^= 0x01
        let damaged = PasskeyAssertion(
          credential: assertion.credential, clientData: parts[0], authenticatorData: parts[1], signature: parts[2])
        #expect(throws: PasskeyError.self) { try damaged.checked(challenge: challenges.1, party: party, key: key) }
      }
    }
  }

  @Test("an RSA key that is too short, too long or even is rejected")
  func weakRSA() {
    let odd = [UInt8](repeating: 0xFF, count: 256)
    #expect(SignatureKey.rsa(modulus: [0] + odd, exponent: [1, 0, 1]) != nil)
    for (modulus, exponent) in [
      (Array(odd.dropLast()), [1, 0, 1]), ([UInt8](repeating: 0xFF, count: 1025), [1, 0, 1]),
      (Array(odd.dropLast()) + [0xFE], [1, 0, 1]), (odd, [1]), (odd, [2]), (odd, []), (odd, [1, 0, 0, 0, 1]), ([], [3]),
    ] as [([UInt8], [UInt8])] { #expect(SignatureKey.rsa(modulus: modulus, exponent: exponent) == nil) }
    // An invalid modulus verifies no signature.
    #expect(SignatureKey.rsa(modulus: odd, exponent: [3])?.isValid(odd, of: [1]) == false)
    #expect(SignatureKey.p256(x: [UInt8](repeating: 1, count: 32), y: odd) == nil)
    let offCurve = SignatureKey.p256(x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 1, count: 32))
    #expect(offCurve?.isValid([0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01], of: [1]) == false)
    #expect(offCurve?.isValid([UInt8](repeating: 0, count: 64), of: [1], ecdsa: .raw) == false)
  }

  // MARK: Routes

  private static let host = ["Host": "godwit.example"]

  /// Registers a passkey over the API.
  private static func register(
    _ authenticator: inout TestAuthenticator, _ server: AccountServer, _ caller: AccountServer.Caller, name: String = "Key"
  ) throws -> Response {
    let options = server.send("POST", "/api/v1/passkeys/options", as: caller, headers: host)
    #expect(options.status == 200, "\(options.text)")
    authenticator.handle = try bytes(try #require(options.object["user_id"] as? String))
    let challenge = try #require(options.object["challenge"] as? String)
    return server.send(
      "POST", "/api/v1/passkeys", as: caller, body: authenticator.registration(challenge, name: name), headers: host)
  }

  private static func challenge(_ server: AccountServer, _ path: String, _ caller: AccountServer.Caller = .anonymous) throws
    -> String
  {
    let options = server.send("POST", "\(path)/options", as: caller, headers: host)
    return try #require(options.object["challenge"] as? String, "\(options.text)")
  }

  @Test("a passkey is added, renamed, listed, used instead of the password, and removed", arguments: StoreKind.tested)
  func life(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let (anna, ben) = (try await server.user("anna"), try await server.user("ben"))
      let (annas, bens) = (try await server.session(of: anna), try await server.session(of: ben))
      var (key, other) = (TestAuthenticator(), TestAuthenticator())
      let added = try Self.register(&key, server, annas, name: "Yellow")
      #expect(added.status == 201 && added.object["name"] as? String == "Yellow", "\(added.text)")
      #expect(added.object["host"] as? String == "godwit.example" && added.object["used"] is NSNull)
      #expect(try Self.register(&other, server, annas, name: "Blue").status == 201)
      #expect(try Self.register(&key, server, annas).status == 409, "the same credential")
      let options = server.send("POST", "/api/v1/passkeys/options", as: annas, headers: Self.host)
      #expect((options.object["exclude"] as? [String])?.count == 2)
      #expect(options.object["algorithms"] as? [Int] == [-7, -8, -257])
      let id = try #require(added.object["id"] as? String)
      #expect(server.send("PUT", "/api/v1/passkeys/\(id)", as: bens, body: #"{"name":"Mine"}"#).status == 404)
      #expect(server.send("DELETE", "/api/v1/passkeys/\(id)", as: bens).status == 404)
      #expect(server.send("PUT", "/api/v1/passkeys/\(id)", as: annas, body: #"{"name":""}"#).status == 422)
      #expect(server.send("PUT", "/api/v1/passkeys/\(id)", as: annas, body: #"{"name":"Green"}"#).status == 200)
      #expect(
        server.send("GET", "/api/v1/passkeys", as: annas).list("passkeys").map { $0["name"] as? String } == ["Green", "Blue"])
      #expect(server.send("GET", "/api/v1/passkeys", as: bens).list("passkeys").isEmpty)

      // No second factor is required: the authenticator has verified the user.
      try await server.run(
        "INSERT INTO second_factors (account, secret, created, enrolled, last_step) VALUES (?, ?, 0, 0, 0)",
        [.integer(anna.id), .blob(TOTP().secret)])
      let challenge = try Self.challenge(server, "/api/v1/session/passkey")
      let body = key.assertion(challenge)
      let signedIn = server.send("POST", "/api/v1/session/passkey", body: body, headers: Self.host)
      #expect(signedIn.status == 200, "\(signedIn.text)")
      #expect((signedIn.object["user"] as? [String: Any])?["name"] as? String == "anna")
      let browser = AccountServer.Caller.browser(try #require(signedIn.session))
      #expect(server.send("GET", "/api/v1/session", as: browser).object["confirmed_until"] is String)
      #expect(server.send("POST", "/api/v1/session/passkey", body: body, headers: Self.host).status == 401, "once only")
      #expect(try server.log().first { $0.action == "sign-in" }?.subject == "with a passkey, from a new browser")
      #expect(server.send("GET", "/api/v1/passkeys", as: annas).list("passkeys").first?["used"] is String)

      #expect(server.send("DELETE", "/api/v1/passkeys/\(id)", as: annas).status == 200)
      let late = key.assertion(try Self.challenge(server, "/api/v1/session/passkey"))
      #expect(server.send("POST", "/api/v1/session/passkey", body: late, headers: Self.host).status == 401)
      let types = server.send("GET", "/api/v1/notices", as: annas).list("notices").compactMap { $0["type"] as? String }
      #expect(
        types == ["account.passkey_removed", "account.signed_in", "account.passkey_added", "account.passkey_added"], "\(types)")
    }
  }

  /// Faults of responses that the server rejects.
  private static let wrong: [(name: String, faults: Faults)] = [
    ("of a registration", Faults(type: "webauthn.create")), ("of another page", Faults(origin: "https://evil.example")),
    ("without TLS", Faults(origin: "http://godwit.example")), ("of another port", Faults(origin: "https://godwit.example:444")),
    ("in a frame", Faults(isCrossOrigin: true)), ("for another host", Faults(host: "evil.example")),
    ("without verification", Faults(flags: 0x01)), ("without presence", Faults(flags: 0x04)),
    ("forged", Faults(signsOther: true)),
    ("of another user", Faults(handle: [1, 2, 3])),
  ]

  @Test("a response with any single fault does not sign in, and its challenge cannot be used again")
  func rejected() async throws {
    try await AccountServer.with { server in
      let anna = try await server.user("anna")
      let annas = try await server.session(of: anna)
      var key = TestAuthenticator()
      #expect(try Self.register(&key, server, annas).status == 201)
      for (name, faults) in Self.wrong {
        let challenge = try Self.challenge(server, "/api/v1/session/passkey")
        let wrong = server.send(
          "POST", "/api/v1/session/passkey", body: key.assertion(challenge, faults), headers: Self.host)
        #expect(wrong.status == 401 && wrong.object["type"] as? String == "/api#passkey-not-accepted", "\(name): \(wrong.text)")
        let again = server.send("POST", "/api/v1/session/passkey", body: key.assertion(challenge), headers: Self.host)
        #expect(again.status == 401, "\(name)")
      }
      #expect(try server.log().contains { $0.action == "sign-in failed" && $0.subject == "wrong passkey" })
      #expect(try !server.log().contains { $0.action == "sign-in" })
      // Rejected challenges: for another purpose, invented, expired, and used with another host name.
      let confirming = try Self.challenge(server, "/api/v1/session/confirmation/passkey", annas)
      let invented = Base64URL.encode([UInt8](repeating: 7, count: 32))
      for challenge in [confirming, invented] {
        #expect(
          server.send("POST", "/api/v1/session/passkey", body: key.assertion(challenge), headers: Self.host).status == 401)
      }
      let old = try Self.challenge(server, "/api/v1/session/passkey")
      try await server.run("UPDATE sign_in_challenges SET created = created - 300001", [])
      #expect(server.send("POST", "/api/v1/session/passkey", body: key.assertion(old), headers: Self.host).status == 401)
      let elsewhere = try Self.challenge(server, "/api/v1/session/passkey")
      let moved = key.assertion(elsewhere, Faults(origin: "https://other.example", host: "other.example"))
      #expect(server.send("POST", "/api/v1/session/passkey", body: moved, headers: ["Host": "other.example"]).status == 401)
      #expect(server.send("POST", "/api/v1/passkeys/options", as: annas, headers: ["Host": "192.0.2.7:8080"]).status == 400)
      for body in ["{}", #"{"credential":"?"}"#, "[]", ""] {
        #expect((400...422).contains(server.send("POST", "/api/v1/session/passkey", body: body, headers: Self.host).status))
      }
    }
  }

  @Test("a decreasing signature counter is rejected and notified; an authenticator without a counter is accepted")
  func counts() async throws {
    try await AccountServer.with { server in
      let anna = try await server.user("anna")
      let annas = try await server.session(of: anna)
      var (counting, silent) = (TestAuthenticator(), TestAuthenticator())
      #expect(try Self.register(&counting, server, annas, name: "Counting").status == 201)
      #expect(try Self.register(&silent, server, annas, name: "Silent").status == 201)
      func signIn(_ authenticator: inout TestAuthenticator) throws -> Int {
        let challenge = try Self.challenge(server, "/api/v1/session/passkey")
        return server.send(
          "POST", "/api/v1/session/passkey", body: authenticator.assertion(challenge), headers: Self.host
        ).status
      }
      var copy = counting
      #expect(try signIn(&counting) == 200)
      #expect(try signIn(&counting) == 200)
      #expect(try signIn(&copy) == 401, "the copy's counter is lower")
      let notices = server.send("GET", "/api/v1/notices", as: annas).list("notices")
      #expect(notices.contains { $0["type"] as? String == "account.passkey_rejected" && $0["detail"] as? String == "Counting" })
      silent.counts = false
      #expect(try signIn(&silent) == 200)
      #expect(try signIn(&silent) == 200)
    }
  }

  @Test("a passkey confirms only the session that requested it", arguments: StoreKind.tested)
  func confirming(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let (anna, ben) = (try await server.user("anna"), try await server.user("ben"))
      let (here, there, bens) = (
        try await server.session(of: anna), try await server.session(of: anna), try await server.session(of: ben)
      )
      var (key, bensKey) = (TestAuthenticator(), TestAuthenticator())
      #expect(try Self.register(&key, server, here).status == 201)
      #expect(try Self.register(&bensKey, server, bens).status == 201)
      try await server.run("UPDATE sessions SET confirmed = NULL", [])
      server.server.pipeline.admission.access.invalidate()
      let path = "/api/v1/session/confirmation/passkey"
      let make = #"{"name":"grafana"}"#
      #expect(server.send("POST", "/api/v1/passkeys/options", as: here, headers: Self.host).status == 403)
      #expect(server.send("POST", "/api/v1/tokens", as: here, body: make).status == 403)
      func confirm(_ body: String, as caller: AccountServer.Caller) -> Response {
        server.send("POST", path, as: caller, body: body, headers: Self.host)
      }
      #expect(confirm(key.assertion(try Self.challenge(server, path, here)), as: there).status == 422, "of another session")
      #expect(confirm(bensKey.assertion(try Self.challenge(server, path, here)), as: here).status == 422, "of another user")
      #expect(confirm(key.assertion(try Self.challenge(server, "/api/v1/session/passkey")), as: here).status == 422)
      let done = confirm(key.assertion(try Self.challenge(server, path, here)), as: here)
      #expect(done.status == 200 && done.object["confirmed_until"] is String, "\(done.text)")
      #expect(server.send("POST", "/api/v1/tokens", as: here, body: make).status == 201)
      #expect(server.send("POST", "/api/v1/tokens", as: there, body: make).status == 403)
      // The user has no passkey for another host name.
      #expect(server.send("POST", "\(path)/options", as: here, headers: ["Host": "other.example"]).status == 404)
      let program = try await server.token(.admin, of: anna)
      #expect(server.send("POST", "\(path)/options", as: program, headers: Self.host).status == 400)
    }
  }

  @Test("an administrator removes the passkeys of a user, and they are deleted with the user")
  func administration() async throws {
    try await AccountServer.with { server in
      let (root, anna) = (try await server.user("root", .admin), try await server.user("anna"))
      let (admin, annas) = (try await server.session(of: root), try await server.session(of: anna))
      var (first, second) = (TestAuthenticator(), TestAuthenticator())
      #expect(try Self.register(&first, server, annas).status == 201)
      #expect(try Self.register(&second, server, annas).status == 201)
      func count() -> Int? {
        server.send("GET", "/api/v1/users", as: admin).list("users").first { $0["name"] as? String == "anna" }?["passkeys"]
          as? Int
      }
      #expect(count() == 2)
      let removed = server.send("DELETE", "/api/v1/users/anna/passkeys", as: admin)
      #expect(removed.status == 200 && removed.object["removed"] as? Int == 2)
      #expect(count() == 0)
      #expect(server.send("DELETE", "/api/v1/users/anna/passkeys", as: admin).status == 404)
      #expect(server.send("DELETE", "/api/v1/users/nothing/passkeys", as: admin).status == 404)
      #expect(try Self.register(&first, server, annas).status == 201)
      #expect(server.send("DELETE", "/api/v1/users/anna?data=keep", as: admin).status == 200)
      #expect(try server.server.store.read { try $0.integer("SELECT count(*) FROM passkeys") } == 0)
    }
  }

  @Test("the number of open challenges is limited", arguments: StoreKind.tested)
  func challenges(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let first = try await server.server.store.write {
        try SignInChallenge.make(for: .passkeySignIn, session: nil, at: Self.now, $0)
      }
      let (used, left) = try await server.server.store.write { db in
        for seconds in [0.0, 299, 301] {
          _ = try SignInChallenge.make(for: .passkeySignIn, session: nil, at: Self.now + seconds, db)
        }
        return (
          try SignInChallenge.use(first, for: .passkeySignIn, session: nil, at: Self.now, db),
          try db.integer("SELECT count(*) FROM sign_in_challenges")
        )
      }
      #expect(!used && left == 2)
      let kept = try await server.server.store.write { db -> Int64? in
        for _ in 0..<9 { _ = try SignInChallenge.make(for: .passkeySignIn, session: nil, at: Self.now, maximum: 4, db) }
        return try db.integer("SELECT count(*) FROM sign_in_challenges")
      }
      #expect(kept == 4)
    }
  }
}
