/// Which requests a route answers.
package enum RouteAccess: Sendable {
  /// Any client.
  case open
  /// A device with its token.
  case device
  /// A device with its token, which may be the password of HTTP Basic.
  case app
  /// As `app`. The token may also be the path's parameter. Without a token, the receiver finds the device by the
  /// name in the request.
  case named
  /// The token is the second part of the path's parameter.
  case logged
  /// A requester with any read access. The answer contains only what `HTTPRequest.principal` may see.
  case read
  /// A requester with all rights of an account: a signed-in user, or a token with the scope admin.
  case account
  /// As `account`; requests from pages of other origins are refused.
  case accountChange
  /// The administrator: see `AccessControl`.
  case administrator
  /// As `administrator`; requests from pages of other origins are refused.
  case administratorChange
  /// A device with its token, or the administrator.
  case deviceOrAdministrator
}

/// When a browser session must have confirmed its password recently; see `SessionConfirmation`.
package enum RouteConfirmation: Sendable {
  case never, always
  /// Not for a request that only counts what it would delete.
  case unlessDry
}
