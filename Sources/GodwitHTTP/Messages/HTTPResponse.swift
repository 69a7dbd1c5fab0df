/// The result of a handler: the response, or that `HTTPRequest.finish(_:)` will send it later.
package enum HTTPReply {
  case now(HTTPResponse)
  case later
}

/// A response.
package struct HTTPResponse: Sendable {
  package var status: Int
  package var headers: [(name: String, value: String)] = []
  package var body: Body
  /// The problem in the body. The body is written again when the request's identifier is known.
  package var problem: Problem?

  package enum Body: Sendable {
    case bytes([UInt8])
    /// Server-sent events until the client disconnects or the source ends.
    case events(any EventSource)
    /// A body that is generated while it is sent.
    case streaming(StreamingBody)
  }

  package init(status: Int, contentType: String, body: [UInt8]) {
    self.status = status
    self.headers = [("Content-Type", contentType)]
    self.body = .bytes(body)
  }

  package init(events: any EventSource) {
    status = 200
    headers = [("Content-Type", "text/event-stream"), ("X-Accel-Buffering", "no"), ("Cache-Control", "no-store")]
    body = .events(events)
  }

  package init(streaming bytes: StreamingBody, contentType: String) {
    status = 200
    headers = [("Content-Type", contentType)]
    body = .streaming(bytes)
  }

  package static func json(_ body: [UInt8], status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, contentType: "application/json", body: body)
  }

  package static func text(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
  }

  /// Returns the response with an additional header.
  package func with(_ name: String, _ value: String) -> HTTPResponse {
    var response = self
    response.headers.append((name, value))
    return response
  }

  /// The value of a header; names are case-insensitive.
  package func header(_ name: String) -> String? {
    headers.first { HeaderName.matches($0.name, name) }?.value
  }
}
