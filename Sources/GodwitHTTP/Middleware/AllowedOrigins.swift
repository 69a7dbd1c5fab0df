internal import Foundation

/// The origins, besides the server's own, whose pages may read its responses (CORS).
///
/// Their pages must send a token. Cookies from other origins are not accepted, so that credentials are never allowed.
package struct AllowedOrigins: Sendable {
  private let origins: Set<String>
  private let isAny: Bool

  /// - Parameter origins: origins in the form of the `Origin` header, such as `https://example.org`; `*` for all.
  package init(_ origins: [String]) {
    self.origins = Set(origins.map { $0.lowercased() })
    isAny = origins.contains("*")
  }

  /// The request headers that a page may send, besides the CORS-safelisted ones.
  private static let requestHeaders =
    "Authorization, Content-Type, Content-Encoding, If-Match, If-None-Match, X-Request-Id, Godwit-Link-Proof, Godwit-Range"
  /// The response headers that a page may read, besides the CORS-safelisted ones.
  private static let responseHeaders =
    "Allow, Content-Disposition, ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"

  /// Returns the CORS headers of a response.
  package func headers(for request: HTTPRequest) -> [(name: String, value: String)] {
    guard isAny || !origins.isEmpty else { return [] }
    var headers: [(name: String, value: String)] = isAny ? [] : [("Vary", "Origin")]
    guard let origin = request.header("Origin"), isAny || origins.contains(origin.lowercased()) else { return headers }
    headers += [("Access-Control-Allow-Origin", isAny ? "*" : origin), ("Access-Control-Expose-Headers", Self.responseHeaders)]
    return headers
  }

  /// Returns the additional headers of the response to a preflight request.
  /// - Parameters:
  ///   - request: the preflight request.
  ///   - methods: the methods that the path accepts.
  package func preflight(for request: HTTPRequest, _ methods: [String]) -> [(name: String, value: String)] {
    guard let origin = request.header("Origin"), isAny || origins.contains(origin.lowercased()),
      request.header("Access-Control-Request-Method") != nil
    else { return [] }
    return [
      ("Access-Control-Allow-Methods", methods.joined(separator: ", ")),
      ("Access-Control-Allow-Headers", Self.requestHeaders), ("Access-Control-Max-Age", "7200"),
    ]
  }

  /// Whether a text is an origin in the form of the `Origin` header, or `*` for all.
  package static func isOrigin(_ text: String) -> Bool {
    if text == "*" { return true }
    guard let parts = URLComponents(string: text), let scheme = parts.scheme, ["http", "https"].contains(scheme.lowercased()),
      let host = parts.host, !host.isEmpty
    else { return false }
    return parts.path.isEmpty && parts.query == nil && parts.fragment == nil && parts.user == nil
  }
}
