internal import GodwitAccounts
package import GodwitHTTP
package import GodwitStore

/// The server's values of a request while it is processed.
///
/// `@unchecked Sendable`: used only by the current owner of the request, which has one owner at a time.
package final class ServerContext: RequestContext, @unchecked Sendable {
  /// The device of the token, determined before the body is read.
  package var device: Device?
  /// The token that an app sent. It is removed from stored data.
  package var secret: String?
  /// The principal; anonymous if the route does not require authentication.
  package var principal = Principal.anonymous
  /// The object of the request for the audit log, if the path does not contain it.
  package var subject = ""
  /// Units of limits, which are released with the request.
  package var shares: [RequestShares.Share] = []

  /// The requester for the log, by number.
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
