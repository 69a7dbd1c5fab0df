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

  /// Creates a route with a handler whose types declare parameters, body and result.
  /// - Parameters:
  ///   - path: Path with at most one segment in capitals, which matches any text.
  ///   - id: the `operationId` of the OpenAPI document.
  ///   - summary: A short description of the operation.
  ///   - details: Further text for the document; `nil` if the summary is complete.
  ///   - returns: Description of a successful response.
  ///   - parameter: Description of the segment in capitals. With `nil`, NAME is a device and ID is an id.
  ///   - problems: Status codes of problems in addition to those of access, parameters and body.
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

  /// Creates a route with a handler that reads the request and writes the response itself: for speed, for streaming, or to serve a
  /// file.
  /// - Parameter types: Types for the OpenAPI document.
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
