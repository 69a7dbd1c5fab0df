internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitSecrets
internal import GodwitStore
internal import GodwitText

/// `/api/v1/login`: begins a session of the administrator.
struct LoginAPI {
  let work: RequestWork
  let owner: OwnerAccess
  let limits: ServerLimits
  let audit: AuditLog

  /// `POST /api/v1/login`: accepts a one-time code, or the administrator's token.
  func login(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    if let refusal = owner.foreignPageRejection(request) { throw refusal }
    // A form of another site cannot send this content type.
    let type = request.header("Content-Type")?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    guard type == "application/json" else {
      throw Problem(415, "JSON needed", "Send {\"code\": \"…\"} with Content-Type: application/json.")
    }
    var body = try JSONBody(request.takeBody(), "login")
    let (code, token) = (try body.text("code"), try body.text("token"))
    try body.end()
    guard (code == nil) != (token == nil) else {
      throw body.fault("code", "send either a one-time code or the owner's token as \"token\".")
    }
    return work.later(request) {
      let now = Date()
      let (address, agent) = (request.clientAddress, request.header("User-Agent") ?? "")
      let secret: AccessToken?
      if let code {
        secret = try owner.login.begin(code: code, address: address, agent: agent, at: now)
      } else if let token, owner.isOwners(token) {
        secret = try owner.login.sessions.begin(address: address, agent: agent, at: now)
      } else {
        secret = nil
      }
      guard let secret else { throw refusal(isCode: code != nil, request, at: now) }
      audit.note(AuditEntry(actor: "the owner", action: "login", address: address))
      return JSONText.response(#"{"signed_in":true}"#).with("Cache-Control", "no-store")
        .with("Set-Cookie", request.ownerCookie(OwnerAccess.sessionCookie, secret.secret, days: SessionLimits.maximumDays))
    }
  }

  /// The problem for a wrong code or token. Only wrong values are counted, so many failures do not block the correct
  /// value.
  private func refusal(isCode: Bool, _ request: HTTPRequest, at now: Date) -> Problem {
    let decision = limits.limiter.take(
      .login(ClientNetwork(request.clientAddress)), RateLimit(perMinute: 20), policy: "login", at: now)
    if let wait = decision?.wait {
      return Problem(
        429, "Too many attempts", "Too many wrong codes came from this network. Try again in \(wait) seconds.", retryAfter: wait)
    }
    if isCode { return Problem.loginLinkNotValid(command: "godwit login") }
    return Problem(
      401, "Wrong token", "This is not the owner's token. It is in the file owner-token of the server's data folder.")
  }
}
