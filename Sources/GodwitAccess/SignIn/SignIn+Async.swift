package import Foundation
package import GodwitAccounts
package import GodwitHTTP
internal import GodwitStore

extension SignIn {
  /// Signs a user in.
  /// - Throws: ``Problem`` if the attempt is rejected, or the store fails.
  package func signIn(_ attempt: Attempt) async throws(Problem) -> Success {
    let result = await withCheckedContinuation { continuation in
      signIn(attempt) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Verifies the password of a signed-in user, and the code if a second factor is enrolled. Failures count as failed
  /// sign-ins.
  /// - Throws: ``Problem`` if they are wrong, or the store fails.
  package func verify(
    _ credentials: Credentials, of user: User, from address: String, session: Int64?, at now: Date
  ) async throws(Problem) {
    let result = await withCheckedContinuation { continuation in
      verify(credentials, of: user, from: address, session: session, at: now) { continuation.resume(returning: $0) }
    }
    try result.get()
  }

  /// Runs a step of an attempt that is counted already. If it throws, the attempt could not be verified, and is removed from
  /// the counts of failures.
  package func verifying<Value: Sendable>(
    _ subjects: [SignInThrottle.Subject], _ step: () async throws -> Value
  ) async throws -> Value {
    do { return try await step() } catch {
      _ = try? await database.write { try SignInThrottle.retract(subjects, $0) }
      throw error
    }
  }

  /// Runs a computation with a password on the serial queue of password hashing.
  /// - Throws: ``Problem``, also if the queue is full.
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
