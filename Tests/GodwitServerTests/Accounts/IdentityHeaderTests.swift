import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitAccess
@testable import GodwitAccounts
@testable import GodwitHTTP
@testable import GodwitServer

@Suite("Identity from a proxy's header")
struct IdentityHeaderTests {
  private static func with(
    on kind: StoreKind = .sqlite, creates: Bool = false, trusted: [String] = ["127.0.0.1"],
    _ body: (AccountServer) async throws -> Void
  ) async throws {
    let ranges = trusted.compactMap { AddressRange($0) }
    try await AccountServer.with(
      on: kind,
      configure: { configuration in
        configuration.trustedProxies = TrustedProxies(ranges)
        configuration.identityHeader = IdentityHeader("Remote-User")
        configuration.identityHeader?.createsUsers = creates
      }, body)
  }

  private static func caller(_ name: String, _ more: [String: String] = [:]) -> AccountServer.Caller {
    AccountServer.Caller(headers: ["Remote-User": name].merging(more) { $1 })
  }

  private static func user(_ server: AccountServer, _ caller: AccountServer.Caller) -> String? {
    (server.send("GET", "/api/v1/session", as: caller).object["user"] as? [String: Any])?["name"] as? String
  }

  @Test("a trusted proxy names an existing user, and an unknown one is rejected", arguments: StoreKind.tested)
  func named(_ kind: StoreKind) async throws {
    try await Self.with(on: kind) { server in
      let users = try await TestUsers(server)
      #expect(Self.user(server, Self.caller("anna")) == "anna")
      #expect(Self.user(server, Self.caller("ANNA ")) == "anna")
      let devices = server.send("GET", "/api/v1/devices", as: Self.caller("anna")).list("devices")
      #expect(devices.compactMap { $0["name"] as? String }.sorted() == ["annas-phone", "annas-watch"])
      #expect(server.send("GET", "/api/v1/users", as: Self.caller("anna")).status == 403)
      #expect(server.send("GET", "/api/v1/users", as: Self.caller("root")).status == 200)
      let unknown = server.send("GET", "/api/v1/session", as: Self.caller("cleo"))
      #expect(unknown.status == 403 && unknown.text.contains("cleo"), "\(unknown.text)")
      for bad in ["the owner,anna", "anna,ben", "/", String(repeating: "a", count: 65)] {
        #expect(server.send("GET", "/api/v1/session", as: Self.caller(bad)).status == 403, "\(bad)")
      }
      // An empty header names no user; the session is used.
      #expect(server.send("GET", "/api/v1/session", as: Self.caller("")).status == 401)
      let bens = try await server.session(of: users.ben)
      #expect(Self.user(server, Self.caller("", bens.headers)) == "ben")
      #expect(Self.user(server, Self.caller("anna", bens.headers)) == "anna", "the header has precedence over the session")
      // A token identifies its own user.
      let program = try await server.token(.read, of: users.ben)
      #expect(Self.user(server, Self.caller("anna", program.headers)) == "ben")
      #expect(server.send("GET", "/api/v1/session", as: Self.caller("anna", ["Authorization": "Bearer gw_wrong"])).status == 401)
      // The key of the cached user is not a token.
      #expect(server.send("GET", "/api/v1/session", as: .bearing("anna")).status == 401)
    }
  }

  @Test("the header has no effect from other clients, or without the option")
  func untrusted() async throws {
    try await Self.with(trusted: ["192.0.2.1"]) { server in
      let anna = try await server.user("anna", .admin)
      #expect(server.send("GET", "/api/v1/session", as: Self.caller("anna")).status == 401)
      // A client that puts the proxy's address in a header is not trusted.
      let forged = Self.caller("anna", ["X-Forwarded-For": "192.0.2.1"])
      #expect(server.send("GET", "/api/v1/session", as: forged).status == 401)
      #expect(
        server.send("GET", "/api/v1/session", as: Self.caller("anna", try await server.session(of: anna).headers)).status == 200)
    }
    try await AccountServer.with { server in
      try await server.user("anna", .admin)
      #expect(server.send("GET", "/api/v1/session", as: Self.caller("anna")).status == 401)
    }
  }

  @Test("a page of another origin cannot change data although the proxy names the user; the server's own page can")
  func pages() async throws {
    try await Self.with { server in
      try await server.user("anna")
      let body = #"{"name":"grafana"}"#
      func make(_ headers: [String: String]) -> Int {
        server.send("POST", "/api/v1/tokens", as: Self.caller("anna", headers), body: body).status
      }
      #expect(make([:]) == 403)
      let crossSite = server.send("POST", "/api/v1/tokens", as: Self.caller("anna", ["Sec-Fetch-Site": "cross-site"]), body: body)
      #expect(crossSite.status == 403 && crossSite.text.contains("programs that send an access token"), "\(crossSite.text)")
      #expect(make(["Sec-Fetch-Site": "same-origin"]) == 201)
      #expect(
        server.send(
          "POST", "/api/v1/session/confirmation", as: Self.caller("anna", ["Sec-Fetch-Site": "same-origin"]),
          body: #"{"password":"\#(AccountServer.password)"}"#
        ).status == 400)
    }
  }

  @Test(
    "an unknown name becomes a member if configured, never an administrator, and has no password",
    arguments: StoreKind.tested)
  func creating(_ kind: StoreKind) async throws {
    try await Self.with(on: kind, creates: true) { server in
      #expect(Self.user(server, Self.caller("cleo")) == "cleo")
      #expect(Self.user(server, Self.caller("cleo")) == "cleo")
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      let users = server.send("GET", "/api/v1/users", as: administrator).list("users")
      #expect(users.map { $0["role"] as? String } == ["member"])
      #expect(server.signIn("cleo", "").status == 401)
      let lines = try server.log().filter { $0.action == "user add" }
      #expect(lines.count == 1 && lines.first?.actor == "the proxy" && lines.first?.subject == "cleo")
    }
  }

  @Test("a removed user has no access through the proxy either")
  func removed() async throws {
    try await Self.with { server in
      let anna = try await server.user("anna")
      #expect(Self.user(server, Self.caller("anna")) == "anna")
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      #expect(server.send("DELETE", "/api/v1/users/anna?data=keep", as: administrator).status == 200)
      #expect(server.send("GET", "/api/v1/session", as: Self.caller("anna")).status == 403)
      #expect(server.server.pipeline.admission.access.current(Principal(identity: .proxied(anna), accessLevels: [:])) == nil)
    }
  }

  @Test(
    "a header name consists of letters, digits and hyphens, and any other is rejected",
    arguments: [
      ("Remote-User", true), ("X-Forwarded-User", true), ("", false), ("Remote User", false), ("Remote_User", false),
      ("cookie", false), ("Authorization", false), ("Host", false), ("X-Forwarded-For", false),
    ])
  func names(_ name: String, _ isGood: Bool) { #expect((IdentityHeader(name) != nil) == isGood) }
}
