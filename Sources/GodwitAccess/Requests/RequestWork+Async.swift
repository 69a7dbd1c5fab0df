internal import Foundation
package import GodwitHTTP
internal import GodwitServices
package import GodwitStore

extension RequestWork {
  /// Reads from the store on the reading queue, without blocking a thread of the caller.
  /// - Throws: a ``Problem``, also for an error of the store.
  package func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value) async throws(Problem)
    -> Value
  {
    try await run { try store.read(body) }
  }

  /// Runs a function on the reading queue, without blocking a thread of the caller.
  package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws(Problem) -> Value {
    let result: Result<Value, Problem> = await withCheckedContinuation { continuation in
      reading.async {
        do {
          continuation.resume(returning: .success(try body()))
        } catch {
          continuation.resume(returning: .failure(Problem.unavailable("Store not readable", error)))
        }
      }
    }
    return try result.get()
  }

  /// Runs a change in a transaction of the store's single writer. Returns after the commit.
  /// - Parameter body: may run twice, and must have no other side effects. An error rolls the transaction back.
  /// - Throws: a ``Problem``, also for an error of the store.
  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws(Problem) -> Value {
    let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
      store.write(body) { result in
        changed()
        continuation.resume(returning: result)
      }
    }
    return try result.mapError { Self.problem($0) }.get()
  }
}
