/// A step that changes every response between its handler and the client.
///
/// Called for each request, on the thread of the store or of the connection. It must not block.
package protocol ResponseMiddleware: Sendable {
  func complete(_ response: inout HTTPResponse, for request: HTTPRequest)
}

/// The steps of a server, in the order in which a response passes them.
package struct ResponseMiddlewareChain: Sendable {
  private let steps: [any ResponseMiddleware]

  package init(_ steps: [any ResponseMiddleware]) { self.steps = steps }

  /// Returns the steps of a server with cookies and positions.
  /// - Parameters:
  ///   - origins: the origins whose pages may read responses.
  ///   - requiresTLS: whether responses over TLS require TLS of later requests.
  package static func standard(origins: AllowedOrigins, requiresTLS: Bool = true) -> ResponseMiddlewareChain {
    ResponseMiddlewareChain([
      RequestIDMiddleware(), SecurityHeadersMiddleware(requiresTLS: requiresTLS), CORSMiddleware(origins), CachingMiddleware(),
      CompressionMiddleware(),
    ])
  }

  /// - Parameters:
  ///   - response: the response of a handler.
  ///   - request: the request.
  /// - Returns: the response that is sent.
  package func complete(_ response: HTTPResponse, for request: HTTPRequest) -> HTTPResponse {
    var response = response
    for step in steps { step.complete(&response, for: request) }
    return response
  }
}
