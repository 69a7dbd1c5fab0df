import Foundation
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitAccess
@testable import GodwitAccountAPI
@testable import GodwitAccounts
@testable import GodwitHTTP
@testable import GodwitSecrets
@testable import GodwitServer
@testable import GodwitStore

@Suite("Logging in as the administrator")
struct LoginTests {
  private static let start = Date(timeIntervalSince1970: 1_795_000_000)

  private static func with(_ body: (AdministratorLogin, String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-login-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(AdministratorLogin(folder: folder.path + "/login"), folder.path + "/login")
  }

  // MARK: Codes

  @Test(
    "a code expires after ten minutes, even if the clock is set back",
    arguments: [(0, true), (599, true), (600, false), (86400, false), (-1, false), (-86400, false)] as [(Double, Bool)])
  func codeLifetime(_ seconds: Double, _ isValid: Bool) throws {
    try Self.with { login, _ in
      try login.prepare()
      let code = try login.codes.make(at: Self.start)
      #expect(login.codes.redeem(code, at: Self.start + seconds) == isValid)
    }
  }

  @Test("a code is valid once and independent of others, and a wrong one is rejected")
  func codeOnce() throws {
    try Self.with { login, folder in
      try login.prepare()
      let (first, second) = (try login.codes.make(at: Self.start), try login.codes.make(at: Self.start))
      #expect(first != second && first.utf8.count == 32)
      #expect(!login.codes.redeem("", at: Self.start) && !login.codes.redeem(first + "x", at: Self.start))
      #expect(login.codes.redeem(first, at: Self.start))
      #expect(!login.codes.redeem(first, at: Self.start))
      #expect(login.codes.redeem(second, at: Self.start))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/codes").isEmpty)
    }
  }

  @Test("only the hash of a code is stored, readable by this system user only, and an expired code is removed")
  func codeAtRest() throws {
    try Self.with { login, folder in
      try login.prepare()
      let code = try login.codes.make(at: Self.start)
      let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/codes")
      #expect(files.count == 1 && !files[0].contains(code))
      let path = "\(folder)/codes/\(files[0])"
      #expect(FileManager.default.contents(atPath: path)?.isEmpty == true)
      for (file, mode) in [(path, 0o600), (folder, 0o700), (folder + "/codes", 0o700), (folder + "/sessions", 0o700)] {
        let found = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
        #expect(found?.intValue == mode, "\(file)")
      }
      #expect(!login.codes.redeem("another", at: Self.start + 601))
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  // MARK: Sessions

  @Test("a session ends a month after its last use, and half a year after its beginning")
  func sessionLifetime() throws {
    try Self.with { login, folder in
      try login.prepare()
      func session(_ secret: AccessToken, _ days: Double) -> AdministratorSession? {
        login.sessions.session(secret, at: Self.start + days * 86400)
      }
      let idle = try login.sessions.begin(address: "192.0.2.1", agent: "curl", at: Self.start)
      #expect(session(idle, 29)?.address == "192.0.2.1")
      #expect(session(idle, 31) == nil)
      let used = try login.sessions.begin(address: "192.0.2.1", agent: "curl", at: Self.start)
      for day in stride(from: 20.0, through: 170, by: 20) {
        let found = try #require(session(used, day))
        login.sessions.recordUse(found, at: Self.start + day * 86400)
      }
      // A use while the clock is behind.
      login.sessions.recordUse(try #require(session(used, 170)), at: Self.start - 60 * 86400)
      #expect(session(used, 179) != nil && session(used, 181) == nil)
      for file in try FileManager.default.contentsOfDirectory(atPath: folder + "/sessions") {
        #expect(!file.contains(used.secret))
      }
    }
  }

  @Test("the address is readable while its server runs, and the address of a killed server is ignored")
  func runningAddress() throws {
    try Self.with { login, folder in
      #expect(login.currentAddress == nil)
      let running = try login.announce("http://127.0.0.1:8080/")
      #expect(login.currentAddress == "http://127.0.0.1:8080/")
      // A second server with the same folder does not replace the address of the first.
      let second = try login.announce("http://127.0.0.1:8081/")
      #expect(login.currentAddress == "http://127.0.0.1:8080/")
      second.withdraw()
      #expect(login.currentAddress == "http://127.0.0.1:8080/")
      running.withdraw()
      #expect(login.currentAddress == nil)
      try "http://127.0.0.1:9/\n".write(toFile: folder + "/address", atomically: true, encoding: .utf8)
      #expect(login.currentAddress == nil)
    }
  }

  // MARK: The route

  private static func login(_ server: AccountServer, _ body: String, _ headers: [String: String] = [:]) -> Response {
    server.send(
      "POST", "/api/v1/login", body: body, headers: ["Content-Type": "application/json"].merging(headers) { $1 })
  }

  @Test("a code begins a session that can read and change data from the server's pages, and that signing out ends")
  func session() async throws {
    try await AccountServer.with(listen: "127.0.0.1:0") { server in
      let code = try server.server.administrator.login.codes.make(at: Date())
      let response = Self.login(server, #"{"code":"\#(code)"}"#, ["Host": "127.0.0.1:8080"])
      #expect(response.status == 200, "\(response.text)")
      let cookie = try #require(response.headers["set-cookie"])
      #expect(cookie.hasPrefix("godwit_admin_8080=") && cookie.contains("; HttpOnly; SameSite=Strict; Path=/"))
      #expect(!cookie.contains(try server.administratorToken))
      #expect(Self.login(server, #"{"code":"\#(code)"}"#).status == 401)
      let pair = ["Host": "127.0.0.1:8080", "Cookie": String(cookie.prefix { $0 != ";" })]
      #expect(server.send("GET", "/api/v1/devices", headers: pair).status == 200)
      // A server on another port uses a different cookie.
      #expect(server.send("GET", "/api/v1/devices", headers: pair.merging(["Host": "127.0.0.1:81"]) { $1 }).status == 401)
      #expect(server.send("POST", "/api/v1/devices", body: #"{"name":"van"}"#, headers: pair).status == 403)
      let own = pair.merging(["Sec-Fetch-Site": "same-origin"]) { $1 }
      #expect(server.send("POST", "/api/v1/devices", body: #"{"name":"van"}"#, headers: own).status == 201)
      let sessions = server.send("GET", "/api/v1/sessions", headers: own).list("sessions")
      #expect(sessions.count == 1 && sessions[0]["current"] as? Bool == true)
      #expect(server.send("DELETE", "/api/v1/session", headers: own).status == 200)
      #expect(server.send("GET", "/api/v1/devices", headers: pair).status == 401)
    }
  }

  @Test("the administrator lists and ends sessions, one or all others")
  func sessions() async throws {
    try await AccountServer.with { server in
      let secrets = try (0..<3).map { _ in
        try server.server.administrator.login.sessions.begin(address: "192.0.2.1", agent: "test", at: Date()).secret
      }
      let browsers = secrets.map { AccountServer.Caller.administratorBrowser($0) }
      let list = server.send("GET", "/api/v1/sessions", as: browsers[0]).list("sessions")
      #expect(list.count == 3)
      let other = try #require(list.first { $0["current"] as? Bool == false }?["id"] as? String)
      #expect(server.send("DELETE", "/api/v1/sessions/\(other)", as: browsers[0]).status == 200)
      #expect(server.send("DELETE", "/api/v1/sessions/\(other)", as: browsers[0]).status == 404)
      #expect(server.send("DELETE", "/api/v1/sessions?others=true", as: browsers[0]).object["ended"] as? Int == 1)
      #expect(browsers.map { server.send("GET", "/api/v1/session", as: $0).status } == [200, 401, 401])
      // A member cannot list or end administrator sessions.
      let anna = try await server.session(of: try await server.user("anna"))
      #expect(server.send("GET", "/api/v1/sessions", as: anna).list("sessions").count == 1)
      #expect(server.send("DELETE", "/api/v1/sessions?others=true", as: anna).object["ended"] as? Int == 0)
      #expect(server.send("GET", "/api/v1/session", as: browsers[0]).status == 200)
    }
  }

  @Test("only JSON from the server's own pages signs in", arguments: ["Sec-Fetch-Site", "Origin", "Content-Type"])
  func crossSite(_ header: String) async throws {
    try await AccountServer.with { server in
      let code = try server.server.administrator.login.codes.make(at: Date())
      let value = ["Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example", "Content-Type": "text/plain"][header]
      let response = Self.login(server, #"{"code":"\#(code)"}"#, ["Host": "godwit.example", header: value ?? ""])
      #expect(response.status == (header == "Content-Type" ? 415 : 403) && response.headers["set-cookie"] == nil)
      #expect(Self.login(server, #"{"code":"\#(code)"}"#).status == 200, "the code is still valid")
    }
  }

  @Test("the rejection of a code names the command to run; many wrong codes are rate limited, but the right one is accepted")
  func wrong() async throws {
    try await AccountServer.with { server in
      let wrong = (0..<30).map { Self.login(server, #"{"code":"guess \#($0)"}"#) }
      #expect(wrong[0].status == 401 && wrong[0].text.contains("godwit login") && wrong[0].headers["set-cookie"] == nil)
      #expect(wrong.last?.status == 429 && wrong.last?.headers["retry-after"] != nil)
      let code = try server.server.administrator.login.codes.make(at: Date())
      #expect(Self.login(server, #"{"code":"\#(code)"}"#).status == 200)
      #expect(Self.login(server, #"{"token":"\#(try server.administratorToken)"}"#).status == 200)
    }
  }

  // The cookie does not contain the token, and other routes do not accept a token in the query.
  @Test("the administrator token in the address of the first page begins a session; an invalid token leaves the cookie unchanged")
  func tokenInAddress() async throws {
    try await AccountServer.with { server in
      let token = try server.administratorToken
      let page = server.send("GET", "/?token=\(token)")
      #expect(page.status == 303 && page.headers["location"] == "/")
      #expect(page.headers["set-cookie"]?.hasPrefix("godwit_admin=") == true)
      #expect(page.headers["set-cookie"]?.contains(token) == false)
      let junk = server.send("GET", "/?token=junk")
      #expect(junk.status == 303 && junk.headers["location"] == "/sign-in" && junk.headers["set-cookie"] == nil)
      let read = server.send("GET", "/api/v1/devices?token=\(token)")
      #expect(read.status == 401 && read.text.contains("Authorization: Bearer"))
    }
  }

  @Test("an empty administrator token file gives no access: a new token is created")
  func emptyToken() async throws {
    try await AccountServer.with { server in
      try Data().write(to: server.folder.appendingPathComponent("admin-token"))
      try server.restart()
      #expect(try server.administratorToken.hasPrefix("gw_"))
      #expect(server.send("GET", "/api/v1/devices", as: .bearing("")).status == 401)
      #expect(server.send("GET", "/?token=").headers["location"] == "/sign-in")
    }
  }

  @Test("the sign-in page names the command to run, and has a form if there are users")
  func page() async throws {
    try await AccountServer.with(listen: "127.0.0.1:0") { server in
      let before = server.send("GET", "/sign-in").text
      #expect(before.contains(#"data-users="no""#) && before.contains("<pre>godwit login</pre>"))
      try await server.user("anna")
      #expect(server.send("GET", "/sign-in").text.contains(#"data-users="yes""#))
    }
  }
}

@Suite("Host names of this machine")
struct LocalHostTests {
  // A name may begin with 127. and resolve to any address.
  @Test(
    "only literal loopback addresses and localhost, with the server's port, name this machine",
    arguments: [
      (nil, true), ("127.0.0.1:8080", true), ("127.8.9.10:8080", true), ("localhost:8080", true), ("LocalHost:8080", true),
      ("[::1]:8080", true), ("127.0.0.1:81", false), ("127.0.0.1", false), ("[::1]", false), ("localhost:", false),
      ("127.evil.example:8080", false), ("127.0.0.1.evil.example:8080", false), ("[::1].evil:8080", false),
      ("[::1]evil:8080", false), ("localhost.evil.example:8080", false), ("127.1:8080", false), ("2130706433:8080", false),
      ("[::ffff:127.0.0.1]:8080", false), ("[::1:8080", false), ("evil.example:8080", false), ("", false),
      ("127.0.0.1:8080:8080", false), ("127.0.0.1 :8080", false), ("0.0.0.0:8080", false),
    ] as [(String?, Bool)])
  func names(_ host: String?, _ isThis: Bool) {
    #expect(LocalHost.isNamed(by: host, port: 8080) == isThis)
  }

  @Test("a host without a port has the default port")
  func standardPort() {
    #expect(LocalHost.isNamed(by: "127.0.0.1", port: 80) && LocalHost.isNamed(by: "[::1]", port: 443))
    #expect(LocalHost.isNamed(by: "127.0.0.1:8080", port: nil) && !LocalHost.isNamed(by: "127.evil.example", port: nil))
  }
}

@Suite("Failed attempts from other networks and a user's sign-in")
struct LockoutTests {
  private static let start = Date(timeIntervalSince1970: 1_795_000_000)

  private static func begin(
    _ server: AccountServer, _ name: String, _ address: String, _ seconds: Double = 0, browser: KnownBrowser? = nil
  ) async throws -> TimeInterval? {
    try await server.server.store.write { db in
      try SignInThrottle.begin(
        SignInThrottle.Subject.all(of: name, from: ClientNetwork(address).description, browser: browser), at: start + seconds,
        db)
    }
  }

  // A delay of the name alone would lock the user out.
  @Test("wrong passwords from one network do not lock the user out of others", arguments: StoreKind.tested)
  func oneNetwork(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      var tried = 0
      for minute in 0..<(3 * 24 * 60) where minute % 5 == 0 {
        if try await Self.begin(server, "anna", "198.51.100.1", Double(minute) * 60) == nil { tried += 1 }
      }
      #expect((100..<400).contains(tried), "\(tried)")
      // One second after the last attempt.
      let later = Double(3 * 24 * 60 - 5) * 60 + 1
      #expect(try await Self.begin(server, "anna", "198.51.100.1", later) != nil)
      #expect(try await Self.begin(server, "anna", "203.0.113.1", later) == nil)
    }
  }

  // A customer of a provider usually has all addresses of a /64 network.
  @Test("addresses of one IPv6 network share a delay", arguments: StoreKind.tested)
  func sameNetwork(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      var waits: [TimeInterval?] = []
      for number in 0..<25 { waits.append(try await Self.begin(server, "anna", "2001:db8::\(number)")) }
      #expect(waits.prefix(5).allSatisfy { $0 == nil } && waits.dropFirst(5).allSatisfy { $0 == 1 })
      #expect(try await Self.begin(server, "anna", "2001:db8:0:1::1") == nil)
    }
  }

  @Test(
    "many networks with wrong passwords for one name share a delay, which does not affect a known browser",
    arguments: StoreKind.tested)
  func manyNetworks(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      for number in 0..<100 {
        let wait = try await Self.begin(server, "anna", "10.0.0.\(number)")
        #expect(wait == nil)
      }
      #expect(try await Self.begin(server, "anna", "10.0.1.1") == 1)
      #expect(try await Self.begin(server, "ben", "10.0.1.1") == nil)
      let browser = KnownBrowser()
      for _ in 0..<5 {
        let wait = try await Self.begin(server, "anna", "10.0.1.1", browser: browser)
        #expect(wait == nil)
      }
      // A stolen browser cookie does not allow unlimited guesses.
      #expect(try await Self.begin(server, "anna", "10.0.1.1", browser: browser) == 1)
      #expect(try await Self.begin(server, "anna", "10.0.1.1", browser: KnownBrowser()) == nil)
    }
  }

  @Test("after the clock is set back, a delayed client waits no longer than the delay", arguments: StoreKind.tested)
  func clockSetBack(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      var waits: [TimeInterval?] = []
      for _ in 0..<6 { waits.append(try await Self.begin(server, "anna", "198.51.100.1")) }
      #expect(waits == [nil, nil, nil, nil, nil, 1])
      // The clock of another server, a clock that was set back by a day, and then by ten minutes.
      let day = 86_400.0
      waits = []
      for late in [-60, -day, -day, 2 - day, 2 - day - 600] {
        waits.append(try await Self.begin(server, "anna", "198.51.100.1", late))
      }
      #expect(waits == [1, nil, 2, nil, nil])
    }
  }

  @Test(
    "a successful sign-in subtracts only its own attempt from the count of the name for all networks",
    arguments: StoreKind.tested)
  func countOfName(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let subjects = SignInThrottle.Subject.all(of: "anna", from: ClientNetwork("198.51.100.1").description)
      func failures() throws -> Int64? {
        try server.server.store.read {
          try $0.integer(
            "SELECT failures FROM sign_in_failures WHERE subject = ?", SignInThrottle.Subject.name("anna").key)
        }
      }
      for _ in 0..<5 { #expect(try await Self.begin(server, "anna", "198.51.100.1") == nil) }
      #expect(try await Self.begin(server, "anna", "198.51.100.1", 10) == nil)
      #expect(try failures() == 5)
      try await server.server.store.write { try SignInThrottle.succeed(subjects, $0) }
      #expect(try failures() == 5)
      #expect(try await Self.begin(server, "anna", "198.51.100.1", 20) == nil)
      #expect(try failures() == 6)
      try await server.server.store.write { try SignInThrottle.succeed(subjects, $0) }
      #expect(try failures() == 5)
    }
  }

  @Test("an attack on a name does not block confirmations and password changes in a session of the user")
  func attackedSession() async throws {
    try await AccountServer.with { server in
      let anna = try await server.user("anna")
      let browser = try await server.session(of: anna)
      // The state after an attack from many networks.
      _ = try await Self.begin(server, "anna", "127.0.0.1", Date().timeIntervalSince(Self.start))
      try await server.run("UPDATE sign_in_failures SET failures = 1000", [])
      #expect(server.signIn("anna").status == 429)
      func send(_ path: String, _ body: String) -> Response { server.send("POST", path, as: browser, body: body) }
      let password = #"{"password":"\#(AccountServer.password)"}"#
      #expect(send("/api/v1/session/confirmation", password).status == 200)
      #expect(send("/api/v1/second-factor", password).status == 201)
      #expect(send("/api/v1/second-factor/activation", #"{"code":"12345x"}"#).status == 422)
      #expect(send("/api/v1/password", #"{"old":"wrong password","new":"another long one"}"#).status == 422)
      #expect(send("/api/v1/password", #"{"old":"\#(AccountServer.password)","new":"another long one"}"#).status == 200)
      #expect(send("/api/v1/session/confirmation", password).status == 422)
      // With twelve failures the delay is longer than this test.
      try await server.run("UPDATE sign_in_failures SET failures = failures + 11", [])
      #expect(send("/api/v1/session/confirmation", password).status == 429)
    }
  }

  @Test("attempts that an overloaded server does not verify do not count as failures")
  func busy() async throws {
    try await AccountServer.with { server in
      let anna = try await server.user("anna")
      let browser = try await server.session(of: anna)
      let (phone, _) = try await server.device("phone", of: anna)
      let link = #"{"name":"Locked","devices":["\#(phone.name)"],"from":"2025-11-20","expires":"2100-01-01","password":"sesame"}"#
      let made = server.send("POST", "/api/v1/links", as: browser, body: link)
      let secret = try #require(made.object["token"] as? String, "\(made.text)")
      let signIn = server.server.pipeline.handlers.accounts.accounts.signIn
      let mayContinue = DispatchSemaphore(value: 0)
      var waiting = 0
      defer { for _ in 0..<waiting { mayContinue.signal() } }
      while signIn.perform({ _ = mayContinue.wait(timeout: .now() + 600) }) { waiting += 1 }
      let password = #""password":"\#(AccountServer.password)""#
      #expect(server.signIn("anna").status == 503)
      #expect(server.send("POST", "/api/v1/session/confirmation", as: browser, body: "{\(password)}").status == 503)
      let change = #"{"old":"\#(AccountServer.password)","new":"another long one"}"#
      #expect(server.send("POST", "/api/v1/password", as: browser, body: change).status == 503)
      #expect(server.send("POST", "/api/v1/shared/\(secret)", body: #"{"password":"sesame"}"#).status == 503)
      let failures = try server.server.store.read {
        try $0.integer("SELECT coalesce(sum(failures), 0) FROM sign_in_failures")
      }
      #expect(waiting == 32 && failures == 0)
    }
  }

  @Test("a browser is known for one user, until the password changes")
  func knownBrowser() throws {
    let (kept, other) = (try Password.hash("correct horse"), try Password.hash("correct horse"))
    let browser = KnownBrowser()
    let value = browser.value(of: 7, kept: kept)
    #expect(KnownBrowser(value, of: 7, kept: kept) == browser)
    #expect(KnownBrowser(value, of: 8, kept: kept) == nil && KnownBrowser(value, of: 7, kept: other) == nil)
    for forged in ["", ".", browser.id, browser.id + ".", String(value.dropLast()), value + "0", "x" + value] {
      #expect(KnownBrowser(forged, of: 7, kept: kept) == nil, "\(forged)")
    }
  }

  @Test("a sign-in makes the browser known, so that it can sign in during an attack on the name")
  func attacked() async throws {
    try await AccountServer.with { server in
      let anna = try await server.user("anna")
      func signIn(_ cookie: String?) async -> Result<SignIn.Success, Problem> {
        let name = KnownBrowser.cookie(of: anna.id)
        let attempt = SignIn.Attempt(
          name: "anna", password: AccountServer.password, address: "203.0.113.1", agent: "", time: Date(),
          cookie: { $0 == name ? cookie : nil })
        return await withCheckedContinuation { done in
          server.server.pipeline.handlers.accounts.accounts.signIn.signIn(attempt) { done.resume(returning: $0) }
        }
      }
      func isThrottled(_ cookie: String?) async -> Bool {
        if case .failure(let problem) = await signIn(cookie) { problem.status == 429 } else { false }
      }
      let first = try await signIn(nil).get()
      // The state after an attack from many networks.
      _ = try await Self.begin(server, "anna", "10.0.0.1", Date().timeIntervalSince(Self.start))
      try await server.run("UPDATE sign_in_failures SET failures = 1000", [])
      #expect(await isThrottled(nil))
      #expect(await isThrottled("forged." + first.browser))
      let known = try await signIn(first.browser).get()
      #expect(known.user.name == "anna")
    }
  }
}
