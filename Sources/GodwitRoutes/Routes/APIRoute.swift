package import GodwitHTTP

/// A route of the API: its path and access, its entry in the OpenAPI document, and its handler.
///
/// Each part of the API has a table of routes for its own handlers. ``of(_:)`` converts them to routes of the server.
package struct APIRoute<Handlers: Sendable>: Sendable {
  package typealias Access = RouteAccess

  package let methods: [String]
  /// A segment in capital letters matches any text. At the end of the path it also matches slashes.
  package let path: String
  package let access: Access
  /// Maximum size of a body in bytes, if below the server's limit.
  package var maximumBody: Int?
  /// Whether requests are recorded in the audit log; `nil` to record only those of routes that change data.
  package var isAudited: Bool?
  package let summary: String
  /// The part of the API by which the document groups operations.
  package var tag = ""
  package var confirmation = RouteConfirmation.never
  /// Whether requests count against the rate limits of their client.
  package var isLimited = true
  /// Checks the arguments and the destination of a request before its body arrives, in addition to its access.
  package var look: (@Sendable (Handlers, HTTPRequest) throws(Problem) -> Void)?
  package let respond: @Sendable (Handlers, HTTPRequest) throws -> HTTPReply
  /// Entry in the OpenAPI document.
  package var document: RouteDocument

  package init(
    methods: [String], path: String, access: Access, maximumBody: Int? = nil, isAudited: Bool? = nil, summary: String,
    document: RouteDocument, respond: @escaping @Sendable (Handlers, HTTPRequest) throws -> HTTPReply
  ) {
    self.methods = methods
    self.path = path
    self.access = access
    self.maximumBody = maximumBody
    self.isAudited = isAudited
    self.summary = summary
    self.document = document
    self.respond = respond
  }

  /// Maximum size of a body in bytes; `nil` for the server's limit for records.
  package var bodyLimit: Int? {
    if let maximumBody { return maximumBody }
    switch access {
    case .device, .app, .named, .logged: return nil
    case .open, .read, .account, .accountChange, .administrator, .administratorChange, .deviceOrAdministrator:
      return JSONBody.limit
    }
  }

  /// Returns the route with a recent confirmation required from browsers.
  package func confirmed(unlessDry: Bool = false) -> Self {
    var route = self
    route.confirmation = unlessDry ? .unlessDry : .always
    return route
  }

  /// Returns the route without a rate limit, for files of which a page needs many.
  package var unlimited: Self {
    var route = self
    route.isLimited = false
    return route
  }

  /// Returns the route in a part of the API.
  package func tagged(_ tag: String) -> Self {
    var route = self
    route.tag = tag
    return route
  }

  /// Returns the route with a further response status in the document.
  package func answering(_ status: Int, _ description: String) -> Self {
    var route = self
    route.document.others[status] = description
    return route
  }

  /// Returns the route with a body that no type declares.
  /// - Parameter content: Media types with their schemas.
  package func accepting(_ content: [String: JSONValue]) -> Self {
    var route = self
    route.document.body = .object(content)
    return route
  }

  /// Returns the route with a check that runs before the body arrives.
  package func looking(_ look: @escaping @Sendable (Handlers, HTTPRequest) throws(Problem) -> Void) -> Self {
    var route = self
    route.look = look
    return route
  }

  /// Returns the route for handlers that contain those of this route.
  package func of<Whole>(_ part: @escaping @Sendable (Whole) -> Handlers) -> APIRoute<Whole> {
    var route = APIRoute<Whole>(
      methods: methods, path: path, access: access, maximumBody: maximumBody, isAudited: isAudited, summary: summary,
      document: document
    ) { [respond] in try respond(part($0), $1) }
    (route.tag, route.confirmation, route.isLimited) = (tag, confirmation, isLimited)
    if let look { route.look = { handlers, request throws(Problem) in try look(part(handlers), request) } }
    return route
  }
}
