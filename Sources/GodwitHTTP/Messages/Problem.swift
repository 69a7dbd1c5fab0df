internal import GodwitText

/// An error with its representation for clients: problem details as in RFC 9457.
package struct Problem: Error, Sendable {
  package var status: Int
  /// A few words, the same for every occurrence.
  package var title: String
  /// One or two sentences about this occurrence: what was wrong, where, and what to do.
  package var detail: String
  /// The place of the fault in the request: `regions[17].radius`.
  package var place: String?
  /// Seconds after which to try again.
  package var retryAfter: Int?
  /// Methods that the path accepts, with status 405.
  package var allowed: [String] = []
  /// The cause, for the log only: it may contain paths and statements.
  package var cause: String?
  /// The value of `WWW-Authenticate`, with status 401.
  package var challenge = #"Bearer realm="godwit""#

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
  /// - Parameter requestID: the identifier of the request in the log; `nil`: not yet known.
  package func text(requestID: String?) -> [UInt8] {
    var text = #"{"type":\#(ProblemKind.of(status, titled: title).address.jsonQuoted),"status":\#(status),"title":"#
    text += title.jsonQuoted
    text += #","detail":"#
    text += detail.jsonQuoted
    if let place { text += #","at":\#(place.jsonQuoted)"# }
    if let requestID { text += #","request_id":\#(requestID.jsonQuoted)"# }
    // Overland shows the member `error` of an unsuccessful response to its user.
    text += #","error":"#
    text += "\(title). \(detail)".jsonQuoted
    text += "}\n"
    return Array(text.utf8)
  }
}
