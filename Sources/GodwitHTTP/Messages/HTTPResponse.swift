/// What a handler says: the answer, or that it comes later by `HTTPRequest.finish(_:)`.
package enum HTTPReply {
  case now(HTTPResponse)
  case later
}

/// An answer.
package struct HTTPResponse: Sendable {
  package var status: Int
  package var headers: [(name: String, value: String)] = []
  package var body: Body
  /// What it says is wrong, which is written once more when the request's id is known.
  package var problem: Problem?

  package enum Body: Sendable {
    case bytes([UInt8])
    /// Server-sent events until the client leaves or the source ends.
    case events(any EventSource)
    /// Made while it is sent.
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

  /// The same with one more header.
  package func with(_ name: String, _ value: String) -> HTTPResponse {
    var response = self
    response.headers.append((name, value))
    return response
  }

  /// The value of a header; names are compared without regard to case.
  package func header(_ name: String) -> String? {
    headers.first { HeaderName.matches($0.name, name) }?.value
  }
}
