internal import Foundation

/// Starts requests and calls back: for a caller whose responses must not wait for a thread of the task pool.
package struct HTTPStarter: Sendable {
  package typealias Completion = @Sendable (Result<HTTPClient.Response, HTTPError>) -> Void

  /// - Parameter completion: called once, from any thread.
  /// - Returns: a handle that cancels the request; its completion is called then too.
  package var start: @Sendable (HTTPClient.Request, _ completion: @escaping Completion) -> @Sendable () -> Void

  package init(start: @escaping @Sendable (HTTPClient.Request, _ completion: @escaping Completion) -> @Sendable () -> Void) {
    self.start = start
  }

  /// Over the network, as ``HTTPClient/live()``.
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
