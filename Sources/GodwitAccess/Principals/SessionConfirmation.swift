package import Foundation
internal import GodwitAccounts
package import GodwitHTTP
internal import GodwitModel
internal import GodwitSQLite
internal import GodwitSecrets
internal import GodwitServices
internal import GodwitStore

/// How long a browser may do what is sensitive after its password was entered: making tokens, users and webhooks, changing
/// passwords, deleting data.
package enum SessionConfirmation {
  /// Seconds after a sign-in, a confirmation, or the administrator's one-time link.
  package static let lifetime: TimeInterval = 600

  /// Whether a confirmation holds. A clock that was set makes it no longer valid.
  package static func holds(_ confirmed: Date?, at now: Date) -> Bool {
    confirmed.map { abs(now.timeIntervalSince($0)) < lifetime } ?? false
  }

  /// The end of a confirmation; `nil` where none holds.
  package static func end(_ confirmed: Date?, at now: Date) -> Date? {
    holds(confirmed, at: now) ? confirmed?.addingTimeInterval(lifetime) : nil
  }
}

extension Principal {
  /// When the password was entered in the requesting browser, or the administrator's link was opened; `nil`: never, or for a token.
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

  /// Refuses a browser whose password was not entered lately. Requests that show a token are not affected.
  /// - Throws: `Problem` with a status of 403.
  package func requireConfirmation(_ principal: Principal, _ request: HTTPRequest) throws(Problem) {
    let now = database.clock.now
    switch principal.identity {
    // How long a sign-in at a proxy holds is the proxy's to say.
    case .token, .proxied, .anonymous: return
    case .administrator:
      if request.accessToken != nil || SessionConfirmation.holds(principal.administratorSession?.created, at: now) { return }
      throw Self.loginLinkNeeded
    case .user(_, let session):
      if SessionConfirmation.holds(session.confirmed, at: now) { return }
      // What is remembered of a session may be a second old.
      let current = try read { try SessionTable.session(session.id, at: now, $0) }
      guard SessionConfirmation.holds(current?.confirmed, at: now) else { throw Self.confirmationNeeded }
    }
  }
}
