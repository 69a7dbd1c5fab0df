package import Foundation
package import GodwitAccounts
internal import GodwitSecrets
package import GodwitStore

/// The beginning of a session of an authenticated user: the session, its line in the log, and a notice where the browser is new.
package struct SessionStart: Sendable {
  package var user: User
  /// The stored hash of the user's password, which the browser's cookie depends on.
  package var kept: String
  /// The browser, where the user has signed in with it before.
  package var browser: KnownBrowser?
  /// Of the client.
  package var address: String
  /// What the browser calls itself.
  package var agent: String
  package var time: Date
  /// When the user has shown a password or the like; `nil`: it is not known.
  package var confirmed: Date?

  /// - Parameters:
  ///   - user: the user that has signed in.
  ///   - kept: the stored hash of the user's password.
  ///   - browser: where the user has signed in with it before.
  ///   - address: of the client.
  ///   - agent: what the browser calls itself.
  ///   - time: of the request.
  package init(user: User, kept: String, browser: KnownBrowser?, address: String, agent: String, time: Date) {
    self.user = user
    self.kept = kept
    self.browser = browser
    self.address = address
    self.agent = agent
    self.time = time
    confirmed = time
  }

  /// The start of a user whom a sign-in has found.
  /// - Parameters:
  ///   - user: the user that has signed in.
  ///   - cookie: the values of the browser's cookies, by name.
  ///   - db: where the password is.
  package init(
    of user: User, address: String, agent: String, time: Date, cookie: (String) -> String?, _ db: any SQLConnection
  ) throws {
    let kept = try UserTable.password(of: user.id, db) ?? Password.nobodys
    let browser = cookie(KnownBrowser.cookie(of: user.id)).flatMap { KnownBrowser($0, of: user.id, kept: kept) }
    self.init(user: user, kept: kept, browser: browser, address: address, agent: agent, time: time)
  }

  /// Writes the session, the log and the notice.
  /// - Parameters:
  ///   - way: how the user has signed in, for the log; `nil`: with the password.
  ///   - outbox: takes the event of a new browser.
  ///   - db: in a transaction.
  /// - Returns: what the client gets, and the keys for ``EventOutbox/deliver(_:)``.
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
