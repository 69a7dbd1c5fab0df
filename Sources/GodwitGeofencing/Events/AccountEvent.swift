/// What happened to an account, by the names that webhooks and notices have.
package enum AccountEvent: String, Sendable, CaseIterable {
  /// From a browser that the user has not signed in with before.
  case signedIn = "account.signed_in"
  case tokenCreated = "account.token_created"
  case passwordChanged = "account.password_changed"
  case secondFactorRemoved = "account.second_factor_removed"
}
