internal import Foundation

/// Starts requests and calls back on completion, for a caller whose responses must not wait for a thread of the task pool.
package struct HTTPStarter: Sendable {
  package typealias Completion = @Sendable (Result<HTTPClient.Response, HTTPError>) -> Void

  /// Starts a request.
  /// - Parameter completion: called once, on any thread.
  /// - Returns: a function that cancels the request; `completion` is called then too.
  package var start: @Sendable (HTTPClient.Request, _ completion: @escaping Completion) -> @Sendable () -> Void

  package init(start: @escaping @Sendable (HTTPClient.Request, _ completion: @escaping Completion) -> @Sendable () -> Void) {
    self.start = start
  }

  /// Returns a starter for the network, as ``HTTPClient/live()``.
  package static func live() -> HTTPStarter {
    #if os(Linux)
      let session = CurlSession()
      return HTTPStarter { session.start($0, completion: $1) }
    #else
      let session = SystemSession()
      return HTTPStarter { request, completion in
        let task = Task {
          do { completion(.success(try await session.send(request))) } catch {
            completion(.failure(error as? HTTPError ?? HTTPError(error.localizedDescription)))
          }
        }
        return { task.cancel() }
      }
    #endif
  }
}
