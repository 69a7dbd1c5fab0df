package import Foundation
package import GodwitAccounts
package import GodwitHTTP
internal import GodwitModel
package import GodwitStore

extension SignIn {
  /// The credentials that a signed-in user enters again.
  package struct Credentials: Sendable {
    package var password: String
    /// A code of the authenticator, or a recovery code; required if a second factor is enrolled.
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

  /// Verifies the password of a signed-in user, and the code if a second factor is enrolled. Failures count as failed
  /// sign-ins.
  /// - Parameters:
  ///   - credentials: the entered credentials.
  ///   - user: the user whose credentials they must be.
  ///   - address: the address of the client.
  ///   - session: the number of the session of the request, which has its own count of failures; `nil`: there is none.
  ///   - now: the time of the request.
  ///   - completion: called once, from any thread.
  package func verify(
    _ credentials: Credentials, of user: User, from address: String, session: Int64?, at now: Date,
    completion: @escaping @Sendable (Result<Void, Problem>) -> Void
  ) {
    @Sendable func fail(_ error: any Error) { completion(.failure(Problem.unavailable("Not stored", error))) }
    let subjects = SignInThrottle.Subject.all(
      of: user.name, from: ClientNetwork(address).description, session: session)
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
              completion: { [self] result in
                switch result {
                case .failure(let error): retract(subjects) { fail(error) }
                case .success(.missing): fail(Self.codeNeeded)
                case .success(.wrong): fail(Self.wrongCode)
                case .success: completion(.success(()))
                }
              })
          }
          if !isTaken { retract(subjects) { fail(Self.busy) } }
        }
      })
  }

  /// Checks the code of a user whose password was correct, and updates the counts of failures.
  /// - Parameters:
  ///   - action: the action in the audit log for a wrong code.
  ///   - db: a connection in a transaction that is committed regardless of the result.
  package static func check(
    _ code: String?, of user: User, from address: String, _ subjects: [SignInThrottle.Subject], action: String, at now: Date,
    _ db: any SQLConnection
  ) throws -> SecondFactorTable.Check {
    let check = try SecondFactorTable.check(code, of: user.id, at: now, db)
    switch check {
    case .missing:
      // The correct password alone must not reset the count of wrong codes.
      try SignInThrottle.retract(subjects, db)
    case .wrong:
      let entry = AuditEntry(
        account: user.id, actor: user.name, action: action, subject: "wrong code", address: address)
      try AuditTable.add(entry, at: now, db)
    case .notEnrolled, .right, .recovered: try SignInThrottle.succeed(subjects, db)
    }
    return check
  }

  /// Returns the problem of a throttled attempt.
  ///
  /// - Parameter wait: the seconds to wait.
  package static func tooMany(_ wait: TimeInterval) -> Problem {
    let seconds = Int(wait.rounded(.up))
    return Problem(
      429, "Too many attempts", "Too many attempts failed. Try again in \(seconds.counted("second")).", retryAfter: seconds)
  }
}
