package import Foundation
package import GodwitAccounts
package import GodwitHTTP

extension SignIn {
  /// Signs a user in.
  /// - Throws: ``Problem`` where the attempt is refused, or the store does not answer.
  package func signIn(_ attempt: Attempt) async throws(Problem) -> Success {
    let result = await withCheckedContinuation { continuation in
      signIn(attempt) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Verifies the password of a signed-in user, and the code where a second factor is enrolled. Wrong ones count as failed
  /// sign-ins do.
  /// - Throws: ``Problem`` where they are wrong, or the store does not answer.
  package func verify(
    _ credentials: Credentials, of user: User, from address: String, at now: Date
  ) async throws(Problem) {
    let result = await withCheckedContinuation { continuation in
      verify(credentials, of: user, from: address, at: now) { continuation.resume(returning: $0) }
    }
    try result.get()
  }

  /// Computes what takes a password's time, after those that wait already.
  /// - Throws: ``Problem``, also where too many wait.
  package func compute<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws(Problem) -> Value {
    let result: Result<Value, Problem> = await withCheckedContinuation { continuation in
      let isTaken = perform {
        do { continuation.resume(returning: .success(try work())) } catch {
          continuation.resume(returning: .failure(RequestWork.problem(error)))
        }
      }
      if !isTaken { continuation.resume(returning: .failure(Self.busy)) }
    }
    return try result.get()
  }
}
