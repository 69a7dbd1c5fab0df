package import Foundation
package import GodwitHTTP
package import GodwitServices
package import GodwitStore

/// Runs the slow work of requests: reads on a separate queue, and changes in a transaction on the store's thread.
package struct RequestWork: Sendable {
  package let store: any StoreDatabase
  /// The queue of long reads, which must not block the threads of connections.
  package let reading: WorkQueue
  /// Called after each change, because permissions may have changed.
  package let changed: @Sendable () -> Void

  /// The clock of the server.
  package var clock: ServerClock { store.clock }
  /// The current time. Handlers use it instead of `Date()`.
  package var now: Date { store.clock.now }

  package init(store: any StoreDatabase, reading: WorkQueue, changed: @escaping @Sendable () -> Void) {
    self.store = store
    self.reading = reading
    self.changed = changed
  }

  /// Suspends a request, and answers it on the reading queue with the result of a read from the store.
  package func read(
    _ request: HTTPRequest, _ body: @escaping @Sendable (any SQLConnection) throws -> HTTPResponse
  ) -> HTTPReply {
    later(request) { try store.read(body) }
  }

  /// Suspends a request, and answers it on the reading queue.
  package func later(_ request: HTTPRequest, _ body: @escaping @Sendable () throws -> HTTPResponse) -> HTTPReply {
    if let rejection = request.suspend() { return .now(rejection) }
    reading.async {
      do {
        request.finish(try body())
      } catch let problem as Problem {
        request.finish(problem.response)
      } catch {
        request.finish(Problem.unavailable("Store not readable", error).response)
      }
    }
    return .later
  }

  /// Suspends a request, runs a change in a transaction, and answers after the commit.
  package func change(
    _ request: HTTPRequest, _ body: @escaping @Sendable (any SQLConnection) throws -> HTTPResponse
  ) -> HTTPReply {
    if let rejection = request.suspend() { return .now(rejection) }
    write(request, body)
    return .later
  }

  /// Runs a change in a transaction for a suspended request, and answers after the commit.
  package func write(_ request: HTTPRequest, _ body: @escaping @Sendable (any SQLConnection) throws -> HTTPResponse) {
    store.write(body) { result in
      changed()
      switch result {
      case .success(let response): request.finish(response)
      case .failure(let error): request.finish(Self.problem(error).response)
      }
    }
  }

  /// Returns the problem that a client receives for an error of the store.
  package static func problem(_ error: any Error) -> Problem { Problem.unavailable("Not stored", error) }
}
