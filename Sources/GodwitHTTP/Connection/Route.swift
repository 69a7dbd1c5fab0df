/// An address of a server and what answers there.
package final class Route: Sendable {
  package let methods: [String]
  /// A part in capital letters stands for any text; at the end for slashes as well.
  package let path: String
  /// Whether the parameter may be the last part of another route's path.
  let takesAnyText: Bool
  let accept: @Sendable (HTTPRequest) throws(Problem) -> Void
  let respond: @Sendable (HTTPRequest) throws -> HTTPReply

  /// - Parameters:
  ///   - methods: GET stands for HEAD as well.
  ///   - path: with one part in capital letters at most.
  ///   - takesAnyText: whether the parameter may be the last part of another route's path.
  ///   - accept: called with the headers of a request, before its body; what it throws is the answer.
  ///   - respond: called with the complete request; a ``Problem`` that it throws is the answer.
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
