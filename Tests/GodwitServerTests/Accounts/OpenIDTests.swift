import Foundation
import GodwitModel
import TestClient
import TestServer
import Testing

@testable import GodwitAPI
@testable import GodwitAccess
@testable import GodwitAccounts
@testable import GodwitServer
@testable import GodwitStore

@Suite("Sign-in with an OpenID provider")
struct OpenIDTests {
  private static let host = ["Host": "godwit.example:8080"]

  /// Runs `body` with a server whose users sign in with a provider.
  private static func with(
    on kind: StoreKind = .sqlite, claim: String = "preferred_username", creates: Bool = false,
    _ body: (AccountServer, TestProvider) async throws -> Void
  ) async throws {
    let provider = try TestProvider()
    let issuer = provider.issuer
    let configure: (inout Server.Configuration) -> Void = { configuration in
      configuration.openID = OpenIDConfiguration(issuer: issuer, client: "godwit")
      configuration.openID?.secret = TestProvider.secret
      configuration.openID?.claim = claim
      configuration.openID?.createsUsers = creates
    }
    try await AccountServer.with(on: kind, configure: configure) { try await body($0, provider) }
  }

  private static func cookie(_ response: Response) -> String? {
    response.headers["set-cookie"]?.firstMatch(of: #/godwit_openid=([^;]+)/#).map { String($0.1) }
  }

  /// Begins a sign-in.
  private static func begin(_ server: AccountServer, _ body: String = "{}") throws -> (address: String, cookie: String) {
    let begun = server.send("POST", "/api/v1/session/openid/options", body: body, headers: host)
    #expect(begun.status == 200, "\(begun.text)")
    return (try #require(begun.object["address"] as? String), try #require(cookie(begun)))
  }

  private static func finish(_ server: AccountServer, code: String, state: String, cookie: String?) -> Response {
    server.send(
      "POST", "/api/v1/session/openid", body: #"{"code":"\#(code)","state":"\#(state)"}"#,
      headers: host.merging(cookie.map { ["Cookie": "godwit_openid=\($0)"] } ?? [:]) { $1 })
  }

  /// Signs in: begins, visits the provider and finishes.
  private static func signIn(_ server: AccountServer, _ provider: TestProvider) throws -> Response {
    let begun = try begin(server)
    let callback = try provider.visit(begun.address)
    #expect(callback.redirect == "http://godwit.example:8080/sign-in/openid")
    return finish(server, code: callback.code, state: callback.state, cookie: begun.cookie)
  }

  @Test(
    "a user signs in, is linked by the provider's subject, and stays linked when the provider changes the user name",
    arguments: StoreKind.tested)
  func life(_ kind: StoreKind) async throws {
    try await Self.with(on: kind) { server, provider in
      let root = try await server.user("root", .admin)
      try await server.user("anna")
      let admin = try await server.session(of: root)
      #expect(server.send("GET", "/api/v1/session/openid").object["name"] as? String == "127.0.0.1")
      let signedIn = try Self.signIn(server, provider)
      #expect(signedIn.status == 200, "\(signedIn.text)")
      #expect((signedIn.object["user"] as? [String: Any])?["name"] as? String == "anna")
      #expect(try server.log().first { $0.action == "sign-in" }?.subject == "with OpenID, from a new browser")
      let parameters = provider.parameters(try Self.begin(server).address)
      #expect(parameters["scope"] == "openid profile email" && parameters["response_type"] == "code")
      #expect(parameters["client_id"] == "godwit" && parameters["prompt"] == nil)

      // The provider renames the user, then gives the former name to another subject.
      provider.behave { $0.claims["preferred_username"] = "anna-2" }
      #expect((try Self.signIn(server, provider).object["user"] as? [String: Any])?["name"] as? String == "anna")
      provider.behave { $0.claims["sub"] = "u-2" }
      let other = try Self.signIn(server, provider)
      #expect(other.status == 401 && other.text.contains("linked to another identity"), "\(other.text)")
      let users = server.send("GET", "/api/v1/users", as: admin).list("users")
      #expect(users.map { $0["openid"] as? Bool } == [true, false])
      #expect(server.send("DELETE", "/api/v1/users/anna/openid", as: admin).object["removed"] as? Int == 1)
      #expect(server.send("DELETE", "/api/v1/users/anna/openid", as: admin).status == 404)
      #expect(try Self.signIn(server, provider).status == 200)
    }
  }

  /// Responses of the provider with one fault each, and a part of the message for it.
  private static let faults: [(message: String, change: @Sendable (inout TestProvider.Behaviour) -> Void)] = [
    ("another provider", { $0.faults["iss"] = "http://127.0.0.1:1/realm" }), ("another client", { $0.faults["aud"] = "other" }),
    ("another client", { $0.faults["azp"] = "other" }), ("not the answer to this sign-in", { $0.faults["nonce"] = "another" }),
    ("not the answer to this sign-in", { $0.faults["nonce"] = "" }), ("lacks iss, sub", { $0.faults["sub"] = "" }),
    ("has expired", { $0.expires = -61 }), ("a time to come", { $0.issued = 600 }), ("signature", { $0.signer = 2 }),
    ("signature", { $0.algorithm = "none" }), ("signature", { $0.algorithm = "HS256" }),
    ("signature", { $0.algorithm = "ES256" }),
    ("not a signed", { $0.token = "e30.e30" }), ("not a signed", { $0.token = "a.b.c!" }), ("not a signed", { $0.token = "" }),
    ("status 401", { $0.tokenStatus = "401 Unauthorized" }),
    ("not a user", { $0.claims = ["sub": "u-3", "preferred_username": "nobody"] }),
    ("does not say the claim", { $0.claims = ["sub": "u-3"] }),
    ("no user name", { $0.claims = ["sub": "u-3", "preferred_username": "<script>"] }),
    (
      "of another user",
      {
        $0.keepsClaims = true
        $0.userinfoSubject = "u-9"
      }
    ),
  ]

  @Test("a response with any single fault does not sign in", arguments: faults.indices)
  func rejected(_ index: Int) async throws {
    let fault = Self.faults[index]
    try await Self.with { server, provider in
      try await server.user("anna")
      provider.behave(fault.change)
      let rejection = try Self.signIn(server, provider)
      #expect([401, 503].contains(rejection.status) && rejection.session == nil, "\(rejection.text)")
      #expect(rejection.text.contains(fault.message), "\(rejection.text)")
      #expect(try server.log().contains { $0.action == "sign-in failed" })
      #expect(try server.server.store.read { try $0.integer("SELECT count(*) FROM sessions") } == 0)
    }
  }

  @Test("clocks may differ by a minute; both algorithms, a new key, and both authentication methods work")
  func accepted() async throws {
    try await Self.with { server, provider in
      try await server.user("anna")
      let changes: [@Sendable (inout TestProvider.Behaviour) -> Void] = [
        { $0.expires = -30 }, { $0.issued = 30 }, { $0.signer = 1 }, { $0.keepsClaims = true },
      ]
      for (index, change) in changes.enumerated() {
        provider.behave(change)
        let callback = try Self.signIn(server, provider)
        #expect(callback.status == 200, "\(index): \(callback.text)")
      }
    }
    for methods in [nil, ["client_secret_post"]] as [[String]?] {
      try await Self.with { server, provider in
        try await server.user("anna")
        provider.behave {
          $0.methods = methods
          $0.signer = 2
          $0.named = [1, 2]
        }
        let callback = try Self.signIn(server, provider)
        #expect(callback.status == 200, "\(callback.text)")
      }
    }
  }

  @Test("a response is valid once, in the browser that began the sign-in, and for five minutes")
  func states() async throws {
    try await Self.with { server, provider in
      try await server.user("anna")
      let (here, there) = (try Self.begin(server), try Self.begin(server))
      let callback = try provider.visit(here.address)
      #expect(Self.finish(server, code: callback.code, state: callback.state, cookie: there.cookie).status == 503)
      let again = try provider.visit(there.address)
      #expect(Self.finish(server, code: again.code, state: again.state, cookie: nil).status == 401)
      let fresh = try Self.begin(server)
      let right = try provider.visit(fresh.address)
      #expect(Self.finish(server, code: right.code, state: "invented", cookie: fresh.cookie).status == 401)
      #expect(Self.finish(server, code: right.code, state: right.state, cookie: fresh.cookie).status == 200)
      #expect(Self.finish(server, code: right.code, state: right.state, cookie: fresh.cookie).status == 401, "once")
      let old = try Self.begin(server)
      let late = try provider.visit(old.address)
      try await server.run("UPDATE sign_in_challenges SET created = created - 300001", [])
      #expect(Self.finish(server, code: late.code, state: late.state, cookie: old.cookie).status == 401)
      for body in ["{}", "[]", #"{"code":"","state":"x"}"#] {
        #expect((400...422).contains(server.send("POST", "/api/v1/session/openid", body: body, headers: Self.host).status))
      }
    }
  }

  @Test("users are created only if configured, as members, and an e-mail address must be verified")
  func creation() async throws {
    try await Self.with(claim: "email", creates: true) { server, provider in
      provider.behave { $0.claims = ["sub": "u-1", "email": "anna@example.org"] }
      #expect(try Self.signIn(server, provider).text.contains("must be verified"))
      provider.behave {
        $0.claims = ["sub": "u-1", "email": "anna@example.org"]
        $0.isEmailVerified = true
      }
      let callback = try Self.signIn(server, provider)
      #expect(callback.status == 200, "\(callback.text)")
      let user = callback.object["user"] as? [String: Any]
      #expect(user?["name"] as? String == "anna@example.org" && user?["role"] as? String == "member")
      #expect(try server.log().contains { $0.action == "user add" && $0.actor == "the OpenID provider" })
      // The created user has no password.
      #expect(server.signIn("anna@example.org", "").status == 401)
    }
  }

  @Test("a sign-in confirms the session only if the provider authenticated the user recently")
  func confirmation() async throws {
    try await Self.with { server, provider in
      try await server.user("anna")
      for (authenticated, isConfirmed) in [(nil, false), (-700, false), (-10, true), (55, true), (600, false)]
        as [(Double?, Bool)]
      {
        provider.behave { $0.authenticated = authenticated }
        let session = try #require(try Self.signIn(server, provider).session)
        let status = server.send("POST", "/api/v1/tokens", as: .browser(session), body: #"{"name":"grafana"}"#).status
        #expect(status == (isConfirmed ? 201 : 403), "\(String(describing: authenticated))")
      }
      let address = try Self.begin(server, #"{"again":true}"#).address
      #expect(provider.parameters(address)["prompt"] == "login" && provider.parameters(address)["max_age"] == "0")
    }
  }

  @Test("documents of the provider are cached, and those of another issuer are rejected")
  func documents() async throws {
    try await Self.with { server, provider in
      try await server.user("anna")
      for _ in 0..<3 { #expect(try Self.signIn(server, provider).status == 200) }
      #expect(provider.requests.map(\.target).filter { $0.hasSuffix("/keys") || $0.hasSuffix("configuration") }.count == 2)
    }
    try await Self.with { server, provider in
      provider.behave { $0.issuer = "https://evil.example" }
      let begun = server.send("POST", "/api/v1/session/openid/options", body: "{}", headers: Self.host)
      #expect(begun.status == 503 && begun.text.contains("is of the issuer https://evil.example"), "\(begun.text)")
    }
  }

  @Test("a server without a provider reports that OpenID is disabled")
  func none() async throws {
    try await AccountServer.with { server in
      #expect(server.send("GET", "/api/v1/session/openid").object["enabled"] as? Bool == false)
      #expect(server.send("POST", "/api/v1/session/openid/options", body: "{}", headers: Self.host).status == 404)
    }
  }

  @Test(
    "an issuer needs TLS unless it is on this machine",
    arguments: [
      ("https://auth.example.org", true), ("https://auth.example.org/realms/home", true), ("http://127.0.0.1:8080", true),
      ("http://localhost/x", true), ("http://auth.example.org", false), ("https://auth.example.org/?a=b", false),
      ("ftp://auth.example.org", false), ("auth.example.org", false), ("https://", false),
      ("https://user@auth.example.org", false),
    ])
  func issuers(_ issuer: String, _ isValid: Bool) {
    #expect((OpenIDConfiguration(issuer: issuer, client: "godwit") != nil) == isValid)
    #expect(OpenIDConfiguration(issuer: issuer, client: "") == nil)
  }
}
