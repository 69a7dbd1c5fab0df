/// The requests that a route accepts.
package enum RouteAccess: Sendable {
  /// Any client.
  case open
  /// A device with its token.
  case device
  /// A device with its token, which can be the password of HTTP Basic authentication.
  case app
  /// Like `app`. The token can also be the path parameter. Without a token, the receiver finds the device by the name in the
  /// request.
  case named
  /// A device whose token is the second part of the path parameter.
  case logged
  /// A principal with any read access. The response contains only data that `HTTPRequest.principal` may read.
  case read
  /// A principal with all rights of an account: a signed-in user, or a token with the scope admin.
  case account
  /// Like `account`. Requests from pages of other origins are rejected.
  case accountChange
  /// The administrator; see `AccessControl`.
  case administrator
  /// Like `administrator`. Requests from pages of other origins are rejected.
  case administratorChange
  /// A device with its token, or the administrator.
  case deviceOrAdministrator
}

/// Requests for which a browser session must have confirmed its password recently; see `SessionConfirmation`.
package enum RouteConfirmation: Sendable {
  case never, always
  /// Not required for a request that only counts the data that it would delete.
  case unlessDry
}
