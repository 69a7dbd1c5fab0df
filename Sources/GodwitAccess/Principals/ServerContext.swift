internal import GodwitAccounts
package import GodwitHTTP
package import GodwitStore

/// What the server keeps with a request while it is answered.
///
/// `@unchecked Sendable`: it belongs to its request, which has one owner at a time.
package final class ServerContext: RequestContext, @unchecked Sendable {
  /// The device that a token named, kept between the headers and the body.
  package var device: Device?
  /// The token that an app sent, so that it is not stored by accident.
  package var secret: String?
  /// The authenticated requester, where the route requires authentication.
  package var principal = Principal.anonymous
  /// The subject, for the log, where the address does not say it.
  package var subject = ""
  /// Parts of the limits, which are released with the request.
  package var shares: [RequestShares.Share] = []

  /// The requester, by number.
  package var requester: String? {
    if let device { return "device/\(device.id)" }
    return switch principal.identity {
    case .anonymous: nil
    case .administrator: "administrator"
    case .user(let user, _), .proxied(let user): "user/\(user.id)"
    case .token(let token, _): "token/\(token.id)"
    }
  }
}

extension HTTPRequest {
  private var serverContext: ServerContext {
    if let context = context as? ServerContext { return context }
    let context = ServerContext()
    self.context = context
    return context
  }

  package var device: Device? {
    get { serverContext.device }
    set { serverContext.device = newValue }
  }
  package var secret: String? {
    get { serverContext.secret }
    set { serverContext.secret = newValue }
  }
  package var principal: Principal {
    get { serverContext.principal }
    set { serverContext.principal = newValue }
  }
  package var subject: String {
    get { serverContext.subject }
    set { serverContext.subject = newValue }
  }
  package var shares: [RequestShares.Share] {
    get { serverContext.shares }
    set { serverContext.shares = newValue }
  }
}
