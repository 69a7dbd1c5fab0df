package import GodwitHTTP

/// The method of a route.
package enum RouteMethod: String, Sendable {
  case get = "GET"
  case post = "POST"
  case put = "PUT"
  case delete = "DELETE"
}

extension APIRoute {
  package typealias Method = RouteMethod

  /// A route with a handler whose types declare parameters, body and result.
  /// - Parameters:
  ///   - path: with one part in capitals at most, which matches any text.
  ///   - id: the `operationId` of the OpenAPI document.
  ///   - summary: what it does, in a few words.
  ///   - details: more in the document; `nil`: the summary says all.
  ///   - returns: what a successful response has.
  ///   - parameter: what the part in capitals is; `nil`: NAME is a device, ID an id.
  ///   - problems: statuses of problems that follow neither from access nor from parameters and body.
  package init<Parameters: ParameterList, Body: OperationBody, Result: OperationResult>(
    _ method: Method, path: String, access: Access, id: String, summary: String, details: String? = nil,
    returns: String = "Success.", parameter: String? = nil, problems: [Int] = [], maximumBody: Int? = nil, isAudited: Bool? = nil,
    _ handler: @escaping @Sendable (Handlers) -> @Sendable (OperationRequest<Parameters, Body>) async throws -> Result
  ) {
    self.init(
      method, path: path, access: access, id: id, summary: summary, details: details, returns: returns, parameter: parameter,
      problems: problems, maximumBody: maximumBody, isAudited: isAudited, as: Operation<Parameters, Body, Result>.self
    ) { handlers, request in
      try Operation(handler(handlers)).respond(to: request)
    }
  }

  /// A route with a handler that reads the request and writes the response itself, because it must be fast, streams, or serves a file.
  /// - Parameter types: what the document has of it.
  package init<Parameters: ParameterList, Body: OperationBody, Result: OperationResult>(
    _ method: Method, path: String, access: Access, id: String, summary: String, details: String? = nil,
    returns: String = "Success.", parameter: String? = nil, problems: [Int] = [], maximumBody: Int? = nil, isAudited: Bool? = nil,
    as types: Operation<Parameters, Body, Result>.Type,
    _ respond: @escaping @Sendable (Handlers, HTTPRequest) throws -> HTTPReply
  ) {
    let document = RouteDocument(id: id, details: details, returns: returns, parameter: parameter, problems: problems) {
      components, method in
      try types.document(in: components, method: method, success: returns)
    }
    self.init(
      methods: [method.rawValue], path: path, access: access, maximumBody: maximumBody, isAudited: isAudited, summary: summary,
      document: document, respond: respond)
  }
}
