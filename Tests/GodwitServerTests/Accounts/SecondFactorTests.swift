import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitAccess
@testable import GodwitAccounts
@testable import GodwitServer
@testable import GodwitStore

@Suite("A second factor")
struct SecondFactorTests {
  private static let start = Date(timeIntervalSince1970: 1_795_000_000)

  // MARK: Codes

  @Test(
    "codes match the test vectors of RFC 6238, appendix B",
    arguments: [
      (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
      (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
    ] as [(Double, String)])
  func vectors(_ seconds: Double, _ code: String) throws {
    let totp = TOTP(secret: Array("12345678901234567890".utf8))
    let step = TOTP.step(at: Date(timeIntervalSince1970: seconds))
    #expect(String(decoding: try totp.code(atStep: step, digits: 8), as: UTF8.self) == code)
    #expect(String(decoding: try totp.code(atStep: step), as: UTF8.self) == code.suffix(6))
  }

  @Test(
    "secrets are encoded as base32 of RFC 4648, section 10, without padding",
    arguments: [
      ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
      ("foobar", "MZXW6YTBOI"),
    ])
  func base32(_ text: String, _ encoded: String) { #expect(Base32.encode(Array(text.utf8)) == encoded) }

  @Test(
    "a code is accepted in its step, the previous one and the next one",
    arguments: [(-31, false), (-30, true), (0, true), (29, true), (30, true), (59, true), (60, false)] as [(Double, Bool)])
  func window(_ seconds: Double, _ isAccepted: Bool) throws {
    let totp = TOTP()
    // The beginning of a step.
    let begin = Date(timeIntervalSince1970: 1_795_000_020)
    let code = String(decoding: try totp.code(atStep: TOTP.step(at: begin)), as: UTF8.self)
    #expect((try totp.step(of: code, at: begin + seconds, after: 0) != nil) == isAccepted)
  }

  @Test("the address contains the secret, the issuer and the user")
  func address() throws {
    let totp = TOTP(secret: Array("12345678901234567890".utf8))
    #expect(
      totp.address(user: "Anna B", host: "godwit.example:8080")
        == "otpauth://totp/Godwit:Anna%20B%40godwit.example%3A8080?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Godwit"
        + "&algorithm=SHA1&digits=6&period=30")
    #expect(totp.address(user: "anna", host: nil).hasPrefix("otpauth://totp/Godwit:anna?"))
    #expect(TOTP().secret.count == 20 && TOTP().secret != TOTP().secret)
  }

  @Test(
    "each code works once, and older codes are rejected afterwards; a recovery code works once", arguments: StoreKind.tested)
  func once(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let anna = try await server.user("anna")
      let totp = TOTP()
      @Sendable func code(_ seconds: Double) throws -> String {
        String(decoding: try totp.code(atStep: TOTP.step(at: Self.start + seconds)), as: UTF8.self)
      }
      func check(_ code: String?, _ seconds: Double) async throws -> SecondFactorTable.Check {
        try await server.server.store.write {
          try SecondFactorTable.check(code, of: anna.id, at: Self.start + seconds, $0)
        }
      }
      let codes = try await server.server.store.write { db -> [String] in
        #expect(try SecondFactorTable.begin(totp, of: anna.id, at: Self.start, db))
        // Before the activation no code is required.
        #expect(try SecondFactorTable.check(nil, of: anna.id, at: Self.start, db) == .notEnrolled)
        guard case .wrong = try SecondFactorTable.activate("000 00", of: anna.id, at: Self.start, db) else { return [] }
        guard case .done(let codes) = try SecondFactorTable.activate(code(0), of: anna.id, at: Self.start, db) else { return [] }
        #expect(try !SecondFactorTable.begin(TOTP(), of: anna.id, at: Self.start, db))
        return codes
      }
      #expect(codes.count == 10 && Set(codes).count == 10 && codes.allSatisfy { $0.count == 19 })
      #expect(try await check(nil, 1) == .missing)
      #expect(try await check(" ", 1) == .missing)
      #expect(try await check(code(0), 1) == .wrong, "the activation has used the code")
      #expect(try await check(code(60), 60) == .right)
      #expect(try await check(code(60), 61) == .wrong)
      #expect(try await check(code(30), 61) == .wrong, "older than the last one")
      let spaced = try code(90)
      #expect(try await check(spaced.prefix(3) + " " + spaced.suffix(3), 70) == .right)
      #expect(try await check(codes[0], 70) == .recovered)
      #expect(try await check(codes[0], 70) == .wrong)
      #expect(try await check(codes[1].uppercased().replacing("-", with: ""), 70) == .recovered)
      #expect(try await check("abcd-efgh-ijkl-mnop", 70) == .wrong)
      #expect(try server.server.store.read { try SecondFactorTable.recoveryCodes(of: anna.id, $0) } == 8)
    }
  }

  // MARK: Routes

  /// Enrols a user over the API.
  /// - Returns: the recovery codes.
  private static func enrol(_ server: AccountServer, _ user: User, _ caller: AccountServer.Caller) async throws -> [String] {
    let begun = server.send(
      "POST", "/api/v1/second-factor", as: caller, body: #"{"password":"\#(AccountServer.password)"}"#)
    #expect(begun.status == 201, "\(begun.text)")
    #expect((begun.object["uri"] as? String)?.contains("secret=\(begun.object["secret"] as? String ?? "")&") == true)
    let done = server.send(
      "POST", "/api/v1/second-factor/activation", as: caller, body: #"{"code":"\#(try await code(server, user))"}"#)
    #expect(done.status == 200, "\(done.text)")
    return done.object["recovery_codes"] as? [String] ?? []
  }

  /// A valid code for the current time; a code of the same step may be used again.
  private static func code(_ server: AccountServer, _ user: User) async throws -> String {
    try await server.run("UPDATE second_factors SET last_step = 0", [])
    let secret = try server.server.store.read { db in
      try db.first("SELECT secret FROM second_factors WHERE account = ?", user.id) { $0.blob(0) }
    }
    let totp = TOTP(secret: try #require(secret))
    return String(decoding: try totp.code(atStep: TOTP.step(at: Date())), as: UTF8.self)
  }

  private static func signIn(_ server: AccountServer, _ code: String?, password: String = AccountServer.password) -> Response {
    let more = code.map { #","code":"\#($0)""# } ?? ""
    return server.send("POST", "/api/v1/session", body: #"{"name":"anna","password":"\#(password)"\#(more)}"#)
  }

  @Test(
    "after the enrolment a sign-in needs a code; the removal needs the password and a code", arguments: StoreKind.tested
  )
  func signingIn(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let anna = try await server.user("anna")
      let browser = try await server.session(of: anna)
      let (_, phone) = try await server.device("phone", of: anna)
      let program = try await server.token(.read, of: anna)
      func show() -> Response { server.send("GET", "/api/v1/second-factor", as: browser) }
      #expect(show().object["enrolled"] as? Bool == false)
      let wrong = server.send("POST", "/api/v1/second-factor", as: browser, body: #"{"password":"wrong password"}"#)
      #expect(wrong.status == 422 && wrong.object["type"] as? String == "/api#wrong-password")
      #expect(
        server.send("POST", "/api/v1/second-factor/activation", as: browser, body: #"{"code":"123456"}"#).status == 409)
      let codes = try await Self.enrol(server, anna, browser)
      #expect(show().object["enrolled"] as? Bool == true && show().object["recovery_codes"] as? Int == 10)
      let again = { (more: String) in
        server.send(
          "POST", "/api/v1/second-factor", as: browser, body: #"{"password":"\#(AccountServer.password)"\#(more)}"#)
      }
      #expect(again("").object["type"] as? String == "/api#code-needed")
      #expect(again(#","code":"\#(codes[9])""#).status == 409)

      let needed = Self.signIn(server, nil)
      #expect(needed.status == 401 && needed.object["type"] as? String == "/api#second-factor-needed", "\(needed.text)")
      #expect(needed.session == nil && needed.headers["set-cookie"] == nil)
      // Whether there is a second factor is reported after the right password only.
      #expect(Self.signIn(server, nil, password: "wrong password").object["type"] as? String == "/api#unauthorized")
      let bad = Self.signIn(server, "12345x")
      #expect(bad.status == 401 && bad.object["type"] as? String == "/api#code-not-valid" && bad.session == nil)
      let code = try await Self.code(server, anna)
      #expect(Self.signIn(server, code).status == 200)
      #expect(Self.signIn(server, code).status == 401, "a code works once")
      #expect(Self.signIn(server, codes[0]).status == 200)
      #expect(Self.signIn(server, codes[0]).status == 401)
      let log = try server.log()
      #expect(log.contains { $0.action == "sign-in" && $0.subject.hasPrefix("with a recovery code") })
      #expect(log.contains { $0.action == "sign-in failed" && $0.subject == "wrong code" })

      // Tokens of devices and programs stay valid.
      #expect(server.send("GET", "/api/overland", as: phone).status == 200)
      #expect(server.send("GET", "/api/v1/devices", as: program).status == 200)

      func ask(_ path: String, _ body: String) -> Response {
        server.send("POST", "/api/v1/second-factor/\(path)", as: browser, body: body)
      }
      let password = #""password":"\#(AccountServer.password)""#
      #expect(ask("removal", "{\(password)}").object["type"] as? String == "/api#code-needed")
      #expect(ask("removal", #"{\#(password),"code":"12345x"}"#).object["type"] as? String == "/api#wrong-code")
      #expect(ask("removal", #"{"password":"wrong password","code":"\#(codes[1])"}"#).status == 422)
      let renewed = ask("recovery-codes", #"{\#(password),"code":"\#(try await Self.code(server, anna))"}"#)
      #expect((renewed.object["recovery_codes"] as? [String])?.count == 10, "\(renewed.text)")
      #expect(Self.signIn(server, codes[2]).status == 401, "the old recovery codes are invalid")
      try await server.run("DELETE FROM sign_in_failures", [])
      #expect(ask("removal", #"{\#(password),"code":"\#(try await Self.code(server, anna))"}"#).status == 200)
      #expect(show().object["enrolled"] as? Bool == false && show().object["recovery_codes"] as? Int == 0)
      #expect(Self.signIn(server, nil).status == 200)
    }
  }

  @Test("an enrolment expires after ten minutes, and wrong codes are throttled as at sign-in")
  func enrolment() async throws {
    try await AccountServer.with { server in
      let anna = try await server.user("anna")
      let browser = try await server.session(of: anna)
      func activate(_ code: String) -> Response {
        server.send("POST", "/api/v1/second-factor/activation", as: browser, body: #"{"code":"\#(code)"}"#)
      }
      let begin = #"{"password":"\#(AccountServer.password)"}"#
      #expect(server.send("POST", "/api/v1/second-factor", as: browser, body: begin).status == 201)
      try await server.run("UPDATE second_factors SET created = created - 600001", [])
      #expect(activate(try await Self.code(server, anna)).status == 409)
      #expect(server.send("POST", "/api/v1/second-factor", as: browser, body: begin).status == 201)
      for _ in 0..<5 { #expect(activate("12345x").status == 422) }
      // With twelve failures the delay is longer than this test.
      try await server.run("UPDATE sign_in_failures SET failures = failures + 7", [])
      #expect(activate(try await Self.code(server, anna)).status == 429)
      try await server.run("DELETE FROM sign_in_failures", [])
      #expect(activate(try await Self.code(server, anna)).status == 200)
    }
  }

  @Test("wrong codes are throttled like wrong passwords, and the right password alone does not reset the failures")
  func throttled() async throws {
    try await AccountServer.with { server in
      let anna = try await server.user("anna")
      _ = try await Self.enrol(server, anna, try await server.session(of: anna))
      func failures() throws -> [Int64] {
        try server.server.store.read { try $0.all("SELECT failures FROM sign_in_failures") { $0.integer(0) } }
      }
      for _ in 0..<3 { #expect(Self.signIn(server, "12345x").status == 401) }
      #expect(try failures() == [3, 3, 3])
      for _ in 0..<3 { #expect(Self.signIn(server, nil).status == 401) }
      #expect(try failures() == [3, 3, 3])
      for _ in 0..<2 { #expect(Self.signIn(server, "12345x").status == 401) }
      // With twelve failures the delay is longer than this test.
      try await server.run("UPDATE sign_in_failures SET failures = failures + 7", [])
      #expect(Self.signIn(server, nil).status == 429)
      // After the free attempts, a right password without a code leaves all counts unchanged.
      try await server.run("UPDATE sign_in_failures SET failures = failures - 7, last = last - 60000", [])
      #expect(Self.signIn(server, nil).status == 401)
      #expect(try failures() == [5, 5, 5])
      try await server.run("UPDATE sign_in_failures SET last = last - 60000", [])
      #expect(Self.signIn(server, try await Self.code(server, anna)).status == 200)
    }
  }

  @Test(
    "an administrator and the command line remove a lost factor, a member does not; it is deleted with its user",
    arguments: StoreKind.tested)
  func lost(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let (root, anna) = (try await server.user("root", .admin), try await server.user("anna"))
      let (admin, browser) = (try await server.session(of: root), try await server.session(of: anna))
      let path = "/api/v1/users/anna/second-factor"
      _ = try await Self.enrol(server, anna, browser)
      let listed = server.send("GET", "/api/v1/users", as: admin).list("users")
      #expect(listed.map { $0["second_factor"] as? Bool } == [true, false])
      #expect(server.send("DELETE", path, as: browser).status == 403)
      #expect(server.send("DELETE", path, as: admin).status == 200)
      #expect(server.send("DELETE", path, as: admin).status == 404)
      #expect(Self.signIn(server, nil).status == 200)

      let accounts = UserAdministration(server.server.store)
      #expect(try await accounts.removeSecondFactor(of: "nobody", at: Self.start) == nil)
      #expect(try await accounts.removeSecondFactor(of: "anna", at: Self.start) == false)
      _ = try await Self.enrol(server, anna, browser)
      #expect(try accounts.usersWithSecondFactor() == [anna.id])
      #expect(try await accounts.removeSecondFactor(of: "Anna", at: Self.start) == true)
      #expect(try server.log().contains { $0.action == "user remove-second-factor" && $0.subject == "anna" })

      _ = try await Self.enrol(server, anna, browser)
      #expect(server.send("DELETE", "/api/v1/users/anna?data=delete", as: admin).status == 200)
      let left = try server.server.store.read {
        try $0.integer("SELECT (SELECT count(*) FROM second_factors) + (SELECT count(*) FROM recovery_codes)")
      }
      #expect(left == 0)
    }
  }
}
