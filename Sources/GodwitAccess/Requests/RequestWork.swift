package import Foundation
package import GodwitHTTP
package import GodwitServices
package import GodwitStore

/// The work of requests that takes longer than a moment: reads on a queue beside the threads that take in requests, and changes in
/// a transaction on the store's thread.
package struct RequestWork: Sendable {
  package let store: any StoreDatabase
  /// Long reads happen here and not on the threads that take in requests.
  package let reading: WorkQueue
  /// Called after each change: rights may have changed.
  package let changed: @Sendable () -> Void

  /// The clock of the server.
  package var clock: ServerClock { store.clock }
  /// The date; handlers use it instead of `Date()`.
  package var now: Date { store.clock.now }

  package init(store: any StoreDatabase, reading: WorkQueue, changed: @escaping @Sendable () -> Void) {
    self.store = store
    self.reading = reading
    self.changed = changed
  }

  /// Suspends a request and answers it from the reading queue, with what `body` reads from the store.
  package func read(
    _ request: HTTPRequest, _ body: @escaping @Sendable (any SQLConnection) throws -> HTTPResponse
  ) -> HTTPReply {
    later(request) { try store.read(body) }
  }

  /// Suspends a request and answers it from the reading queue.
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

  /// Suspends a request, changes something in a transaction, and answers after the commit.
  package func change(
    _ request: HTTPRequest, _ body: @escaping @Sendable (any SQLConnection) throws -> HTTPResponse
  ) -> HTTPReply {
    if let rejection = request.suspend() { return .now(rejection) }
    write(request, body)
    return .later
  }

  /// The same for a request that is suspended already.
  package func write(_ request: HTTPRequest, _ body: @escaping @Sendable (any SQLConnection) throws -> HTTPResponse) {
    store.write(body) { result in
      changed()
      switch result {
      case .success(let response): request.finish(response)
      case .failure(let error): request.finish(Self.problem(error).response)
      }
    }
  }

  /// How an error of the store looks to a client.
  package static func problem(_ error: any Error) -> Problem { Problem.unavailable("Not stored", error) }
}
