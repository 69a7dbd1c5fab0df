internal import Foundation

/// What a handler says: the answer, or that it comes later by `Exchange.finish(_:)`.
package enum HTTPReply {
  case now(HTTPResponse)
  case later
}

/// An answer.
package struct HTTPResponse: Sendable {
  package var status: Int
  var headers: [(name: String, value: String)] = []
  var body: Body
  /// What it says is wrong, which is written once more when the request's id is known.
  var problem: Problem?

  enum Body: Sendable {
    case bytes([UInt8])
    /// Server-sent events until the subscriber leaves.
    case events(LiveFeed.Subscription)
    /// Made while it is sent.
    case pulled(PulledBytes)
  }

  package init(status: Int, contentType: String, body: [UInt8]) {
    self.status = status
    self.headers = [("Content-Type", contentType)]
    self.body = .bytes(body)
  }

  package init(events: LiveFeed.Subscription) {
    status = 200
    headers = [("Content-Type", "text/event-stream"), ("X-Accel-Buffering", "no"), ("Cache-Control", "no-store")]
    body = .events(events)
  }

  init(pulling bytes: PulledBytes, contentType: String) {
    status = 200
    headers = [("Content-Type", contentType)]
    body = .pulled(bytes)
  }

  package static func json(_ body: [UInt8], status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, contentType: "application/json", body: body)
  }

  static func text(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
  }

  /// The same with one more header.
  package func with(_ name: String, _ value: String) -> HTTPResponse {
    var response = self
    response.headers.append((name, value))
    return response
  }
}

/// An error that knows how it looks to a client: problem details as in RFC 9457.
package struct Problem: Error, Sendable {
  package var status: Int
  /// A few words, the same for every occurrence.
  var title: String
  /// A sentence or two on this one: what was wrong, where, what to do.
  package var detail: String
  /// Where in the body it is: `regions[17].radius`.
  var place: String?
  /// Seconds after which to try again.
  var retryAfter: Int?
  /// Methods that the address takes, with a status of 405.
  var allowed: [String] = []
  /// What the log alone is told: it may have paths and statements in it.
  var cause: String?
  /// How to show who one is, with a status of 401.
  var challenge = #"Bearer realm="godwit""#

  package init(
    _ status: Int, _ title: String, _ detail: String, at place: String? = nil, retryAfter: Int? = nil, allowed: [String] = []
  ) {
    self.status = status
    self.title = title
    self.detail = detail
    self.place = place
    self.retryAfter = retryAfter
    self.allowed = allowed
  }

  package var response: HTTPResponse {
    var response = HTTPResponse(status: status, contentType: "application/problem+json", body: text(requestID: nil))
    response.problem = self
    if let retryAfter { response = response.with("Retry-After", String(retryAfter)) }
    if !allowed.isEmpty { response = response.with("Allow", allowed.joined(separator: ", ")) }
    if status == 401 { response = response.with("WWW-Authenticate", challenge) }
    return response
  }

  /// The body.
  /// - Parameter requestID: what the request is called in the log.
  func text(requestID: String?) -> [UInt8] {
    var text = #"{"type":\#(ProblemKind.of(status, titled: title).address.jsonQuoted),"status":\#(status),"title":"#
    text += title.jsonQuoted
    text += #","detail":"#
    text += detail.jsonQuoted
    if let place { text += #","at":\#(place.jsonQuoted)"# }
    if let requestID { text += #","request_id":\#(requestID.jsonQuoted)"# }
    // Overland shows its user the member `error` of an answer that is no success.
    text += #","error":"#
    text += "\(title). \(detail)".jsonQuoted
    text += "}\n"
    return Array(text.utf8)
  }
}

extension String {
  /// The text as a JSON string, quotation marks included.
  var jsonQuoted: String {
    var quoted = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case "\u{0}"..<"\u{20}":
        let code = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - code.count) + code
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
