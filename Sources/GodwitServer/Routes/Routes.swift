internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitStore
internal import GodwitText

/// Every address of the server in one table: the documentation and the metrics are checked against it.
struct Routes: Sendable {
  struct Route: Sendable {
    enum Access: Sendable {
      /// Any client.
      case open
      /// A device with its token.
      case device
      /// The same; the token may be the password of HTTP Basic.
      case app
      /// The same; the token may be the path's parameter, or what the app calls its device, wherever it says that: then the
      /// receiver finds the device.
      case named
      /// The token is the second part of the path's parameter.
      case logged
      /// A requester that may read something: the answer has in it what `HTTPRequest.reader` may see, and nothing else.
      case reader
      /// A requester with all the rights of an account: a user who signed in, or a token with the scope admin.
      case account
      /// The same, and no page but ours made it do so.
      case accountChange
      /// The administrator: see ``AccessControl``.
      case owner
      /// The same, and no page but ours made it do so.
      case ownerChange
      /// A device with its token, or the administrator.
      case deviceOrOwner
    }
    let methods: [String]
    /// A part in capitals stands for any text; at the end for slashes as well.
    let path: String
    let access: Access
    /// Bytes of a body, where fewer than anywhere else are taken.
    var maximumBody: Int?
    /// Whether the log tells of it; `nil`: when it changes something.
    var isAudited: Bool?
    let summary: String
    /// When a browser must have entered its password lately.
    var confirmation = Confirmation.never
    /// Looks at a request before its body comes, beside who may: whether it makes sense, and where the body goes.
    var look: (@Sendable (RouteHandlers, HTTPRequest) throws(Problem) -> Void)?
    let respond: @Sendable (RouteHandlers, HTTPRequest) throws -> HTTPReply

    /// See ``SessionConfirmation``.
    enum Confirmation: Sendable {
      case never, always
      /// Not where the request only counts what it would delete.
      case unlessDry
    }

    /// The same route, which asks browsers for a recent confirmation.
    func confirmed(unlessDry: Bool = false) -> Route {
      var route = self
      route.confirmation = unlessDry ? .unlessDry : .always
      return route
    }

    /// Bytes that a body may have; `nil`: as many as the server allows for records.
    var bodyLimit: Int? {
      if let maximumBody { return maximumBody }
      switch access {
      case .device, .app, .named, .logged: return nil
      case .open, .reader, .account, .accountChange, .owner, .ownerChange, .deviceOrOwner: return JSONBody.limit
      }
    }

    /// The same route, which looks at requests before their bodies come.
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
