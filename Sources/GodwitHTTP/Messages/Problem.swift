internal import GodwitText

/// An error that knows how it looks to a client: problem details as in RFC 9457.
package struct Problem: Error, Sendable {
  package var status: Int
  /// A few words, the same for every occurrence.
  package var title: String
  /// A sentence or two on this one: what was wrong, where, what to do.
  package var detail: String
  /// Where in the body it is: `regions[17].radius`.
  package var place: String?
  /// Seconds after which to try again.
  package var retryAfter: Int?
  /// Methods that the address takes, with a status of 405.
  package var allowed: [String] = []
  /// The cause, for the log only: it may contain paths and statements.
  package var cause: String?
  /// The value of `WWW-Authenticate`, with a status of 401.
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
  /// - Parameter requestID: what the request is called in the log.
  package func text(requestID: String?) -> [UInt8] {
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
