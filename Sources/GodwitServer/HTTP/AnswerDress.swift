internal import Foundation

/// What every answer gets before it goes out, whoever made it: its request's id, what keeps it from other pages and from caches,
/// a tag, compression, and the word for pages of other origins.
struct AnswerDress: Sendable {
  let origins: AllowedOrigins
  /// Whether browsers are told to keep to TLS.
  var keepsToTLS = true

  /// - Parameters:
  ///   - response: as a handler made it.
  ///   - exchange: the request.
  func put(on response: HTTPResponse, for exchange: Exchange) -> HTTPResponse {
    var answer = response
    if let problem = answer.problem { answer.body = .bytes(problem.text(requestID: exchange.requestID)) }
    answer.headers += [
      (HTTPServer.requestIDHeader, exchange.requestID), ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
    if keepsToTLS, let transport = Self.transportSecurity(exchange) { answer.headers.append(transport) }
    answer.headers += origins.headers(for: exchange)
    let isRead = exchange.method == "GET" || exchange.method == "HEAD"
    guard case .bytes(let bytes) = answer.body else { return answer }
    // Where somebody is belongs into nobody's cache but the asker's own, and there only to be asked about.
    if answer.header("Cache-Control") == nil {
      answer.headers.append(("Cache-Control", isRead && answer.status == 200 ? "private, no-cache" : "no-store"))
    }
    if isRead, answer.status == 200, answer.header("Cache-Control") != "no-store" {
      let tag = answer.header("ETag") ?? EntityTag.of(bytes)
      if answer.header("ETag") == nil { answer.headers.append(("ETag", tag)) }
      if EntityTag.matches(exchange.header("If-None-Match"), tag) { return Self.notModified(answer) }
    }
    return Gzip.isWorthwhile(answer) ? Gzip.response(answer, for: exchange) : answer
  }

  /// Keeps a browser to TLS (RFC 6797); not under this machine's own names, which other servers share.
  private static func transportSecurity(_ exchange: Exchange) -> (name: String, value: String)? {
    guard exchange.isSecure, !LocalHost.isNamed(by: exchange.host, port: nil) else { return nil }
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

/// Whose pages, besides the server's own, may read its answers (CORS).
///
/// They show a token. Cookies are never taken from them, so credentials are never allowed.
struct AllowedOrigins: Sendable {
  private let origins: Set<String>
  private let isAny: Bool

  /// - Parameter origins: as browsers write them, `https://example.org`; `*` for all.
  init(_ origins: [String]) {
    self.origins = Set(origins.map { $0.lowercased() })
    isAny = origins.contains("*")
  }

  /// What a page may send besides what it always may.
  private static let requestHeaders =
    "Authorization, Content-Type, Content-Encoding, If-Match, If-None-Match, X-Request-Id, Godwit-Link-Proof, Godwit-Range"
  /// What a page may read besides what it always may.
  private static let answerHeaders =
    "Allow, Content-Disposition, ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"

  /// What a browser is told of an answer.
  func headers(for exchange: Exchange) -> [(name: String, value: String)] {
    guard isAny || !origins.isEmpty else { return [] }
    var headers: [(name: String, value: String)] = isAny ? [] : [("Vary", "Origin")]
    guard let origin = exchange.header("Origin"), isAny || origins.contains(origin.lowercased()) else { return headers }
    headers += [("Access-Control-Allow-Origin", isAny ? "*" : origin), ("Access-Control-Expose-Headers", Self.answerHeaders)]
    return headers
  }

  /// What a browser is told that asks before it sends (a preflight), besides that.
  /// - Parameters:
  ///   - exchange: the question.
  ///   - methods: what the address takes.
  func preflight(for exchange: Exchange, _ methods: [String]) -> [(name: String, value: String)] {
    guard let origin = exchange.header("Origin"), isAny || origins.contains(origin.lowercased()),
      exchange.header("Access-Control-Request-Method") != nil
    else { return [] }
    return [
      ("Access-Control-Allow-Methods", methods.joined(separator: ", ")),
      ("Access-Control-Allow-Headers", Self.requestHeaders), ("Access-Control-Max-Age", "7200"),
    ]
  }

}

extension Server {
  /// Whether a text is an origin as a browser writes it, or `*` for all.
  public static func isOrigin(_ text: String) -> Bool {
    if text == "*" { return true }
    guard let parts = URLComponents(string: text), let scheme = parts.scheme, ["http", "https"].contains(scheme.lowercased()),
      let host = parts.host, !host.isEmpty
    else { return false }
    return parts.path.isEmpty && parts.query == nil && parts.fragment == nil && parts.user == nil
  }
}
