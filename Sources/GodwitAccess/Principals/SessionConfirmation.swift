package import Foundation
internal import GodwitAccounts
package import GodwitHTTP
internal import GodwitModel
internal import GodwitSQLite
internal import GodwitSecrets
internal import GodwitServices
internal import GodwitStore

/// The period after entering the password in which a browser may perform sensitive actions: creating tokens, users and
/// webhooks, changing passwords, deleting data.
package enum SessionConfirmation {
  /// Seconds after a sign-in, a confirmation, or the administrator's one-time link.
  package static let lifetime: TimeInterval = 600

  /// Whether a confirmation is valid. If the clock was changed by more than its lifetime, it is invalid.
  package static func holds(_ confirmed: Date?, at now: Date) -> Bool {
    confirmed.map { abs(now.timeIntervalSince($0)) < lifetime } ?? false
  }

  /// Returns the end of a confirmation; `nil` if it is not valid.
  package static func end(_ confirmed: Date?, at now: Date) -> Date? {
    holds(confirmed, at: now) ? confirmed?.addingTimeInterval(lifetime) : nil
  }
}

extension Principal {
  /// The time at which the password was last entered in this session, or the administrator's link was opened; `nil`: never,
  /// or for a token.
  package var confirmed: Date? { session?.confirmed ?? administratorSession?.created }
}

extension AccessControl {
  private static let confirmationNeeded = Problem(
    403, "Confirmation needed",
    "The password of this session was entered more than ten minutes ago. Send it: POST /api/v1/session/confirmation with password, and code where a second factor is enrolled. Then repeat the request."
  )
  package static let loginLinkNeeded = Problem(
    403, "Login link needed",
    "The login link of this session was opened more than ten minutes ago. Run `godwit login` again, open the link that it prints, and repeat this."
  )

  /// Rejects a session without a valid confirmation. Requests with a token need none.
  /// - Throws: `Problem` with status 403.
  package func requireConfirmation(_ principal: Principal, _ request: HTTPRequest) throws(Problem) {
    let now = database.clock.now
    switch principal.identity {
    // The proxy determines the validity of its sign-ins.
    case .token, .proxied, .anonymous: return
    case .administrator:
      if request.accessToken != nil || SessionConfirmation.holds(principal.administratorSession?.created, at: now) { return }
      throw Self.loginLinkNeeded
    case .user(_, let session):
      if SessionConfirmation.holds(session.confirmed, at: now) { return }
      // The cached session may be a second old.
      let current = try read { try SessionTable.session(session.id, at: now, $0) }
      guard SessionConfirmation.holds(current?.confirmed, at: now) else { throw Self.confirmationNeeded }
    }
  }
}
