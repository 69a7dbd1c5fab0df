package import Foundation
package import GodwitAccounts
package import GodwitHTTP
package import GodwitSecrets
internal import GodwitServices
package import GodwitStore
internal import Synchronization

/// Signs users in. Verifies one password at a time, because each verification takes 64 MiB, and concurrent sign-ins must
/// not exhaust the memory.
package final class SignIn: Sendable {
  package let database: any StoreDatabase
  /// Receives the events of sign-ins from new browsers.
  private let outbox: any EventOutbox
  private let queue: WorkQueue
  private let waiting = Atomic<Int>(0)

  /// Maximum pending verifications.
  private static let maximumWaiting = 32

  /// - Parameters:
  ///   - database: the users.
  ///   - outbox: receives the events of sign-ins from new browsers.
  package init(database: any StoreDatabase, outbox: any EventOutbox) {
    self.database = database
    self.outbox = outbox
    queue = database.queues.queue("godwit.passwords")
  }

  /// An attempt to sign in.
  package struct Attempt: Sendable {
    package var name: String
    package var password: String
    /// A code of the authenticator, or a recovery code; required if a second factor is enrolled.
    package var code: String?
    package var address: String
    package var agent: String
    package var time: Date
    /// The values of the browser's cookies, by name.
    package var cookie: @Sendable (String) -> String? = { _ in nil }

    package init(
      name: String, password: String, code: String? = nil, address: String, agent: String, time: Date,
      cookie: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
      self.name = name
      self.password = password
      self.code = code
      self.address = address
      self.agent = agent
      self.time = time
      self.cookie = cookie
    }

    fileprivate func subjects(_ browser: KnownBrowser?) -> [SignInThrottle.Subject] {
      SignInThrottle.Subject.all(of: name, from: ClientNetwork(address).description, browser: browser)
    }
  }

  /// The result of a successful sign-in.
  package struct Success: Sendable {
    package var user: User
    /// The secret of the session.
    package var secret: AccessToken
    /// The value of the cookie that identifies the browser at later sign-ins.
    package var browser: String
  }

  /// The user with the entered name.
  private struct Found: Sendable {
    var user: User
    /// The stored hash of the password.
    var kept: String
    /// The browser, if the user has signed in with it before.
    var browser: KnownBrowser?
  }

  /// Runs a computation with a password on the serial queue.
  /// - Returns: `false` if the queue is full.
  package func perform(_ work: @escaping @Sendable () -> Void) -> Bool {
    guard waiting.add(1, ordering: .relaxed).newValue <= Self.maximumWaiting else {
      waiting.subtract(1, ordering: .relaxed)
      return false
    }
    queue.async { [self] in
      work()
      waiting.subtract(1, ordering: .relaxed)
    }
    return true
  }

  private static let secondFactorNeeded = Problem(
    401, "Second factor needed", "The password is right. Send the code of the authenticator app, or a recovery code, as code.",
    at: "code")
  private static let codeNotValid = Problem(
    401, "Code not valid", "The code is wrong, too old, or was used already. Enter the code that the app shows now.", at: "code")

  package static let busy = Problem(503, "Busy", "Too many sign-ins at the same time. Try again in a moment.", retryAfter: 5)

  /// Signs a user in.
  /// - Parameters:
  ///   - attempt: the credentials and their origin.
  ///   - completion: called once, from any thread.
  package func signIn(
    _ attempt: Attempt, completion: @escaping @Sendable (Result<Success, Problem>) -> Void
  ) {
    @Sendable func fail(_ error: any Error) {
      completion(.failure(Problem.unavailable("Not stored", error)))
    }
    // The attempt is counted before the verification, so that concurrent attempts are limited as well.
    database.write(
      { db -> Found? in
        let found = try Self.user(of: attempt, db)
        if let wait = try SignInThrottle.begin(attempt.subjects(found?.browser), at: attempt.time, db) {
          throw Self.tooMany(wait)
        }
        return found
      },
      completion: { [self] result in
        switch result {
        case .failure(let error): fail(error)
        case .success(let found):
          let isTaken = perform {
            // The verification takes as long for an unknown name.
            let isRight = Password.isRight(attempt.password, kept: found?.kept ?? Password.nobodys)
            if let found, isRight { self.begin(found, attempt, completion) } else { self.refuse(attempt, found?.user, fail) }
          }
          if !isTaken { retract(attempt.subjects(found?.browser)) { fail(Self.busy) } }
        }
      })
  }

  /// Removes an attempt that could not be verified from the counts of failures, and then reports its error.
  func retract(_ subjects: [SignInThrottle.Subject], _ report: @escaping @Sendable () -> Void) {
    database.write({ try SignInThrottle.retract(subjects, $0) }, completion: { _ in report() })
  }

  private static func user(of attempt: Attempt, _ db: any SQLConnection) throws -> Found? {
    guard let user = try UserTable.user(named: attempt.name, db) else { return nil }
    let kept = try UserTable.password(of: user.id, db) ?? Password.nobodys
    let browser = attempt.cookie(KnownBrowser.cookie(of: user.id)).flatMap { KnownBrowser($0, of: user.id, kept: kept) }
    return Found(user: user, kept: kept, browser: browser)
  }

  private func begin(
    _ found: Found, _ attempt: Attempt, _ completion: @escaping @Sendable (Result<Success, Problem>) -> Void
  ) {
    let start = SessionStart(
      user: found.user, kept: found.kept, browser: found.browser, address: attempt.address, agent: attempt.agent,
      time: attempt.time)
    database.write(
      { [outbox] db -> (SecondFactorTable.Check, (success: Success, keys: [OrderingKey])?) in
        let check = try Self.check(
          attempt.code, of: found.user, from: attempt.address, attempt.subjects(found.browser), action: "sign-in failed",
          at: attempt.time, db)
        guard check.isPassed else { return (check, nil) }
        return (check, try start.begin(way: check == .recovered ? "with a recovery code" : nil, outbox: outbox, db))
      },
      completion: { [self] result in
        switch result {
        case .failure(let error):
          retract(attempt.subjects(found.browser)) { completion(.failure(Problem.unavailable("Not stored", error))) }
        case .success((.missing, _)): completion(.failure(Self.secondFactorNeeded))
        case .success((_, let begun?)):
          outbox.deliver(begun.keys)
          completion(.success(begun.success))
        case .success((_, nil)): completion(.failure(Self.codeNotValid))
        }
      })
  }

  private func refuse(_ attempt: Attempt, _ user: User?, _ fail: @escaping @Sendable (any Error) -> Void) {
    database.write(
      { db in
        // The name is not logged if it is unknown, because it may be a password.
        let entry = AuditEntry(
          account: user?.id, actor: user?.name ?? "an unknown name", action: "sign-in failed", address: attempt.address)
        try AuditTable.add(entry, at: attempt.time, db)
      },
      completion: { _ in
        fail(Problem(401, "Not signed in", "Wrong name or password. Check both."))
      })
  }
}
