internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitRoutes
internal import GodwitStore

extension AccountAPI {
  /// Confirms the session of the request with the user's password.
  func confirm(_ request: BodyRequest<CredentialsBody>) async throws -> NotStored<Confirmed> {
    let (user, session): (User, Session)
    switch request.principal.identity {
    case .user(let found, let its): (user, session) = (found, its)
    case .administrator where request.http.accessToken == nil: throw AccessControl.loginLinkNeeded
    case .administrator, .token, .proxied, .anonymous:
      throw Problem(
        400, "No session", "Only sessions that began with a password need a confirmation.")
    }
    let now = work.now
    try await signIn.verify(
      request.body.credentials, of: user, from: request.http.clientAddress, session: session.id, at: now)
    return try await work.write { db in
      try SessionTable.confirm(session.id, at: now, db)
      return NotStored(Confirmed(confirmedUntil: now.addingTimeInterval(SessionConfirmation.lifetime)))
    }
  }
}
