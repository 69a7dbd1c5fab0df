/// A request whose parameters and body have been read.
package struct OperationRequest<Parameters: ParameterList, Body: OperationBody>: Sendable {
  /// The HTTP request, for its headers, its client and its context.
  package let http: HTTPRequest
  package let parameters: Parameters
  package let body: Body

  /// - Throws: ``Problem`` if a parameter or the body is invalid.
  package init(_ request: HTTPRequest) throws {
    http = request
    parameters = try Parameters(request.query)
    body = try Body.read(request)
  }

  /// The part of the path at the placeholder of the route.
  package var parameter: String { http.parameter }
}

/// A request without parameters and body.
package typealias PlainRequest = OperationRequest<NoParameters, NoBody>
/// A request with parameters and no body.
package typealias ParameterRequest<Parameters: ParameterList> = OperationRequest<Parameters, NoBody>
/// A request with parameters that is rejected if it has a body.
package typealias EmptyBodyRequest<Parameters: ParameterList> = OperationRequest<Parameters, EmptyBody<Parameters>>
/// A request with a body and no parameters.
package typealias BodyRequest<Body: OperationBody> = OperationRequest<NoParameters, Body>

/// An operation of the API: reads the request, runs, and answers.
package struct Operation<Parameters: ParameterList, Body: OperationBody, Result: OperationResult>: Sendable {
  let run: @Sendable (OperationRequest<Parameters, Body>) async throws -> Result

  package init(_ run: @escaping @Sendable (OperationRequest<Parameters, Body>) async throws -> Result) { self.run = run }

  /// Answers a request. The connection is suspended while the operation runs, and occupies no connection thread.
  package func respond(to request: HTTPRequest) throws -> HTTPReply {
    let read = try OperationRequest<Parameters, Body>(request)
    if let rejection = request.suspend() { return .now(rejection) }
    Task(executorPreference: request.server.configuration.executor) {
      let response: HTTPResponse
      do { response = try await run(read).response() } catch { response = Problem.of(error).response }
      request.finish(response)
    }
    return .later
  }

  /// Returns the parts of the OpenAPI document that are derived from the types.
  package static func document(in components: SchemaComponents, method: String, success: String) throws -> JSONValue {
    var operation: [String: JSONValue] = [:]
    let (parameters, problems) = try components.parameters(of: Parameters.self)
    if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
    if let body = try Body.requestBody(in: components) { operation["requestBody"] = body }
    var response: [String: JSONValue] = ["description": .string(success)]
    if let content = try Result.content(in: components) { response["content"] = content }
    var responses: [String: JSONValue] = [:]
    var headers = Result.headers
    if method == "get", Result.hasEntityTag {
      operation["parameters"] = .array(parameters + [["$ref": "#/components/parameters/ifNoneMatch"]])
      responses["304"] = ["$ref": "#/components/responses/NotModified"]
      headers["ETag"] = ["$ref": "#/components/headers/ETag"]
    }
    if !headers.isEmpty { response["headers"] = .object(headers) }
    responses[String(Result.status)] = .object(response)
    let problem: JSONValue = ["$ref": "#/components/responses/Problem"]
    for status in problems + (operation["requestBody"] == nil ? [] : [422]) { responses[String(status)] = problem }
    for (status, response) in try Result.otherResponses(in: components) { responses[String(status)] = response }
    operation["responses"] = .object(responses)
    return .object(operation)
  }
}

extension Problem {
  /// Returns the problem that a client receives for an error.
  package static func of(_ error: any Error) -> Problem {
    if let problem = error as? Problem { return problem }
    var problem = Problem(
      500, "Not answered",
      "The request could not be answered. Try again; the log of the server has "
        + "the reason.")
    problem.cause = "\(error)"
    return problem
  }
}
