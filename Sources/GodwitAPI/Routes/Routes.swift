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
    /// A part in capital letters matches any text; at the end it also matches slashes.
    let path: String
    let access: Access
    /// Maximum bytes of a body, if less than the server's limit.
    var maximumBody: Int?
    /// Whether the audit log has its requests; `nil`: only if the route changes something.
    var isAudited: Bool?
    let summary: String
    /// The part of the API, by which the document groups its operations.
    var tag = ""
    /// When a browser session must have confirmed its password recently.
    var confirmation = Confirmation.never
    /// Checks a request before its body arrives, in addition to its access: arguments, and the destination of the body.
    var look: (@Sendable (RouteHandlers, HTTPRequest) throws(Problem) -> Void)?
    let respond: @Sendable (RouteHandlers, HTTPRequest) throws -> HTTPReply
    /// The entry of the OpenAPI document; `nil`: it is in a fragment.
    var document: Document?

    /// What the OpenAPI document has of a route beside its summary and its access.
    struct Document: Sendable {
      /// The `operationId`.
      var id: String
      /// More than the summary says.
      var details: String?
      /// What a successful response has, in words.
      var returns: String
      /// What the placeholder of the path is; `nil`: as the components of the document describe it.
      var parameter: String?
      /// Statuses of problems beside those that follow from access, parameters and body.
      var problems: [Int]
      /// Further statuses with their descriptions, without a body that the document describes.
      var others: [Int: String] = [:]
      /// The parts that follow from the types of the handler.
      let operation: @Sendable (SchemaComponents, _ method: String) throws -> JSONValue
    }

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

    /// The same route, in a part of the API.
    func tagged(_ tag: String) -> Route {
      var route = self
      route.tag = tag
      return route
    }

    /// The same route, with a further status of its answers in the document.
    func answering(_ status: Int, _ description: String) -> Route {
      var route = self
      route.document?.others[status] = description
      return route
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
    WebhookRoutes.all.map { $0.tagged("webhooks") },
    AccountRoutes.all,
    SecondFactorRoutes.all,
    NoticeRoutes.all,
    ProtocolRoutes.all,
    AppRoutes.all,
    MissingRoutes.all,
    MQTTRoutes.all,
    ImportRoutes.all,
    TimelineRoutes.all.map { $0.tagged("derived") },
    DeletionRoutes.all,
    APIRoutes.all.map { $0.tagged("meta") },
    PageRoutes.all.map { $0.tagged("pages") },
  ].flatMap(\.self)
}
