internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitSecrets

/// `/api/v1/login`: starts a session of the administrator.
struct LoginAPI {
  let work: RequestWork
  let administrator: AdministratorAccess
  let limits: ServerLimits
  let audit: AuditLog

  struct LoginBody: BodyObject {
    let code: String?
    let token: String?

    static let kind = "login"
    static let notes: [String: JSONValue] = ["code": "Of `godwit login`.", "token": "The administrator's; instead of a code."]
  }

  struct LoggedIn: ResultObject {
    var signedIn = true
  }

  /// Rejects requests of pages from other origins, and requests of forms.
  func check(_ request: HTTPRequest) throws(Problem) {
    if let rejection = administrator.crossSiteRejection(request) { throw rejection }
    // A form of another site cannot send this content type.
    let type = request.header("Content-Type")?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    guard type == "application/json" else {
      throw Problem(415, "JSON needed", "Send {\"code\": \"…\"} with Content-Type: application/json.")
    }
  }

  /// Accepts a one-time code, or the administrator's token.
  func login(_ request: BodyRequest<LoginBody>) async throws -> NotStored<WithCookies<LoggedIn>> {
    let (http, body, now) = (request.http, request.body, work.now)
    guard (body.code == nil) != (body.token == nil) else {
      throw LoginBody.fault("code", "send either a one-time code or the administrator token as \"token\".")
    }
    return try await work.run {
      let (address, agent) = (http.clientAddress, http.header("User-Agent") ?? "")
      let secret: AccessToken?
      if let code = body.code {
        secret = try administrator.login.begin(code: code, address: address, agent: agent, at: now)
      } else if let token = body.token, administrator.isAdministratorToken(token) {
        secret = try administrator.login.sessions.begin(address: address, agent: agent, at: now)
      } else {
        secret = nil
      }
      guard let secret else { throw rejection(isCode: body.code != nil, http, at: now) }
      audit.record(AuditEntry(actor: "the administrator", action: "login", address: address))
      let cookie = http.administratorCookie(AdministratorAccess.sessionCookie, secret.secret, days: SessionLimits.maximumDays)
      return NotStored(WithCookies(LoggedIn(), [cookie]))
    }
  }

  /// Counts a wrong code or token and returns the problem for it. Only wrong values are counted, so that many failures do
  /// not block the correct value.
  private func rejection(isCode: Bool, _ request: HTTPRequest, at now: Date) -> Problem {
    let decision = limits.limiter.take(
      .login(ClientNetwork(request.clientAddress)), RateLimit(perMinute: 20), policy: "login", at: now)
    if let wait = decision?.wait {
      return Problem(
        429, "Too many attempts", "Too many wrong codes came from this network. Try again in \(wait.counted("second")).",
        retryAfter: wait)
    }
    if isCode { return Problem.loginLinkNotValid(command: "godwit login") }
    return Problem(
      401, "Wrong token", "This is not the administrator token. It is in the file admin-token of the server's data folder.")
  }
}
