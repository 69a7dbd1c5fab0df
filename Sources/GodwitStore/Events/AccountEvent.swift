/// An event of an account, by its type in webhooks and notices.
package enum AccountEvent: String, Sendable, CaseIterable {
  /// A sign-in from a browser that is new for the user.
  case signedIn = "account.signed_in"
  case tokenCreated = "account.token_created"
  case passwordChanged = "account.password_changed"
  case secondFactorRemoved = "account.second_factor_removed"
  case passkeyAdded = "account.passkey_added"
  case passkeyRemoved = "account.passkey_removed"
  /// A passkey whose signature counter decreased. The passkey may have been copied.
  case passkeyRejected = "account.passkey_rejected"
}
