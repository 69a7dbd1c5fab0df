/// Adds `Cache-Control` and an entity tag, and answers a conditional GET with 304 (RFC 9110, 15.4.5).
///
/// A response may be stored only in the cache of the client that requested it, and must be validated before each use.
package struct CachingMiddleware: ResponseMiddleware {
  package init() {}

  package func complete(_ response: inout HTTPResponse, for request: HTTPRequest) {
    guard case .bytes(let bytes) = response.body else { return }
    let isCacheable = response.status == 200 && (request.method == "GET" || request.method == "HEAD")
    if response.header("Cache-Control") == nil {
      response.headers.append(("Cache-Control", isCacheable ? "private, no-cache" : "no-store"))
    }
    guard isCacheable, response.header("Cache-Control") != "no-store" else { return }
    let tag: String
    if let own = response.header("ETag") {
      tag = own
    } else {
      tag = EntityTag.of(bytes)
      response.headers.append(("ETag", tag))
    }
    guard EntityTag.matches(request.header("If-None-Match"), tag) else { return }
    response.status = 304
    response.body = .bytes([])
    response.headers.removeAll { header in
      ["Content-Type", "Content-Disposition"].contains { HeaderName.matches(header.name, $0) }
    }
    response.headers.append(("Vary", "Accept-Encoding"))
  }
}
