internal import Foundation
internal import Synchronization

/// Compares passwords, one after the other: each takes 64 MiB and a moment, and a crowd at the door must not take all there is.
final class SignInDesk: Sendable {
  private let database: any StoreDatabase
  private let queue = DispatchQueue(label: "godwit.passwords")
  private let waiting = Atomic<Int>(0)

  /// Comparisons that may wait.
  private static let mostWaiting = 32

  init(database: any StoreDatabase) { self.database = database }

  /// Who wants to sign in.
  struct Attempt: Sendable {
    var name: String
    var password: String
    var address: String
    var agent: String
    var time: Date

    fileprivate var subjects: [SignInThrottle.Subject] { [.name(name), .address(address)] }
  }

  /// Runs what takes a password's time.
  /// - Returns: `false`: too much waits already.
  func perform(_ work: @escaping @Sendable () -> Void) -> Bool {
    guard waiting.add(1, ordering: .relaxed).newValue <= Self.mostWaiting else {
      waiting.subtract(1, ordering: .relaxed)
      return false
    }
    queue.async { [self] in
      work()
      waiting.subtract(1, ordering: .relaxed)
    }
    return true
  }

  static let busy = Problem(503, "Busy", "Many are signing in at this moment. Try again soon.", retryAfter: 5)

  /// Signs somebody in.
  /// - Parameters:
  ///   - attempt: who it is.
  ///   - completion: gets the user and the secret of the session, once, from any thread.
  func signIn(
    _ attempt: Attempt, completion: @escaping @Sendable (Result<(User, AccessToken), Problem>) -> Void
  ) {
    @Sendable func fail(_ error: any Error) {
      completion(.failure(error as? Problem ?? Problem(503, "Not stored", "\(error)", retryAfter: 5)))
    }
    // Counted before it is known to be wrong: attempts that are made at the same time count each other.
    database.write(
      { connection -> (user: User, kept: String)? in
        if let wait = try SignInThrottle.begin(attempt.subjects, at: attempt.time, connection) {
          throw Problem(
            429, "Too many attempts", "Somebody tried too often. Try again in \(Int(wait.rounded(.up))) seconds.",
            retryAfter: Int(wait.rounded(.up)))
        }
        guard let user = try UserTable.user(named: attempt.name, connection) else { return nil }
        return (user, try UserTable.password(of: user.id, connection) ?? Password.nobodys)
      },
      completion: { [self] result in
        switch result {
        case .failure(let error): fail(error)
        case .success(let found):
          let isTaken = perform {
            // As long for a name that nobody has.
            let isRight = Password.isRight(attempt.password, kept: found?.kept ?? Password.nobodys)
            if let found, isRight { self.begin(found.user, attempt, completion) } else { self.refuse(attempt, found?.user, fail) }
          }
          if !isTaken { fail(Self.busy) }
        }
      })
  }

  private func begin(
    _ user: User, _ attempt: Attempt, _ completion: @escaping @Sendable (Result<(User, AccessToken), Problem>) -> Void
  ) {
    let secret = AccessToken()
    database.write(
      { connection in
        try SignInThrottle.succeed(attempt.subjects, connection)
        try SessionTable.add(
          secret, of: user.id, address: attempt.address, agent: attempt.agent, at: attempt.time, connection)
        let entry = AuditEntry(account: user.id, actor: user.name, action: "sign-in", address: attempt.address)
        try AuditTable.add(entry, at: attempt.time, connection)
      },
      completion: { result in
        completion(
          result.map { (user, secret) }.mapError { Problem(503, "Not stored", "\($0)", retryAfter: 5) })
      })
  }

  private func refuse(_ attempt: Attempt, _ user: User?, _ fail: @escaping @Sendable (any Error) -> Void) {
    database.write(
      { connection in
        // What was typed for a name that nobody has may be a password: it is not written down.
        let entry = AuditEntry(
          account: user?.id, actor: user?.name ?? "an unknown name", action: "sign-in failed", address: attempt.address)
        try AuditTable.add(entry, at: attempt.time, connection)
      },
      completion: { _ in
        fail(Problem(401, "Not signed in", "This name and this password do not belong together. Check both."))
      })
  }
}
