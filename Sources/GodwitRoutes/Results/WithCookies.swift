package import GodwitHTTP

/// A result that sets cookies.
package struct WithCookies<Result: OperationResult>: OperationResult {
  private let result: Result
  private let cookies: [String]

  /// - Parameter cookies: Values of `Set-Cookie` headers.
  package init(_ result: Result, _ cookies: [String]) {
    self.result = result
    self.cookies = cookies
  }

  package static var status: Int { Result.status }
  package static var headers: [String: JSONValue] { Result.headers }
  package static var hasEntityTag: Bool { false }
  package static func content(in components: SchemaComponents) throws -> JSONValue? { try Result.content(in: components) }
  package func response() throws -> HTTPResponse {
    try cookies.reduce(result.response()) { $0.with("Set-Cookie", $1) }
  }
}
