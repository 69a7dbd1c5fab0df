/// Adds the id of the request as a header, and to the problem that is the body of a refusal.
package struct RequestIDMiddleware: ResponseMiddleware {
  package init() {}

  package func complete(_ response: inout HTTPResponse, for request: HTTPRequest) {
    if let problem = response.problem { response.body = .bytes(problem.text(requestID: request.requestID)) }
    response.headers.append((HTTPServer.requestIDHeader, request.requestID))
  }
}
