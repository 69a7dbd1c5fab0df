/// Adds the request's identifier as a header, and to the problem in the body of an error response.
package struct RequestIDMiddleware: ResponseMiddleware {
  package init() {}

  package func complete(_ response: inout HTTPResponse, for request: HTTPRequest) {
    if let problem = response.problem { response.body = .bytes(problem.text(requestID: request.requestID)) }
    response.headers.append((HTTPServer.requestIDHeader, request.requestID))
  }
}
