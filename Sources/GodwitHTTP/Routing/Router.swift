/// Finds the route of a request by its method and path, and answers requests without a route.
package struct Router: Sendable {
  /// The files at paths without a route.
  package struct Files: Sendable {
    let exist: @Sendable (_ path: String) -> Bool
    let respond: @Sendable (HTTPRequest) -> HTTPResponse

    package init(
      exist: @escaping @Sendable (_ path: String) -> Bool, respond: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) {
      self.exist = exist
      self.respond = respond
    }
  }

  /// Returns the headers of the response to OPTIONS, besides `Allow`; `nil`: OPTIONS is treated like other methods.
  package var options: (@Sendable (HTTPRequest, _ methods: [String]) throws(Problem) -> [(name: String, value: String)])?
  /// Called for each request that is rejected before its body is read, with the path of its route, or `other`.
  package var rejected: @Sendable (HTTPRequest, _ path: String, Problem) -> Void = { _, _, _ in }

  private let exact: [String: [Route]]
  private let patterns: [(pattern: RoutePattern, route: Route)]
  private let files: Files

  package init(_ routes: [Route], files: Files) {
    let patterns = routes.map { (pattern: RoutePattern($0.path), route: $0) }
    exact = Dictionary(grouping: patterns.filter(\.pattern.isExact).map(\.route), by: \.path)
    // Patterns with more fixed components take precedence.
    self.patterns = patterns.filter { !$0.pattern.isExact }.sorted { $0.pattern.fixedParts > $1.pattern.fixedParts }
    self.files = files
  }

  /// Returns the handler for an HTTP server.
  /// - Parameter complete: completes every response.
  package func handler(complete: @escaping @Sendable (HTTPResponse, HTTPRequest) -> HTTPResponse) -> HTTPServer.Handler {
    HTTPServer.Handler(accept: { accept($0) }, respond: { respond($0) }, complete: complete)
  }

  /// Checks a request whose body has not been read. A response rejects the request.
  private func accept(_ request: HTTPRequest) -> HTTPResponse? {
    do throws(Problem) {
      if request.method == "OPTIONS", let options { return try respond(request, options) }
      guard let (route, parameter) = try route(of: request) else { return nil }
      request.route = route
      request.parameter = parameter
      try route.accept(request)
      return nil
    } catch {
      rejected(request, request.route?.path ?? (exact[request.path] == nil ? "other" : request.path), error)
      return error.response
    }
  }

  /// Answers a complete request.
  private func respond(_ request: HTTPRequest) -> HTTPReply {
    // A request without a route is for a file: `route(of:)` has checked it.
    guard let route = request.route else { return .now(files.respond(request)) }
    do {
      return try route.respond(request)
    } catch {
      return .now(Problem.of(error).response)
    }
  }

  /// Finds the route and the value of its parameter.
  /// - Returns: `nil`: the path is a file.
  /// - Throws: ``Problem`` with status 404 or 405.
  private func route(of request: HTTPRequest) throws(Problem) -> (Route, parameter: String)? {
    // libmicrohttpd omits the body of a response to HEAD.
    let method = request.method == "HEAD" ? "GET" : request.method
    let here = exact[request.path] ?? []
    if let route = here.first(where: { $0.methods.contains(method) }) { return (route, "") }
    let near = nearest(to: request.path, besides: here)
    if let found = near.first(where: { $0.0.methods.contains(method) }) { return found }
    var allowed = (here + near.map(\.0)).flatMap(\.methods)
    if allowed.isEmpty {
      guard files.exist(request.path) else { throw Self.notFound(request) }
      if method == "GET" { return nil }
      allowed = ["GET"]
    }
    throw Problem(
      405, "Method not allowed",
      "\(request.path) accepts \(allowed.joined(separator: ", ")), not \(request.method).", allowed: all(allowed))
  }

  /// Returns the routes with a parameter that match a path: those of the pattern with the most fixed components.
  /// - Parameters:
  ///   - path: the whole path.
  ///   - here: the routes without a parameter at this path.
  private func nearest(to path: String, besides here: [Route]) -> [(Route, parameter: String)] {
    let found = patterns.compactMap { pattern, route in pattern.parameter(in: path).map { (route, parameter: $0) } }
    let best = here.isEmpty ? found.first?.0.path : nil
    return found.filter { $0.0.path == best || $0.0.takesAnyText }
  }

  /// Returns the methods for `Allow`, with HEAD and OPTIONS, which are implied.
  private func all(_ methods: [String]) -> [String] {
    let all = methods + (methods.contains("GET") ? ["HEAD"] : []) + (options == nil ? [] : ["OPTIONS"])
    return all.indices.filter { all.firstIndex(of: all[$0]) == $0 }.map { all[$0] }
  }

  /// Answers OPTIONS with the methods of a path.
  private func respond(
    _ request: HTTPRequest,
    _ options: (HTTPRequest, _ methods: [String]) throws(Problem) -> [(name: String, value: String)]
  ) throws(Problem) -> HTTPResponse {
    let here = exact[request.path] ?? []
    var methods = (here + nearest(to: request.path, besides: here).map(\.0)).flatMap(\.methods)
    if methods.isEmpty, files.exist(request.path) { methods = ["GET"] }
    let headers = try options(request, all(methods))
    guard !methods.isEmpty else { throw Self.notFound(request) }
    var response = HTTPResponse(status: 204, contentType: "text/plain; charset=utf-8", body: [])
    response.headers = [("Allow", all(methods).joined(separator: ", "))] + headers
    return response
  }

  private static func notFound(_ request: HTTPRequest) -> Problem {
    Problem(404, "Not found", "Nothing is at \(request.path).")
  }
}
