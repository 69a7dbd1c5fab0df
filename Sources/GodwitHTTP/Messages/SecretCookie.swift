/// Whether a browser sends a cookie with a request from another site.
package enum SameSite: String, Sendable {
  /// Never.
  case strict = "Strict"
  /// With navigation by a link, but not with a submitted form.
  case lax = "Lax"
}

/// Returns the value of `Set-Cookie` for a secret that scripts cannot read.
/// - Parameters:
///   - name: the name of the cookie.
///   - value: the secret; empty: the browser removes the cookie.
///   - days: the lifetime of the cookie in days.
///   - sameSite: whether the cookie is sent with links from other sites.
///   - path: the prefix of the paths to which the cookie is sent.
///   - isSecure: whether the cookie is sent over TLS only.
package func secretCookie(
  _ name: String, _ value: String, days: Double, sameSite: SameSite, path: String = "/", isSecure: Bool
) -> String {
  let age = value.isEmpty ? 0 : Int(days * 86400)
  return "\(name)=\(value); HttpOnly; SameSite=\(sameSite.rawValue); Path=\(path); Max-Age=\(age)"
    + (isSecure ? "; Secure" : "")
}
