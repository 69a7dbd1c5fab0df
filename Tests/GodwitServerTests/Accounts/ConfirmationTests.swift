import Foundation
import GodwitModel
import GodwitSecrets
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitAccess
@testable import GodwitAccounts
@testable import GodwitServer
@testable import GodwitStore

@Suite("Confirmation before sensitive actions")
struct ConfirmationTests {
  private static let now = Date(timeIntervalSince1970: 1_795_000_000)

  @Test(
    "a confirmation expires after ten minutes, even if the clock is set back",
    arguments: [(0, true), (599, true), (600, false), (86400, false), (-599, true), (-86400, false)] as [(Double, Bool)])
  func lifetime(_ seconds: Double, _ holds: Bool) {
    #expect(SessionConfirmation.holds(Self.now, at: Self.now + seconds) == holds)
    #expect(SessionConfirmation.end(Self.now, at: Self.now + seconds) == (holds ? Self.now + 600 : nil))
    #expect(!SessionConfirmation.holds(nil, at: Self.now))
  }

  /// Requests to all routes that need a confirmation. With a confirmation they still change nothing.
  private static let sensitive = [
    "POST /api/v1/tokens", "POST /api/v1/devices", "POST /api/v1/users", "PUT /api/v1/users/nothing",
    "DELETE /api/v1/users/nothing",
    "POST /api/v1/password", "POST /api/v1/webhooks", "PUT /api/v1/webhooks/whk_7", "DELETE /api/v1/users/nothing/second-factor",
    "POST /api/v1/passkeys", "POST /api/v1/passkeys/options", "DELETE /api/v1/passkeys/psk_7",
    "DELETE /api/v1/users/nothing/passkeys",
    "DELETE /api/v1/users/nothing/openid",
    "DELETE /api/v1/trash", "DELETE /api/v1/trash/ID",
    "DELETE /api/v1/devices/nothing",
    "DELETE /api/v1/devices/nothing/points?from=2026-01-01", "DELETE /api/v1/imports/imp_7",
    "DELETE /api/v1/users/nothing?data=keep",
    "POST /api/v1/zones/zon_7/apply", "PUT /api/v1/network", "PUT /api/v1/photos/server",
    "DELETE /api/v1/mirror/devices?source=nothing&number=1", "POST /api/v1/mirror/records",
    "PUT /api/v1/devices/nothing/retention", "POST /api/v1/devices/nothing/retention/run", "DELETE /api/v1/rejected",
    "DELETE /api/v1/rejected/ID", "POST /api/v1/links",
  ]

  /// The problem kind of the response to a request; "" if there is none.
  private static func kind(_ server: AccountServer, _ request: String, _ caller: AccountServer.Caller) -> String {
    let parts = request.split(separator: " ").map(String.init)
    let response = server.send(parts[0], parts[1], as: caller)
    return (response.object["type"] as? String)?.replacing("/api#", with: "") ?? ""
  }

  @Test("every sensitive route is in the table and needs a recent confirmation with a session, and none with a token")
  func routes() async throws {
    try await AccountServer.with { server in
      let root = try await server.user("root", .admin)
      let browser = try await server.session(of: root)
      let program = try await server.token(.admin, of: root)
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      let wanted = Set(Self.sensitive.map { $0.replacing(/\?.*/, with: "") })
      let marked = Routes.table.filter { $0.confirmation != .never }.flatMap { route in
        let path = route.path.replacing("NAME", with: "nothing").replacing("imports/ID", with: "imports/imp_7")
          .replacing("zones/ID", with: "zones/zon_7").replacing("webhooks/ID", with: "webhooks/whk_7").replacing(
            "passkeys/ID", with: "passkeys/psk_7")
        return route.methods.map { "\($0) \(path)" }
      }
      #expect(wanted == Set(marked))
      for request in Self.sensitive {
        #expect(Self.kind(server, request, browser) != "confirmation-needed", "\(request)")
      }
      try await server.run("UPDATE sessions SET confirmed = confirmed - 600001", [])
      server.server.pipeline.admission.access.invalidate()
      for request in Self.sensitive {
        #expect(Self.kind(server, request, browser) == "confirmation-needed", "\(request)")
        #expect(Self.kind(server, request, program) != "confirmation-needed", "\(request)")
        #expect(!["confirmation-needed", "login-link-needed"].contains(Self.kind(server, request, administrator)), "\(request)")
      }
      // A session of a build that did not store confirmations.
      try await server.run("UPDATE sessions SET confirmed = NULL", [])
      server.server.pipeline.admission.access.invalidate()
      #expect(Self.kind(server, "POST /api/v1/tokens", browser) == "confirmation-needed")
      #expect(server.send("GET", "/api/v1/session", as: browser).object["confirmed_until"] is NSNull)
      // A dry run needs no confirmation.
      #expect(Self.kind(server, "DELETE /api/v1/users/nothing?data=keep&dry_run=true", browser) == "not-found")
      #expect(Self.kind(server, "DELETE /api/v1/users/nothing?data=keep&dry_run=1", browser) == "confirmation-needed")
      #expect(Self.kind(server, "POST /api/v1/tokens?dry_run=true", browser) == "confirmation-needed")
    }
  }

  @Test(
    "the right password confirms a session for ten minutes, and a wrong one counts as a failed sign-in",
    arguments: StoreKind.tested)
  func confirming(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let anna = try await server.user("anna")
      let (here, there) = (try await server.session(of: anna), try await server.session(of: anna))
      try await server.run("UPDATE sessions SET confirmed = NULL", [])
      func confirm(_ password: String, _ more: String = "") -> Response {
        server.send(
          "POST", "/api/v1/session/confirmation", as: here, body: #"{"password":"\#(password)"\#(more)}"#)
      }
      let make = #"{"name":"grafana"}"#
      #expect(server.send("POST", "/api/v1/tokens", as: here, body: make).status == 403)
      #expect(confirm("wrong password").object["type"] as? String == "/api#wrong-password")
      #expect(server.send("POST", "/api/v1/tokens", as: here, body: make).status == 403)
      let done = confirm(AccountServer.password)
      #expect(done.status == 200 && done.object["confirmed_until"] is String, "\(done.text)")
      #expect(server.send("POST", "/api/v1/tokens", as: here, body: make).status == 201)
      #expect(server.send("POST", "/api/v1/tokens", as: there, body: make).status == 403, "the other session is not confirmed")

      let totp = TOTP()
      try await server.run(
        "INSERT INTO second_factors (account, secret, created, enrolled, last_step) VALUES (?, ?, 0, 0, 0)",
        [.integer(anna.id), .blob(totp.secret)])
      #expect(confirm(AccountServer.password).object["type"] as? String == "/api#code-needed")
      #expect(confirm(AccountServer.password, #","code":"12345x""#).object["type"] as? String == "/api#wrong-code")
      let code = String(decoding: try totp.code(atStep: TOTP.step(at: Date())), as: UTF8.self)
      #expect(confirm(AccountServer.password, #","code":"\#(code)""#).status == 200)
      #expect(try server.log().contains { $0.action == "confirmation failed" && $0.subject == "wrong code" })

      for _ in 0..<5 { #expect(confirm("wrong password").status == 422) }
      // With twelve failures the delay is longer than this test.
      try await server.run("UPDATE sign_in_failures SET failures = failures + 7", [])
      #expect(confirm(AccountServer.password).status == 429)
      let token = try await server.token(.admin, of: anna)
      let body = #"{"password":"\#(AccountServer.password)"}"#
      #expect(server.send("POST", "/api/v1/session/confirmation", as: token, body: body).status == 400)
    }
  }

  @Test("a sign-in and a login link confirm the session; after ten minutes an administrator session needs another link")
  func beginnings() async throws {
    try await AccountServer.with { server in
      try await server.user("anna")
      let anna = AccountServer.Caller.browser(try #require(server.signIn("anna").session))
      #expect(server.send("POST", "/api/v1/tokens", as: anna, body: #"{"name":"grafana"}"#).status == 201)
      let sessions = server.server.administrator.login.sessions
      func administrator(_ seconds: Double) throws -> AccountServer.Caller {
        .administratorBrowser(
          try sessions.begin(address: "127.0.0.1", agent: "test", at: Date(timeIntervalSinceNow: seconds)).secret)
      }
      let ben = #"{"name":"ben","password":"long enough"}"#
      let old = server.send("POST", "/api/v1/users", as: try administrator(-601), body: ben)
      #expect(old.status == 403 && old.object["type"] as? String == "/api#login-link-needed")
      #expect(old.text.contains("godwit login"))
      #expect(server.send("GET", "/api/v1/users", as: try administrator(-601)).status == 200)
      let confirm = server.send(
        "POST", "/api/v1/session/confirmation", as: try administrator(-601), body: #"{"password":"long enough"}"#)
      #expect(confirm.status == 403 && confirm.object["type"] as? String == "/api#login-link-needed")
      // The administrator token in a cookie of an earlier version does not confirm a session.
      let cookie = AccountServer.Caller(
        headers: ["Cookie": "godwit_token=\(try server.administratorToken)", "Sec-Fetch-Site": "same-origin"])
      #expect(server.send("POST", "/api/v1/users", as: cookie, body: ben).status == 403)
      #expect(server.send("POST", "/api/v1/users", as: try administrator(-300), body: ben).status == 201)
    }
  }
}
