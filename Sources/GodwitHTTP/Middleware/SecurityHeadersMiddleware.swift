/// Adds headers that isolate responses from pages of other origins, and HSTS.
package struct SecurityHeadersMiddleware: ResponseMiddleware {
  /// Whether responses over TLS require TLS for a year (RFC 6797).
  let requiresTLS: Bool

  package init(requiresTLS: Bool) { self.requiresTLS = requiresTLS }

  package func complete(_ response: inout HTTPResponse, for request: HTTPRequest) {
    response.headers += [
      ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
    // Other servers may use the loopback names of this machine, so that HSTS is not sent for them.
    guard requiresTLS, request.isSecure, !LocalHost.isNamed(by: request.host, port: nil) else { return }
    response.headers.append(("Strict-Transport-Security", "max-age=31536000"))
  }
}
