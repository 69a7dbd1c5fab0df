package import Foundation
package import GodwitAccounts
package import GodwitHTTP
package import GodwitStore

extension SignIn {
  /// What a signed-in user enters once more.
  package struct Credentials: Sendable {
    package var password: String
    /// Of the authenticator, or a recovery code; needed where a second factor is enrolled.
    package var code: String?

    package init(password: String, code: String? = nil) {
      self.password = password
      self.code = code
    }
  }

  package static let wrongCode = Problem(
    422, "Wrong code", "code: wrong, too old, or used already. Enter the code that the app shows now.", at: "code")
  private static let codeNeeded = Problem(
    422, "Code needed", "code: enter the code of the authenticator app, or a recovery code.", at: "code")
  private static let wrongPassword = Problem(
    422, "Wrong password", "password: wrong password.", at: "password")

  /// Verifies the password of a signed-in user, and the code where a second factor is enrolled. Wrong ones count as failed
  /// sign-ins do.
  /// - Parameters:
  ///   - credentials: as they were entered.
  ///   - user: the user that they must belong to.
  ///   - address: of the client.
  ///   - now: the time of the request.
  ///   - completion: called once, from any thread.
  package func verify(
    _ credentials: Credentials, of user: User, from address: String, at now: Date,
    completion: @escaping @Sendable (Result<Void, Problem>) -> Void
  ) {
    @Sendable func fail(_ error: any Error) { completion(.failure(Problem.unavailable("Not stored", error))) }
    let subjects = SignInThrottle.Subject.all(of: user.name, from: ClientNetwork(address).description)
    let database = database
    database.write(
      { db -> String in
        if let wait = try SignInThrottle.begin(subjects, at: now, db) { throw Self.tooMany(wait) }
        return try UserTable.password(of: user.id, db) ?? Password.nobodys
      },
      completion: { [self] result in
        switch result {
        case .failure(let error): fail(error)
        case .success(let kept):
          let isTaken = perform {
            guard credentials.password.count <= Password.lengths.upperBound, Password.isRight(credentials.password, kept: kept)
            else { return fail(Self.wrongPassword) }
            database.write(
              { db in
                try Self.check(
                  credentials.code, of: user, from: address, subjects, action: "confirmation failed", at: now, db)
              },
              completion: { result in
                switch result {
                case .failure(let error): fail(error)
                case .success(.missing): fail(Self.codeNeeded)
                case .success(.wrong): fail(Self.wrongCode)
                case .success: completion(.success(()))
                }
              })
          }
          if !isTaken { fail(Self.busy) }
        }
      })
  }

  /// Checks the code of a user whose password was right, and settles what the attempt counts for.
  /// - Parameters:
  ///   - action: how the log names a wrong code.
  ///   - db: in a transaction that is committed whatever the code is.
  package static func check(
    _ code: String?, of user: User, from address: String, _ subjects: [SignInThrottle.Subject], action: String, at now: Date,
    _ db: any SQLConnection
  ) throws -> SecondFactorTable.Check {
    let check = try SecondFactorTable.check(code, of: user.id, at: now, db)
    switch check {
    case .missing:
      // The right password alone must not make the count of wrong codes restarts.
      try SignInThrottle.retract(subjects, db)
    case .wrong:
      let entry = AuditEntry(
        account: user.id, actor: user.name, action: action, subject: "wrong code", address: address)
      try AuditTable.add(entry, at: now, db)
    case .notEnrolled, .right, .recovered: try SignInThrottle.succeed(subjects, db)
    }
    return check
  }

  /// - Parameter wait: seconds.
  package static func tooMany(_ wait: TimeInterval) -> Problem {
    let seconds = Int(wait.rounded(.up))
    return Problem(
      429, "Too many attempts", "Too many attempts failed. Try again in \(seconds) seconds.", retryAfter: seconds)
  }
}
