/// Adds the headers by which a browser lets pages of allowed origins read a response.
package struct CORSMiddleware: ResponseMiddleware {
  private let origins: AllowedOrigins

  package init(_ origins: AllowedOrigins) { self.origins = origins }

  package func complete(_ response: inout HTTPResponse, for request: HTTPRequest) {
    response.headers += origins.headers(for: request)
  }
}
