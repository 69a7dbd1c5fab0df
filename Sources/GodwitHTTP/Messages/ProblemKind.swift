/// A kind of problem. The `type` of a problem is a URL of the page `/api`, which explains the kind.
package struct ProblemKind: Sendable {
  /// The last part of the `type`.
  package let name: String
  package let status: Int
  /// The meaning of the problem, and what the client should do.
  package let meaning: String

  /// The `type` of a problem of this kind (RFC 9457, 3.1.1).
  package var address: String { "/api#\(name)" }

  /// Returns the kind of a problem.
  /// - Parameters:
  ///   - status: the status of the response.
  ///   - title: the title, which distinguishes kinds with the same status.
  package static func of(_ status: Int, titled title: String) -> ProblemKind {
    byTitle[title].flatMap { $0.status == status ? $0 : nil } ?? byStatus[status] ?? other
  }

  private static let other = ProblemKind(name: "other", status: 500, meaning: "Any other problem; see detail.")
  private static let byStatus: [Int: ProblemKind] = Dictionary(
    common.map { ($0.status, $0) }, uniquingKeysWith: { first, _ in first })
  private static let byTitle: [String: ProblemKind] = Dictionary(special) { first, _ in first }

  /// All kinds.
  package static var all: [ProblemKind] {
    (common + special.map(\.kind) + [other]).sorted { ($0.status, $0.name) < ($1.status, $1.name) }
  }

  private static let common = [
    ProblemKind(name: "bad-request", status: 400, meaning: "The body or an argument cannot be parsed."),
    ProblemKind(name: "unauthorized", status: 401, meaning: "The request has no valid credentials: send a token, or sign in."),
    ProblemKind(name: "forbidden", status: 403, meaning: "The credentials are valid but do not allow this."),
    ProblemKind(
      name: "not-found", status: 404, meaning: "The resource does not exist, or is not visible with these credentials."),
    ProblemKind(name: "method-not-allowed", status: 405, meaning: "The address accepts the methods in Allow."),
    ProblemKind(name: "too-slow", status: 408, meaning: "The body did not arrive in time: send it again."),
    ProblemKind(name: "conflict", status: 409, meaning: "The current state does not allow it."),
    ProblemKind(name: "ended", status: 410, meaning: "The resource was removed."),
    ProblemKind(name: "changed-meanwhile", status: 412, meaning: "The resource has changed: read it again, then change it."),
    ProblemKind(name: "too-large", status: 413, meaning: "The body is too large: send it in parts."),
    ProblemKind(
      name: "too-long-address", status: 414, meaning: "The address has more than 16 KiB or 256 arguments: send fewer."),
    ProblemKind(name: "unknown-compression", status: 415, meaning: "Bodies may be gzip, deflate or plain."),
    ProblemKind(name: "not-valid", status: 422, meaning: "The content is not valid; at has the place."),
    ProblemKind(name: "too-many-requests", status: 429, meaning: "Wait for the seconds in Retry-After."),
    ProblemKind(
      name: "too-large-headers", status: 431, meaning: "The headers have more than 32 KiB or 128 lines: send fewer."),
    ProblemKind(name: "unavailable", status: 503, meaning: "The store does not answer, or the server is stopping: try again."),
  ]

  private static let special: [(title: String, kind: ProblemKind)] = [
    (
      "Compressed without a token",
      ProblemKind(
        name: "compressed-without-token", status: 415, meaning: "Compressed bodies require a token in the header.")
    ),
    (
      "Foreign page",
      ProblemKind(name: "foreign-page", status: 403, meaning: "Only the server's own pages change something without a token.")
    ),
    (
      "Name taken", ProblemKind(name: "name-taken", status: 409, meaning: "The name is in use: choose another.")
    ),
    (
      "Too many attempts",
      ProblemKind(
        name: "too-many-attempts", status: 429, meaning: "Too many wrong passwords: wait for the seconds in Retry-After.")
    ),
    (
      "Unknown media type",
      ProblemKind(name: "unknown-media-type", status: 415, meaning: "This address does not accept this Content-Type.")
    ),
    (
      "JSON needed",
      ProblemKind(name: "json-needed", status: 415, meaning: "The body must be JSON, with Content-Type: application/json.")
    ),
    (
      "Login link not valid",
      ProblemKind(
        name: "login-link-not-valid", status: 401,
        meaning: "The one-time code was used or is older than ten minutes: create a new one."
      )
    ),
    (
      "Second factor needed",
      ProblemKind(
        name: "second-factor-needed", status: 401, meaning: "The password is right: send the code of the authenticator app too.")
    ),
    (
      "Code not valid",
      ProblemKind(name: "code-not-valid", status: 401, meaning: "The code of the second factor is wrong, old, or was used.")
    ),
    (
      "Passkey not accepted",
      ProblemKind(name: "passkey-not-accepted", status: 401, meaning: "The passkey does not sign in; detail says why.")
    ),
    (
      "Identity not accepted",
      ProblemKind(
        name: "identity-not-accepted", status: 401,
        meaning: "The sign-in at the OpenID provider did not succeed; detail says why.")
    ),
    (
      "Identity provider failed",
      ProblemKind(
        name: "identity-provider-failed", status: 503,
        meaning: "The OpenID provider does not answer, or not as expected; detail says how.")
    ),
    (
      "Confirmation needed",
      ProblemKind(
        name: "confirmation-needed", status: 403,
        meaning: "Confirm the session with its password, then repeat the request: POST /api/v1/session/confirmation.")
    ),
    (
      "Login link needed",
      ProblemKind(
        name: "login-link-needed", status: 403, meaning: "The administrator's session needs a fresh link of `godwit login`.")
    ),
    (
      "Photo server failed",
      ProblemKind(name: "photo-server-failed", status: 503, meaning: "The user's photo server failed: see detail.")
    ),
    ("Code needed", ProblemKind(name: "code-needed", status: 422, meaning: "The password is right: send the code too.")),
    ("Wrong code", ProblemKind(name: "wrong-code", status: 422, meaning: "The code is wrong, old, or was used already.")),
    ("Wrong password", ProblemKind(name: "wrong-password", status: 422, meaning: "The password is wrong.")),
  ]
}
