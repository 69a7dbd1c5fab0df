import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitAccess
@testable import GodwitAccounts
@testable import GodwitGeofencing
@testable import GodwitServer
@testable import GodwitStore

@Suite("Notices of an account")
struct NoticeTests {
  private static let now = Date(timeIntervalSince1970: 1_795_000_000)

  private static func notices(_ server: AccountServer, _ caller: AccountServer.Caller) -> [[String: Any]] {
    server.send("GET", "/api/v1/notices", as: caller).list("notices")
  }

  @Test(
    "a sign-in from a new browser creates a notice until the user dismisses it, and one from a known browser creates none",
    arguments: StoreKind.tested)
  func signIns(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let (anna, ben) = (try await server.user("anna"), try await server.user("ben"))
      let (annas, bens) = (try await server.session(of: anna), try await server.session(of: ben))
      func signIn(_ browser: String? = nil) -> Response {
        server.signIn(
          "anna", headers: ["User-Agent": "Test/1", "Cookie": browser.map { "godwit_browser_\(anna.id)=\($0)" } ?? ""])
      }
      #expect(signIn().status == 200)
      let found = Self.notices(server, annas)
      #expect(found.map { $0["type"] as? String } == ["account.signed_in"])
      #expect(found.first?["detail"] as? String == "Test/1" && found.first?["address"] as? String == "127.0.0.1")
      #expect(try server.log().first { $0.action == "sign-in" }?.subject == "from a new browser")
      let kept = try #require(try server.server.store.read { try UserTable.password(of: anna.id, $0) })
      #expect(signIn(KnownBrowser().value(of: anna.id, kept: kept)).status == 200)
      #expect(Self.notices(server, annas).count == 1)
      #expect(signIn("forged.\(String(repeating: "0", count: 64))").status == 200)
      #expect(Self.notices(server, annas).count == 2)

      #expect(Self.notices(server, bens).isEmpty)
      let id = try #require(found.first?["id"] as? String)
      #expect(server.send("DELETE", "/api/v1/notices/\(id)", as: bens).status == 404)
      #expect(server.send("DELETE", "/api/v1/notices/\(id)", as: annas).status == 200)
      #expect(server.send("DELETE", "/api/v1/notices/\(id)", as: annas).status == 404)
      #expect(Self.notices(server, annas).count == 1)
      let page = server.send("GET", "/api/v1/notices?limit=1", as: annas)
      let cursor = try #require(page.object["next_cursor"] as? String)
      #expect(server.send("GET", "/api/v1/notices?cursor=\(cursor)", as: annas).list("notices").isEmpty)
      #expect(server.send("GET", "/api/v1/notices?cursor=7", as: annas).status == 400)
    }
  }

  @Test("new tokens, password changes and a removed second factor create notices for their user", arguments: StoreKind.tested)
  func changes(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let (root, anna) = (try await server.user("root", .admin), try await server.user("anna"))
      let (admin, browser) = (try await server.session(of: root), try await server.session(of: anna))
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      func enrol() async throws {
        try await server.run(
          "INSERT INTO second_factors (account, secret, created, enrolled, last_step) VALUES (?, ?, 0, 0, 0)",
          [.integer(anna.id), .blob(TOTP().secret)])
      }
      #expect(server.send("POST", "/api/v1/tokens", as: browser, body: #"{"name":"grafana"}"#).status == 201)
      #expect(server.send("POST", "/api/v1/devices", as: browser, body: #"{"name":"phone"}"#).status == 201)
      #expect(server.send("POST", "/api/v1/devices", as: admin, body: #"{"name":"phone"}"#).status == 201)
      #expect(server.send("POST", "/api/v1/tokens", as: administrator, body: #"{"name":"script"}"#).status == 201)
      let password = #"{"old":"\#(AccountServer.password)","new":"a new password"}"#
      #expect(server.send("POST", "/api/v1/password", as: browser, body: password).status == 200)
      #expect(server.send("PUT", "/api/v1/users/anna", as: admin, body: #"{"role":"member"}"#).status == 200)
      try await enrol()
      #expect(server.send("DELETE", "/api/v1/users/anna/second-factor", as: admin).status == 200)
      try await enrol()
      let accounts = UserAdministration(server.server.store)
      #expect(try await accounts.removeSecondFactor(of: "anna", at: Self.now) == true)
      #expect(try await accounts.setPassword("another password", of: "anna", at: Self.now))
      let again = try await server.session(of: anna)
      #expect(
        Self.notices(server, again).reversed().map {
          "\(($0["type"] as? String ?? "").dropFirst(8)) \($0["detail"] ?? "") \($0["actor"] ?? "")"
        } == [
          "token_created grafana anna", "token_created phone anna", "token_created phone root", "password_changed  anna",
          "second_factor_removed  root", "second_factor_removed  the command line", "password_changed  the command line",
        ])
      #expect(Self.notices(server, administrator).map { $0["detail"] as? String } == ["script"])
      #expect(
        Self.notices(server, admin).map { $0["detail"] as? String } == ["script"], "all administrators get the notice")
      // A request that changes nothing creates no notice.
      #expect(server.send("DELETE", "/api/v1/users/anna/second-factor", as: admin).status == 404)
      #expect(Self.notices(server, again).count == 7)
    }
  }

  @Test(
    "a webhook gets account events only if it names their type",
    arguments: [
      ([], nil, false), (["account.signed_in"], nil, true), (["account.token_created"], nil, false),
      (["account.signed_in"], .homeAssistant, false), (["device.silent"], nil, false),
    ] as [([String], WebhookFormat?, Bool)])
  func wants(_ types: [String], _ format: WebhookFormat?, _ wants: Bool) {
    var options = WebhookOptions(url: "https://example.org/")
    (options.types, options.format, options.devices) = (types, format, ["phone"])
    let event = ServerEvent(name: "evt_1", device: Device(id: -1, name: ""), type: "account.signed_in", body: "{}")
    #expect(options.wants(event) == wants)
  }

  @Test(
    "only the webhook that names the type has pending deliveries, and they are deleted with the user",
    arguments: StoreKind.tested)
  func webhooks(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let root = try await server.user("root", .admin)
      let admin = try await server.session(of: root)
      try await server.user("anna")
      for types in [#"["account.signed_in"]"#, "[]"] {
        let body = #"{"url":"http://127.0.0.1:9/","types":\#(types)}"#
        #expect(server.send("POST", "/api/v1/webhooks", as: admin, body: body).status == 201)
      }
      #expect(server.signIn("anna", headers: ["User-Agent": "Test/1"]).status == 200)
      let waiting = server.send("GET", "/api/v1/webhook-deliveries", as: admin).list("deliveries")
      #expect(waiting.map { $0["webhook"] as? String } == ["whk_1"])
      let event = try #require(waiting.first?["event"] as? [String: Any])
      #expect(event["type"] as? String == "account.signed_in" && event["user"] as? String == "anna")
      #expect(event["detail"] as? String == "Test/1" && event["address"] as? String == "127.0.0.1")
      // Account events are not in the list of region events.
      #expect(server.send("GET", "/api/v1/region-events", as: admin).list("events").isEmpty)
      #expect(server.send("DELETE", "/api/v1/users/anna?data=delete", as: admin).status == 200)
      #expect(server.send("GET", "/api/v1/webhook-deliveries", as: admin).list("deliveries").isEmpty)
      let left = try server.server.store.read {
        try $0.integer("SELECT (SELECT count(*) FROM region_events) + (SELECT count(*) FROM account_notices)")
      }
      #expect(left == 0)
    }
  }
}
