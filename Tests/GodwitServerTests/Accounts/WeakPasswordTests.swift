import Foundation
import TestClient
import Testing

@testable import GodwitAccess
@testable import GodwitAccounts
@testable import GodwitServer
@testable import GodwitStore

@Suite("Common passwords")
struct WeakPasswordTests {
  @Test(
    "common passwords are rejected with the reason",
    arguments: [
      ("aaaaaaaa", "repeats"), ("abababab", "repeats"), ("xyzxyzxyzx", "repeats"), ("tomatotomato", "repeats"),
      ("12345678", "sequence"), ("abcd1234", "sequence"), ("87654321", "sequence"), ("qwertyuiop", "sequence"),
      ("QWERTZUI", "sequence"), ("asdfghjkl", "sequence"), ("aaaabbbb", "sequence"), ("qwerty123456", "sequence"),
      ("19850412", "digits"), ("0049170123456", "digits"),
      ("anna2024", "name"), ("Anna!Anna", "name"), ("xannax12", "name"),
      ("password", "common"), ("Password1!", "common"), ("P@ssw0rd", "common"), ("p455w0rd123", "common"),
      ("Passwort2024", "common"), ("123password", "common"), ("letmein2026", "common"), ("iloveyou!", "common"),
      ("Summer2024!", "common"), ("trustno1", "common"), ("1q2w3e4r", "common"), ("1qaz2wsx", "common"),
      ("dragonmonkey", "common"), ("welcomehome99", "common"), ("godwitserver", "common"), ("changeme", "common"),
    ])
  func weak(_ password: String, _ reason: String) {
    let fault = Password.fault(password, user: "Anna")
    #expect(fault?.contains(reason) == true, "\(fault ?? "accepted")")
  }

  @Test(
    "other passwords are accepted",
    arguments: [
      "correct horse", "correct horse battery", "long enough", "a new password", "another password", "battery staple",
      "x7#kQ2m!", "tR9vLw3z", "grünes Fahrrad", "dragon fights 17 monkeys", "annabel likes hot tea", "31415926535897",
      "password 8 nettles", "summer2024 in Ljubljana", "мой пароль длинный",
    ])
  func good(_ password: String) {
    let fault = Password.fault(password, user: "anna")
    #expect(fault == nil, "\(fault ?? "")")
  }

  @Test("the list has at least 300 lowercase words")
  func list() {
    #expect(GuessedPasswords.words.count >= 300)
    #expect(GuessedPasswords.words.allSatisfy { $0 == $0.lowercased() && $0.count > 2 })
  }

  @Test("every way to set a password rejects common ones: own, new user, first user, changed, command line")
  func everywhere() async throws {
    try await AccountServer.with { server in
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      let first = server.send("POST", "/api/v1/users", as: administrator, body: #"{"name":"anna","password":"Password1"}"#)
      #expect(first.status == 422 && first.object["at"] as? String == "password" && first.text.contains("most common"))
      let anna = try await server.user("anna", .admin)
      let browser = try await server.session(of: anna)
      let own = server.send(
        "POST", "/api/v1/password", as: browser, body: #"{"old":"\#(AccountServer.password)","new":"anna2024"}"#)
      #expect(own.status == 422 && own.object["at"] as? String == "new" && own.text.contains("user's name"))
      #expect(server.send("PUT", "/api/v1/users/anna", as: administrator, body: #"{"password":"qwertyuiop"}"#).status == 422)
      #expect(server.send("POST", "/api/v1/users", as: browser, body: #"{"name":"ben","password":"12345678"}"#).status == 422)
      let accounts = UserAdministration(server.server.store)
      await #expect(throws: UserError.self) {
        try await accounts.add("ben", role: .member, password: "password2024", at: Date(timeIntervalSince1970: 0))
      }
      await #expect(throws: UserError.self) {
        try await accounts.setPassword("iloveyou1", of: "anna", at: Date(timeIntervalSince1970: 0))
      }
      // An existing password stays valid.
      #expect(server.signIn("anna").status == 200)
    }
  }
}
