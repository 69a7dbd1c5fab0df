/// When a browser sends a cookie with a request that another site caused.
package enum SameSite: String, Sendable {
  /// Never.
  case strict = "Strict"
  /// With a link that is followed, and not with a form that is sent.
  case lax = "Lax"
}

/// The value of `Set-Cookie` for a secret that no script may read.
/// - Parameters:
///   - name: of the cookie.
///   - value: the secret; empty: the browser removes the cookie.
///   - days: that the browser keeps it.
///   - sameSite: whether other sites' links carry it.
///   - path: of the addresses that get it.
///   - isSecure: whether it is sent over TLS only.
package func secretCookie(
  _ name: String, _ value: String, days: Double, sameSite: SameSite, path: String = "/", isSecure: Bool
) -> String {
  let age = value.isEmpty ? 0 : Int(days * 86400)
  return "\(name)=\(value); HttpOnly; SameSite=\(sameSite.rawValue); Path=\(path); Max-Age=\(age)"
    + (isSecure ? "; Secure" : "")
}
