internal import Foundation
package import GodwitHTTPClient
internal import Synchronization

/// An HTTP request to a webhook.
package struct WebhookRequest: Sendable {
  package var url: String
  package var headers: [String: String]
  package var body: [UInt8]
}

/// The network of a sender; replaceable in tests.
package protocol WebhookTransport: Sendable {
  /// Sends a request; calls `completion` once, on any thread, with the answer or the error.
  func send(_ request: WebhookRequest, completion: @escaping @Sendable (Result<HTTPClient.Response, HTTPError>) -> Void)
  /// Cancels the requests in flight and calls their completions. Later requests fail.
  func close()
}

/// Sends deliveries over HTTP. Redirects are not followed, so that a delivery reaches only the configured URL.
package final class HTTPTransport: WebhookTransport {
  private struct State {
    /// The functions that cancel the requests in flight, by number; `nil` while a request is being started.
    var running: [Int: (@Sendable () -> Void)?] = [:]
    var lastNumber = 0
    var isClosed = false
  }
  private let network: HTTPStarter
  private let state = Mutex(State())

  package init(_ network: HTTPStarter = .live()) { self.network = network }

  package func send(_ request: WebhookRequest, completion: @escaping @Sendable (Result<HTTPClient.Response, HTTPError>) -> Void) {
    guard let url = URL(string: request.url) else {
      return completion(.failure(HTTPError("\"\(request.url)\" is not a valid address.")))
    }
    let number = state.withLock { state -> Int? in
      guard !state.isClosed else { return nil }
      state.lastNumber += 1
      state.running[state.lastNumber] = .some(nil)
      return state.lastNumber
    }
    guard let number else { return completion(.failure(Self.stopping)) }
    let outgoing = HTTPClient.Request(url: url, headers: request.headers, body: request.body).boundedForServer
    let cancel = network.start(outgoing) { [self] result in
      let isClosed = state.withLock { state in
        state.running[number] = nil
        return state.isClosed
      }
      completion(isClosed ? result.mapError { _ in Self.stopping } : result)
    }
    let isClosed = state.withLock { state in
      // The request may have ended already.
      if state.running[number] != nil { state.running[number] = .some(cancel) }
      return state.isClosed
    }
    if isClosed { cancel() }
  }

  package func close() {
    let running = state.withLock { state in
      state.isClosed = true
      return state.running.values.compactMap(\.self)
    }
    for cancel in running { cancel() }
  }

  private static let stopping = HTTPError("The server is stopping.")
}
