package import Foundation
package import GodwitAccounts
package import GodwitHTTP
package import GodwitStore

/// Verifies a passkey and finds its user.
package struct PasskeyCheck: Sendable {
  private let assertion: PasskeyAssertion
  private let party: RelyingParty
  private let address: String
  private let now: Date
  private let outbox: any EventOutbox

  /// - Parameters:
  ///   - assertion: the response of the browser.
  ///   - party: the server with the host name of the request.
  ///   - address: the address of the client.
  ///   - now: the time of the request.
  ///   - outbox: receives the event of a passkey that may have been cloned.
  package init(
    assertion: PasskeyAssertion, party: RelyingParty, address: String, now: Date, outbox: any EventOutbox
  ) {
    self.assertion = assertion
    self.party = party
    self.address = address
    self.now = now
    self.outbox = outbox
  }

  /// The reason why a passkey is rejected.
  package struct Rejection: Error, Sendable {
    private let detail: String
    /// The keys for ``EventOutbox/deliver(_:)``.
    package let keys: [OrderingKey]

    fileprivate init(_ detail: String, keys: [OrderingKey] = []) {
      self.detail = detail
      self.keys = keys
    }

    /// Returns the problem for the client.
    package func problem(_ status: Int) -> Problem { Problem(status, "Passkey not accepted", detail) }
  }

  /// Consumes the challenge, and verifies the passkey.
  /// - Parameters:
  ///   - purpose: the purpose of the challenge.
  ///   - session: the session of the challenge; `nil`: none.
  ///   - user: the owner that the passkey must have; `nil`: any user.
  ///   - action: the action in the audit log for a failure.
  ///   - db: a connection in a transaction that is committed in every case.
  /// - Returns: the user.
  package func run(
    for purpose: SignInChallenge.Purpose, session: Int64?, of user: User?, action: String, _ db: any SQLConnection
  ) throws -> Result<User, Rejection> {
    guard let challenge = assertion.challenge,
      try SignInChallenge.use(challenge, for: purpose, session: session, at: now, db)
    else { return .failure(Rejection("The request is too old, or was answered already. Try again.")) }
    guard let passkey = try PasskeyTable.passkey(credential: assertion.credential, db),
      let owner = try UserTable.user(passkey.account, db), user == nil || user?.id == owner.id, passkey.host == party.host,
      assertion.user == nil || assertion.user == PasskeyTable.handle(of: owner)
    else { return .failure(Rejection("This server does not know the passkey. Sign in with the password.")) }
    func record(_ why: String) throws {
      let entry = AuditEntry(account: owner.id, actor: owner.name, action: action, subject: why, address: address)
      try AuditTable.add(entry, at: now, db)
    }
    let data: AuthenticatorData
    do throws(PasskeyError) { data = try assertion.checked(challenge: challenge, party: party, key: passkey.key) } catch {
      try record("wrong passkey")
      return .failure(Rejection(error.description))
    }
    guard try PasskeyTable.recordUse(passkey.id, signatures: data.signatures, at: now, db) else {
      try record("passkey \(passkey.label) that may have been copied")
      let notice = AccountNotice(
        kind: .passkeyRejected, account: owner.id, user: owner.name, detail: passkey.label, actor: owner.name, address: address)
      return .failure(
        Rejection(
          "The passkey's count of signatures went back: the passkey may have been copied. Sign in with the password and remove it.",
          keys: try AccountNoticeTable.add(notice, to: outbox, at: now, db)))
    }
    return .success(owner)
  }
}
