import Foundation
import GodwitAccess
import GodwitModel
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitAccounts
@testable import GodwitHTTP
@testable import GodwitSecrets
@testable import GodwitServer
@testable import GodwitStore

@Suite("Signing in")
struct SignInTests {
  @Test("the right password begins a session, which signing out ends")
  func session() async throws {
    try await AccountServer.with { server in
      try await server.user("Anna")
      let response = server.signIn("anna")
      #expect(response.status == 200, "\(response.text)")
      let cookie = try #require(response.headers["set-cookie"])
      #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && !cookie.contains("Secure"))
      let browser = AccountServer.Caller.browser(try #require(response.session))
      let current = server.send("GET", "/api/v1/session", as: browser)
      #expect((current.object["user"] as? [String: Any])?["name"] as? String == "Anna")
      #expect(server.send("DELETE", "/api/v1/session", as: browser).status == 200)
      server.server.pipeline.admission.access.invalidate()
      #expect(server.send("GET", "/api/v1/session", as: browser).status == 401)
      #expect(try server.log().map(\.action) == ["sign-out", "sign-in"])
    }
  }

  @Test("behind a TLS proxy the cookie has the Secure attribute")
  func secure() async throws {
    try await AccountServer.with { server in
      try await server.user("anna")
      let response = server.signIn("anna", headers: ["X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"])
      #expect(response.headers["set-cookie"]?.hasSuffix("; Secure") == true)
      #expect(try server.log().first?.address == "192.0.2.7")
    }
  }

  @Test("a wrong password and an unknown name get the same response after the same work")
  func wrong() async throws {
    try await AccountServer.with { server in
      try await server.user("anna")
      func timed(_ name: String) throws -> (Duration, Response) {
        var response = Response(status: 0, headers: [:], body: [])
        let time = ContinuousClock().measure {
          response = server.signIn(name, "wrong password", headers: ["X-Request-Id": "same"])
        }
        return (time, response)
      }
      // The first attempt creates the hash that passwords for unknown names are compared with.
      _ = try timed("warm-up")
      let known = try timed("anna")
      let unknown = try timed("nobody")
      #expect(known.1.status == 401 && known.1.text == unknown.1.text && known.1.headers == unknown.1.headers)
      // A busy machine can only slow a response down. A response without Argon2id takes 1/100 of the fastest verification.
      let kept = try Password.hash("another password")
      let work = try #require(
        (0..<5).map { _ in ContinuousClock().measure { #expect(!Password.isRight("wrong password", kept: kept)) } }.min())
      #expect(unknown.0 > work / 5 && known.0 > work / 5, "\(known.0), \(unknown.0) and \(work)")
      let log = try server.log()
      #expect(log.map(\.actor) == ["an unknown name", "anna", "an unknown name"])
      #expect(!log.contains { "\($0)".contains("wrong password") || "\($0)".contains("nobody") })
    }
  }

  @Test("a page of another origin cannot sign in", arguments: ["Sec-Fetch-Site", "Origin"])
  func crossSite(_ header: String) async throws {
    try await AccountServer.with { server in
      try await server.user("anna")
      let value = header == "Origin" ? "https://evil.example" : "cross-site"
      #expect(server.signIn("anna", headers: [header: value, "Host": "godwit.example"]).status == 403)
    }
  }

  @Test(
    "each failure doubles the delay, up to 15 minutes",
    arguments: [(0, 0), (4, 0), (5, 1), (6, 2), (10, 32), (14, 512), (15, 900), (1000, 900)] as [(Int64, Double)])
  func delays(_ failures: Int64, _ seconds: Double) {
    #expect(SignInThrottle.delay(after: failures, free: 5) == seconds)
  }

  @Test(
    "existing and unknown names have the same delays, which are kept over a restart and expire after a day",
    arguments: StoreKind.tested)
  func throttling(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      try await server.user("anna")
      let now = Date(timeIntervalSince1970: 1_795_000_000)
      for name in ["anna", "nobody"] {
        func attempt(_ seconds: Double) async throws -> TimeInterval? {
          try await server.server.store.write { db in
            try SignInThrottle.begin(
              [.nameFrom(name, network: "198.51.100.1/32")], at: now.addingTimeInterval(seconds), db)
          }.map { ($0 * 1000).rounded() / 1000 }
        }
        for _ in 0..<5 { #expect(try await attempt(0) == nil) }
        #expect(try await attempt(0.25) == 0.75)
        try server.restart()
        #expect(try await attempt(0.5) == 0.5)
        #expect(try await attempt(1) == nil)
        #expect(try await attempt(2) == 1)
        #expect(try await attempt(3) == nil)
        #expect(try await attempt(3) == 4)
        #expect(try await attempt(100_000) == nil)
        #expect(try await attempt(100_000) == nil)
      }
    }
  }

  @Test("too many attempts get Retry-After, even with the right password; another user name is not affected")
  func tooMany() async throws {
    try await AccountServer.with { server in
      try await server.user("anna")
      try await server.user("ben")
      let there = ["X-Forwarded-For": "198.51.100.1"]
      #expect(server.signIn("anna", "wrong password", headers: there).status == 401)
      // With twelve failures the delay is longer than this test.
      try await server.run("UPDATE sign_in_failures SET failures = 12", [])
      let response = server.signIn("anna", headers: there)
      #expect(response.status == 429)
      #expect(try #require(response.headers["retry-after"].flatMap { Int($0) }) >= 1)
      #expect(server.signIn("ben", headers: there).status == 200)
      let failed = try server.log().filter { $0.action == "sign-in failed" }
      #expect(failed.count == 1 && failed.allSatisfy { $0.address == "198.51.100.1" && $0.actor == "anna" })
    }
  }

  @Test("an address that tries many names is delayed as well", arguments: StoreKind.tested)
  func manyNames(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let now = Date(timeIntervalSince1970: 1_795_000_000)
      var waits: [TimeInterval?] = []
      for number in 0..<22 {
        waits.append(
          try await server.server.store.write { db in
            try SignInThrottle.begin(
              SignInThrottle.Subject.all(of: "name \(number)", from: "198.51.100.1/32"), at: now, db)
          })
      }
      #expect(waits.prefix(20).allSatisfy { $0 == nil } && waits[20] == 1 && waits[21] == 1)
    }
  }

  @Test("a sign-in resets the failures of the name")
  func success() async throws {
    try await AccountServer.with { server in
      try await server.user("anna")
      for _ in 0..<3 {
        for _ in 0..<4 { #expect(server.signIn("anna", "wrong password").status == 401) }
        #expect(server.signIn("anna").status == 200)
      }
    }
  }

  @Test("sessions are listed and ended, one or all others; those of other users are not accessible", arguments: StoreKind.tested)
  func sessions(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let (anna, ben) = (try await server.user("anna"), try await server.user("ben"))
      let browsers = [try await server.session(of: anna), try await server.session(of: anna), try await server.session(of: anna)]
      let bens = try await server.session(of: ben)
      let list = server.send("GET", "/api/v1/sessions", as: browsers[0]).list("sessions")
      #expect(list.count == 3 && list.filter { $0["current"] as? Bool == true }.count == 1)
      let other = try #require(list.first { $0["current"] as? Bool == false }?["id"] as? String)
      #expect(server.send("DELETE", "/api/v1/sessions/\(other)", as: bens).status == 404)
      #expect(server.send("DELETE", "/api/v1/sessions/\(other)?user=anna", as: bens).status == 403)
      #expect(server.send("DELETE", "/api/v1/sessions/\(other)", as: browsers[0]).status == 200)
      #expect(server.send("GET", "/api/v1/sessions", as: browsers[0]).list("sessions").count == 2)
      #expect(server.send("DELETE", "/api/v1/sessions?others=true", as: browsers[0]).object["ended"] as? Int == 1)
      #expect(server.send("GET", "/api/v1/session", as: browsers[0]).status == 200)
      #expect(browsers.dropFirst().allSatisfy { server.send("GET", "/api/v1/session", as: $0).status == 401 })
      #expect(server.send("GET", "/api/v1/session", as: bens).status == 200)
    }
  }

  @Test("a session ends a month after its last use, and half a year after its beginning", arguments: StoreKind.tested)
  func expiry(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let anna = try await server.user("anna")
      let secret = AccessToken()
      let start = Date(timeIntervalSince1970: 1_795_000_000)
      func isThere(after days: Double) throws -> Bool {
        try server.server.store.read {
          try SessionTable.session(hash: secret.hash, at: start.addingTimeInterval(days * 86400), $0)
        } != nil
      }
      try await server.server.store.write {
        try SessionTable.add(secret, of: anna.id, address: "", agent: "", at: start, $0)
      }
      let id = try #require(try server.server.store.read { try SessionTable.all(of: anna.id, at: start, $0) }.first?.id)
      #expect(try isThere(after: 29) && !isThere(after: 31))
      // The last use is while the clock is behind.
      for day in Array(stride(from: 20.0, through: 178, by: 20)) + [-60] {
        try await server.server.store.write {
          try SessionTable.recordUse(id, from: "", at: start.addingTimeInterval(day * 86400), $0)
        }
      }
      #expect(try isThere(after: 179) && !isThere(after: 181))
    }
  }

  @Test("a new password ends the other sessions, and needs the old one")
  func password() async throws {
    try await AccountServer.with { server in
      let anna = try await server.user("anna")
      let (here, there) = (try await server.session(of: anna), try await server.session(of: anna))
      func change(_ old: String, _ new: String) -> Int {
        server.send("POST", "/api/v1/password", as: here, body: #"{"old":"\#(old)","new":"\#(new)"}"#).status
      }
      #expect(change("wrong password", "a new password") == 422)
      #expect(change(AccountServer.password, "short") == 422)
      #expect(change(AccountServer.password, "a new password") == 200)
      #expect(server.send("GET", "/api/v1/session", as: here).status == 200)
      #expect(server.send("GET", "/api/v1/session", as: there).status == 401)
      #expect(server.signIn("anna").status == 401)
      #expect(server.signIn("anna", "a new password").status == 200)
    }
  }

  @Test("a new password ends the user's own tokens if requested, and no others")
  func passwordAndTokens() async throws {
    try await AccountServer.with { server in
      let (anna, ben) = (try await server.user("anna"), try await server.user("ben"))
      let tokens = [try await server.token(.read, of: anna), try await server.token(.admin, of: anna)]
      let bens = try await server.token(.read, of: ben)
      let here = try await server.session(of: anna)
      func change(_ old: String, _ new: String, _ more: String) -> Response {
        server.send("POST", "/api/v1/password", as: here, body: #"{"old":"\#(old)","new":"\#(new)"\#(more)}"#)
      }
      func statuses() -> [Int] { (tokens + [bens]).map { server.send("GET", "/api/v1/devices", as: $0).status } }
      #expect(change(AccountServer.password, "a new password", "").object["revoked"] as? Int == 0)
      #expect(statuses() == [200, 200, 200])
      #expect(change("a new password", "another password", #","end_tokens":true"#).object["revoked"] as? Int == 2)
      #expect(statuses() == [401, 401, 200])
    }
  }

  @Test(
    "a new password ends the tokens of devices that were created with an ended token, and no others",
    arguments: StoreKind.tested)
  func passwordAndDeviceTokens(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let anna = try await server.user("anna")
      let (here, program) = (try await server.session(of: anna), try await server.token(.admin, of: anna))
      func add(_ name: String, _ caller: AccountServer.Caller) throws -> AccountServer.Caller {
        let made = server.send("POST", "/api/v1/devices", as: caller, body: #"{"name":"\#(name)"}"#)
        return .bearing(try #require(made.object["token"] as? String, "\(made.text)"))
      }
      let (own, made) = (try add("phone", here), try add("watch", program))
      let body = #"{"old":"\#(AccountServer.password)","new":"a new password","end_tokens":true}"#
      #expect(server.send("POST", "/api/v1/password", as: here, body: body).object["revoked"] as? Int == 1)
      #expect(server.send("GET", "/api/overland", as: own).status == 200)
      #expect(server.send("GET", "/api/overland", as: made).status == 401)
    }
  }

  @Test("no password and no secret is in the database's files")
  func nothingKept() async throws {
    try await AccountServer.with { server in
      try await server.user("anna", .admin)
      let secret = try #require(server.signIn("anna").session)
      let made = server.send(
        "POST", "/api/v1/tokens", as: .browser(secret), body: #"{"name":"grafana","scope":"read"}"#)
      let token = try #require(made.object["token"] as? String)
      var hasName = false
      for file in try FileManager.default.contentsOfDirectory(at: server.folder, includingPropertiesForKeys: nil)
      where file.lastPathComponent.hasPrefix("godwit.sqlite") {
        let bytes = try Data(contentsOf: file)
        for text in [AccountServer.password, secret, token] { #expect(bytes.range(of: Data(text.utf8)) == nil) }
        if bytes.range(of: Data("grafana".utf8)) != nil { hasName = true }
      }
      #expect(hasName, "the files contain the rows")
    }
  }
}

@Suite("Audit log")
struct AuditTests {
  @Test("every change is logged with user and address, and without secrets")
  func changes() async throws {
    try await AccountServer.with { server in
      let anna = try await server.user("anna", .admin)
      let browser = try await server.session(of: anna)
      let there = ["X-Forwarded-For": "198.51.100.1"]
      func send(_ method: String, _ path: String, _ body: String = "") -> Response {
        server.send(method, path, as: browser, body: body, headers: there)
      }
      let secrets = [
        "hidden password", try #require(send("POST", "/api/v1/tokens", #"{"name":"grafana"}"#).object["token"] as? String),
        try #require(send("POST", "/api/v1/devices", #"{"name":"phone"}"#).object["token"] as? String),
        try #require(
          send("POST", "/api/v1/links", #"{"name":"Walk","devices":["phone"],"password":"hidden password"}"#).object["token"]
            as? String),
      ]
      _ = send("POST", "/api/v1/users", #"{"name":"ben","password":"hidden password"}"#)
      _ = send("DELETE", "/api/v1/tokens/tok_1")
      _ = send("PUT", "/api/v1/regions/home", #"{"center":{"latitude":46,"longitude":14},"radius":100}"#)
      _ = send("DELETE", "/api/v1/users/nobody?data=keep")
      _ = send("GET", "/api/v1/shared/\(secrets[3])")
      // Audit entries are written asynchronously and in order: this write is processed after them.
      try await server.run("DELETE FROM links WHERE id = -1", [])
      let log = try server.log()
      #expect(
        log.map { "\($0.action) \($0.subject)" } == [
          "PUT /api/v1/regions/ID home", "DELETE /api/v1/tokens/ID tok_1", "POST /api/v1/users ben",
          "POST /api/v1/links Walk: phone",
          "POST /api/v1/devices phone", "POST /api/v1/tokens grafana",
        ])
      #expect(log.allSatisfy { $0.actor == "anna" && $0.account == anna.id && $0.address == "198.51.100.1" })
      for secret in secrets { #expect(!"\(log)".contains(secret)) }
    }
  }

  @Test(
    "entries are read in pages, by user or action; a member reads only their own; entries are stored for a year",
    arguments: StoreKind.tested)
  func reading(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = try await TestUsers(server)
      for (number, user) in [users.anna, users.ben, users.anna, users.anna].enumerated() {
        let entry = AuditEntry(account: user.id, actor: user.name, action: "step \(number % 2)", address: "::1")
        try await server.server.store.write { try AuditTable.add(entry, at: Date(), $0) }
      }
      let (admin, anna) = (try await server.session(of: users.admin), try await server.session(of: users.anna))
      func actions(_ query: String, _ caller: AccountServer.Caller) -> [String] {
        server.send("GET", "/api/v1/audit\(query)", as: caller).list("entries").compactMap { $0["action"] as? String }
      }
      #expect(actions("", admin) == ["step 1", "step 0", "step 1", "step 0"])
      #expect(actions("?user=ben", admin) == ["step 1"])
      #expect(actions("?action=step%200", admin) == ["step 0", "step 0"])
      #expect(actions("", anna) == ["step 1", "step 0", "step 0"])
      #expect(server.send("GET", "/api/v1/audit?user=ben", as: anna).status == 403)
      let page = server.send("GET", "/api/v1/audit?limit=3", as: admin)
      let cursor = try #require(page.object["next_cursor"] as? String)
      #expect(actions("?limit=3&cursor=\(cursor)", admin) == ["step 0"])
      for (days, left) in [(364.0, 4), (366, 0)] {
        try await server.server.store.write { try AuditTable.discardOld(at: Date(timeIntervalSinceNow: days * 86400), $0) }
        #expect(try server.log().count == left)
      }
    }
  }
}

extension AuditTests {
  @Test("an export is logged, and a rejected one is not", arguments: StoreKind.tested)
  func exports(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let anna = try await server.user("anna")
      let browser = try await server.session(of: anna)
      let (_, phone) = try await server.device("phone", of: anna)
      try server.upload(phone, [(46, 14)], from: Date(timeIntervalSince1970: 1_795_000_000))
      #expect(server.send("GET", "/api/v1/export?device=phone&format=gpx", as: browser).status == 200)
      #expect(server.send("GET", "/api/v1/export?device=other&format=gpx", as: browser).status == 404)
      // Audit entries are written asynchronously and in order: this write is processed after them.
      try await server.run("DELETE FROM links WHERE id = -1", [])
      #expect(try server.log().map { "\($0.actor) \($0.action) \($0.subject)" } == ["anna GET /api/v1/export phone"])
    }
  }

  @Test("a use of the administrator token is logged once per day and address, even after a restart", arguments: StoreKind.tested)
  func administratorToken(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      func uses() async throws -> [String] {
        try await server.run("DELETE FROM links WHERE id = -1", [])
        return try server.log().filter { $0.action == "administrator token used" }.map(\.address)
      }
      for address in ["198.51.100.1", "198.51.100.1", "203.0.113.7", "198.51.100.1"] {
        let headers = ["X-Forwarded-For": address]
        #expect(server.send("GET", "/api/v1/devices", as: administrator, headers: headers).status == 200)
        #expect(server.send("GET", "/api/v1/devices", as: .bearing("gw_wrong"), headers: headers).status == 401)
      }
      #expect(try await uses() == ["203.0.113.7", "198.51.100.1"])
      try server.restart()
      #expect(
        server.send("GET", "/api/v1/devices", as: administrator, headers: ["X-Forwarded-For": "198.51.100.1"]).status == 200)
      #expect(try await uses() == ["203.0.113.7", "198.51.100.1"])
      // The entries are moved to the previous day.
      try await server.run("UPDATE audit_log SET time = time - 86400000", [])
      try server.restart()
      #expect(
        server.send("GET", "/api/v1/devices", as: administrator, headers: ["X-Forwarded-For": "198.51.100.1"]).status == 200)
      #expect(try await uses().count == 3)
    }
  }
}

@Suite("Users")
struct UserTests {
  // A loopback server also gets requests from pages whose host name begins with 127. and through a proxy.
  @Test("reading and creating users needs a secret even on this machine; the first user is an administrator")
  func firstRun() async throws {
    try await AccountServer.with(listen: "127.0.0.1:0") { server in
      let anna = #"{"name":"anna","password":"correct horse battery"}"#
      for host in [
        "127.0.0.1:8080", "localhost:8080", "127.evil.example", "127.0.0.1.evil.example", "[::1].evil", "evil.example",
      ] {
        let headers = ["Host": host, "Origin": "http://\(host)"]
        #expect(server.send("GET", "/api/v1/devices", headers: headers).status == 401, "\(host)")
        #expect(server.send("POST", "/api/v1/users", body: anna, headers: headers).status == 401, "\(host)")
      }
      let anonymous = server.send("GET", "/api/v1/devices")
      #expect(anonymous.status == 401 && anonymous.text.contains("godwit login"))
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      #expect(server.send("GET", "/api/v1/devices", as: administrator).status == 200)
      let made = server.send("POST", "/api/v1/users", as: administrator, body: anna)
      #expect(made.status == 201 && made.object["role"] as? String == "admin", "\(made.text)")
      let rejected = server.send("GET", "/api/v1/devices")
      #expect(rejected.status == 401 && rejected.object["title"] as? String == "Sign-in needed")
      let browser = AccountServer.Caller.browser(try #require(server.signIn("anna").session))
      #expect(server.send("GET", "/api/v1/devices", as: browser).status == 200)
      // The host name does not matter: a page of another site cannot send the cookie.
      #expect(server.send("GET", "/api/v1/devices", as: browser, headers: ["Host": "godwit.example"]).status == 200)
      #expect(server.send("DELETE", "/api/v1/users/anna?data=keep", as: browser).status == 200)
      #expect(server.send("GET", "/api/v1/devices").status == 401)
    }
  }

  @Test("the administrator token has administrator access, with and without users")
  func administratorToken() async throws {
    try await AccountServer.with { server in
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      #expect(server.send("GET", "/api/v1/users", as: administrator).status == 200)
      try await server.user("anna")
      #expect(server.send("GET", "/api/v1/users", as: administrator).list("users").map { $0["name"] as? String } == ["anna"])
      let cookie = AccountServer.Caller(headers: ["Cookie": "godwit_token=\(try server.administratorToken)"])
      #expect(server.send("GET", "/api/v1/users", as: cookie).status == 200)
      #expect(server.send("GET", "/api/v1/users").status == 401)
    }
  }

  @Test("the last administrator keeps the role while there are other users")
  func lastAdministrator() async throws {
    try await AccountServer.with { server in
      let anna = try await server.user("anna", .admin)
      try await server.user("ben")
      let browser = try await server.session(of: anna)
      #expect(server.send("PUT", "/api/v1/users/anna", as: browser, body: #"{"role":"member"}"#).status == 409)
      #expect(server.send("DELETE", "/api/v1/users/anna?data=keep", as: browser).status == 409)
      #expect(server.send("PUT", "/api/v1/users/ben", as: browser, body: #"{"role":"admin"}"#).status == 200)
      #expect(server.send("PUT", "/api/v1/users/anna", as: browser, body: #"{"role":"member"}"#).status == 200)
      #expect(server.send("GET", "/api/v1/users", as: browser).status == 403)
    }
  }

  struct Bad: CustomTestStringConvertible, Sendable {
    var testDescription: String { body }
    var body: String
    var status: Int
    var message: String
  }

  @Test(
    "an invalid user is rejected, with the reason",
    arguments: [
      Bad(body: "", status: 400, message: "Expected a JSON object"),
      Bad(body: #"{"name":"cleo"}"#, status: 422, message: "password: missing"),
      Bad(body: #"{"name":"cleo","password":"short"}"#, status: 422, message: "8 to 512 characters"),
      Bad(body: #"{"name":"/etc","password":"long enough"}"#, status: 422, message: "1 to 64 letters"),
      Bad(body: #"{"name":"cleo","password":"long enough","role":"king"}"#, status: 422, message: "expected admin, member"),
      Bad(body: #"{"name":"cleo","password":"long enough","rol":"admin"}"#, status: 422, message: "rol: unknown field"),
      Bad(body: #"{"name":"ANNA","password":"long enough"}"#, status: 409, message: "already"),
    ])
  func bad(_ bad: Bad) async throws {
    try await AccountServer.with { server in
      try await server.user("anna", .admin)
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      let response = server.send("POST", "/api/v1/users", as: administrator, body: bad.body)
      #expect(response.status == bad.status && response.text.contains(bad.message), "\(response.text)")
    }
  }

  @Test(
    "removing a user ends sessions and tokens immediately, and assigns the devices to the administrator",
    arguments: StoreKind.tested)
  func removal(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      try await server.user("anna", .admin)
      let ben = try await server.user("ben")
      let browser = try await server.session(of: ben)
      let token = try await server.token(.read, of: ben)
      let phone = try await server.device("bens-phone", of: ben)
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      #expect(server.send("GET", "/api/v1/devices", as: browser).list("devices").count == 1)
      #expect(server.send("DELETE", "/api/v1/users/BEN?data=keep", as: administrator).status == 200)
      #expect(server.send("GET", "/api/v1/devices", as: browser).status == 401)
      #expect(server.send("GET", "/api/v1/devices", as: token).status == 401)
      #expect(try server.server.store.read { try TrackTables.owner(of: phone.device.id, $0) } == nil)
      #expect(server.send("GET", "/api/v1/devices", as: administrator).list("devices").first?["owner"] is NSNull)
    }
  }
}
