package import GodwitHTTP

/// A route of the API: its address and access, what the OpenAPI document has of it, and its handler.
///
/// Each part of the API has a table of routes of its own handlers; ``of(_:)`` makes them routes of the server's.
package struct APIRoute<Handlers: Sendable>: Sendable {
  package typealias Access = RouteAccess

  package let methods: [String]
  /// A part in capital letters matches any text; at the end it also matches slashes.
  package let path: String
  package let access: Access
  /// Maximum bytes of a body, if less than the server's limit.
  package var maximumBody: Int?
  /// Whether the audit log has its requests; `nil`: only if the route changes something.
  package var isAudited: Bool?
  package let summary: String
  /// The part of the API, by which the document groups its operations.
  package var tag = ""
  package var confirmation = RouteConfirmation.never
  /// Whether requests count against the limits of their client.
  package var isLimited = true
  /// Checks a request before its body arrives, in addition to its access: arguments, and the destination of the body.
  package var look: (@Sendable (Handlers, HTTPRequest) throws(Problem) -> Void)?
  package let respond: @Sendable (Handlers, HTTPRequest) throws -> HTTPReply
  /// The entry of the OpenAPI document.
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

  /// Maximum bytes of a body; `nil`: the server's limit for records.
  package var bodyLimit: Int? {
    if let maximumBody { return maximumBody }
    switch access {
    case .device, .app, .named, .logged: return nil
    case .open, .read, .account, .accountChange, .administrator, .administratorChange, .deviceOrAdministrator:
      return JSONBody.limit
    }
  }

  /// The same route, with a recent confirmation required of browsers.
  package func confirmed(unlessDry: Bool = false) -> Self {
    var route = self
    route.confirmation = unlessDry ? .unlessDry : .always
    return route
  }

  /// The same route without a limit: for files of the pages, of which a page needs many.
  package var unlimited: Self {
    var route = self
    route.isLimited = false
    return route
  }

  /// The same route, in a part of the API.
  package func tagged(_ tag: String) -> Self {
    var route = self
    route.tag = tag
    return route
  }

  /// The same route, with a further status of its answers in the document.
  package func answering(_ status: Int, _ description: String) -> Self {
    var route = self
    route.document.others[status] = description
    return route
  }

  /// The same route, with a body that no type declares.
  /// - Parameter content: media types with schemas.
  package func accepting(_ content: [String: JSONValue]) -> Self {
    var route = self
    route.document.body = .object(content)
    return route
  }

  /// The same route, with a check before the body arrives.
  package func looking(_ look: @escaping @Sendable (Handlers, HTTPRequest) throws(Problem) -> Void) -> Self {
    var route = self
    route.look = look
    return route
  }

  /// The same route for handlers that have those of this one as a part.
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
