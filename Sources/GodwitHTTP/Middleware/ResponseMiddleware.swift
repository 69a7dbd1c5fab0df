internal import Foundation

/// What every answer gets before it is sent, from any handler: its request's id, what keeps it from other pages and from caches,
/// a tag, compression, and the word for pages of other origins.
package struct ResponseMiddleware: Sendable {
  let origins: AllowedOrigins
  /// Whether browsers are told to keep to TLS.
  let keepsToTLS: Bool

  package init(origins: AllowedOrigins, keepsToTLS: Bool = true) {
    self.origins = origins
    self.keepsToTLS = keepsToTLS
  }

  /// - Parameters:
  ///   - response: as a handler made it.
  ///   - request: the request.
  package func complete(_ response: HTTPResponse, for request: HTTPRequest) -> HTTPResponse {
    var answer = response
    if let problem = answer.problem { answer.body = .bytes(problem.text(requestID: request.requestID)) }
    answer.headers += [
      (HTTPServer.requestIDHeader, request.requestID), ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
    if keepsToTLS, let transport = Self.transportSecurity(request) { answer.headers.append(transport) }
    answer.headers += origins.headers(for: request)
    let isRead = request.method == "GET" || request.method == "HEAD"
    guard case .bytes(let bytes) = answer.body else { return answer }
    // A position may be in the cache of the client that asked, and in no other; there it is validated before each use.
    if answer.header("Cache-Control") == nil {
      answer.headers.append(("Cache-Control", isRead && answer.status == 200 ? "private, no-cache" : "no-store"))
    }
    if isRead, answer.status == 200, answer.header("Cache-Control") != "no-store" {
      let tag = answer.header("ETag") ?? EntityTag.of(bytes)
      if answer.header("ETag") == nil { answer.headers.append(("ETag", tag)) }
      if EntityTag.matches(request.header("If-None-Match"), tag) { return Self.notModified(answer) }
    }
    return Gzip.isWorthwhile(answer) ? Gzip.response(answer, for: request) : answer
  }

  /// Keeps a browser to TLS (RFC 6797); not under this machine's own names, which other servers share.
  private static func transportSecurity(_ request: HTTPRequest) -> (name: String, value: String)? {
    guard request.isSecure, !LocalHost.isNamed(by: request.host, port: nil) else { return nil }
    return ("Strict-Transport-Security", "max-age=31536000")
  }

  /// The same without what the asker has (RFC 9110, 15.4.5).
  private static func notModified(_ answer: HTTPResponse) -> HTTPResponse {
    var answer = answer
    answer.status = 304
    answer.body = .bytes([])
    answer.headers.removeAll { ["content-type", "content-disposition"].contains($0.name.lowercased()) }
    answer.headers.append(("Vary", "Accept-Encoding"))
    return answer
  }
}
