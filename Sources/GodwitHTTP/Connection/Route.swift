/// A path of a server with the functions that process its requests.
package final class Route: Sendable {
  package let methods: [String]
  /// The path. A component in capital letters is a parameter; at the end of the path it may contain slashes.
  package let path: String
  /// Whether the parameter may be the last part of another route's path.
  let takesAnyText: Bool
  let accept: @Sendable (HTTPRequest) throws(Problem) -> Void
  let respond: @Sendable (HTTPRequest) throws -> HTTPReply

  /// - Parameters:
  ///   - methods: the HTTP methods; GET includes HEAD.
  ///   - path: the path, with at most one component in capital letters.
  ///   - takesAnyText: whether the parameter may be the last part of another route's path.
  ///   - accept: called after the headers of a request, before its body. A ``Problem`` that it throws is the response.
  ///   - respond: called with the complete request. A ``Problem`` that it throws is the response.
  package init(
    methods: [String], path: String, takesAnyText: Bool = false,
    accept: @escaping @Sendable (HTTPRequest) throws(Problem) -> Void,
    respond: @escaping @Sendable (HTTPRequest) throws -> HTTPReply
  ) {
    self.methods = methods
    self.path = path
    self.takesAnyText = takesAnyText
    self.accept = accept
    self.respond = respond
  }
}
