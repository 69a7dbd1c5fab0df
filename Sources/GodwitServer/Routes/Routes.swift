internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitStore
internal import GodwitText

/// All routes of the server in one table; tests check the documentation and the metrics against it.
struct Routes: Sendable {
  struct Route: Sendable {
    enum Access: Sendable {
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
      /// A requester with any read access. The answer contains only what `HTTPRequest.reader` may see.
      case reader
      /// A requester with all rights of an account: a signed-in user, or a token with the scope admin.
      case account
      /// As `account`; requests from pages of other origins are refused.
      case accountChange
      /// The administrator: see ``AccessControl``.
      case owner
      /// As `owner`; requests from pages of other origins are refused.
      case ownerChange
      /// A device with its token, or the administrator.
      case deviceOrOwner
    }
    let methods: [String]
    /// A part in capitals matches any text; at the end it also matches slashes.
    let path: String
    let access: Access
    /// Maximum bytes of a body, if less than the server's limit.
    var maximumBody: Int?
    /// Whether the audit log has its requests; `nil`: only if the route changes something.
    var isAudited: Bool?
    let summary: String
    /// When a browser session must have confirmed its password recently.
    var confirmation = Confirmation.never
    /// Checks a request before its body arrives, in addition to its access: arguments, and the destination of the body.
    var look: (@Sendable (RouteHandlers, HTTPRequest) throws(Problem) -> Void)?
    let respond: @Sendable (RouteHandlers, HTTPRequest) throws -> HTTPReply

    /// See ``SessionConfirmation``.
    enum Confirmation: Sendable {
      case never, always
      /// Not for a request that only counts what it would delete.
      case unlessDry
    }

    /// The same route, with a recent confirmation required of browsers.
    func confirmed(unlessDry: Bool = false) -> Route {
      var route = self
      route.confirmation = unlessDry ? .unlessDry : .always
      return route
    }

    /// Maximum bytes of a body; `nil`: the server's limit for records.
    var bodyLimit: Int? {
      if let maximumBody { return maximumBody }
      switch access {
      case .device, .app, .named, .logged: return nil
      case .open, .reader, .account, .accountChange, .owner, .ownerChange, .deviceOrOwner: return JSONBody.limit
      }
    }

    /// The same route, with a check before the body arrives.
    func looking(_ look: @escaping @Sendable (RouteHandlers, HTTPRequest) throws(Problem) -> Void) -> Route {
      var route = self
      route.look = look
      return route
    }
  }

  static let table: [Route] = [
    ServerRoutes.all,
    AccountRoutes.all,
    SecondFactorRoutes.all,
    NoticeRoutes.all,
    ProtocolRoutes.all,
    AppRoutes.all,
    MissingRoutes.all,
    MQTTRoutes.all,
    ImportRoutes.all,
    TimelineRoutes.all,
    DeletionRoutes.all,
    APIRoutes.all,
  ].flatMap(\.self)
}
