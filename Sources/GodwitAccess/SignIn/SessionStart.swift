package import Foundation
package import GodwitAccounts
internal import GodwitSecrets
package import GodwitStore

/// Starts a session of an authenticated user: creates the session, its entry in the audit log, and a notice if the browser
/// is new.
package struct SessionStart: Sendable {
  package var user: User
  /// The stored hash of the user's password, from which the browser's cookie is derived.
  package var kept: String
  /// The browser, if the user has signed in with it before; `nil`: a new browser.
  package var browser: KnownBrowser?
  /// The address of the client.
  package var address: String
  /// The browser's `User-Agent`.
  package var agent: String
  package var time: Date
  /// The time at which the user presented a password or another credential; `nil`: unknown.
  package var confirmed: Date?

  /// - Parameters:
  ///   - user: the user that has signed in.
  ///   - kept: the stored hash of the user's password.
  ///   - browser: the browser, if the user has signed in with it before.
  ///   - address: the address of the client.
  ///   - agent: the browser's `User-Agent`.
  ///   - time: the time of the request.
  package init(user: User, kept: String, browser: KnownBrowser?, address: String, agent: String, time: Date) {
    self.user = user
    self.kept = kept
    self.browser = browser
    self.address = address
    self.agent = agent
    self.time = time
    confirmed = time
  }

  /// Creates the start of a session; reads the user's password and identifies the browser by its cookie.
  /// - Parameters:
  ///   - user: the user that has signed in.
  ///   - cookie: the values of the browser's cookies, by name.
  ///   - db: the database.
  package init(
    of user: User, address: String, agent: String, time: Date, cookie: (String) -> String?, _ db: any SQLConnection
  ) throws {
    let kept = try UserTable.password(of: user.id, db) ?? Password.nobodys
    let browser = cookie(KnownBrowser.cookie(of: user.id)).flatMap { KnownBrowser($0, of: user.id, kept: kept) }
    self.init(user: user, kept: kept, browser: browser, address: address, agent: agent, time: time)
  }

  /// Stores the session, the entry in the audit log and the notice.
  /// - Parameters:
  ///   - way: the method of sign-in, for the audit log; `nil`: with the password.
  ///   - outbox: receives the event of a new browser.
  ///   - db: a connection in a transaction.
  /// - Returns: the secrets for the client, and the keys for ``EventOutbox/deliver(_:)``.
  package func begin(
    way: String?, outbox: any EventOutbox, _ db: any SQLConnection
  ) throws -> (success: SignIn.Success, keys: [OrderingKey]) {
    let secret = AccessToken()
    try SessionTable.add(secret, of: user.id, address: address, agent: agent, confirmed: confirmed, at: time, db)
    let circumstances = [way, browser == nil ? "from a new browser" : nil].compactMap(\.self)
    let entry = AuditEntry(
      account: user.id, actor: user.name, action: "sign-in", subject: circumstances.joined(separator: ", "), address: address)
    try AuditTable.add(entry, at: time, db)
    let known = (browser ?? KnownBrowser()).value(of: user.id, kept: kept)
    let success = SignIn.Success(user: user, secret: secret, browser: known)
    guard browser == nil else { return (success, []) }
    let notice = AccountNotice(
      kind: .signedIn, account: user.id, user: user.name, detail: agent, actor: user.name, address: address)
    return (success, try AccountNoticeTable.add(notice, to: outbox, at: time, db))
  }
}
