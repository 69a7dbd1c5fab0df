/// The result of an operation.
package protocol OperationResult: Sendable {
  func response() throws -> HTTPResponse
  /// The `content` of the response in the OpenAPI document; `nil`: it has no body.
  static func content(in components: SchemaComponents) throws -> JSONValue?
  static var status: Int { get }
  /// Responses with other statuses, in the document.
  static func otherResponses(in components: SchemaComponents) throws -> [Int: JSONValue]
  /// Headers of the response, in the document.
  static var headers: [String: JSONValue] { get }
  /// Whether a response to GET has an entity tag.
  static var hasEntityTag: Bool { get }
}

extension OperationResult {
  package static var status: Int { 200 }
  package static func otherResponses(in components: SchemaComponents) throws -> [Int: JSONValue] { [:] }
  package static var headers: [String: JSONValue] { [:] }
  package static var hasEntityTag: Bool { true }
}

/// A JSON object whose members are the properties of the type, in their order.
package protocol ResultObject: OperationResult, Codable, DocumentedObject {}

extension ResultObject {
  package func response() throws -> HTTPResponse { .json(try ResultEncoder.bytes(self)) }
  package static func content(in components: SchemaComponents) throws -> JSONValue? {
    ["application/json": ["schema": try components.schema(of: Self.self)]]
  }
}

/// The result of an operation that has created a resource.
package struct Created<Result: OperationResult>: OperationResult {
  package let result: Result
  package init(_ result: Result) { self.result = result }

  package static var status: Int { 201 }
  package static var headers: [String: JSONValue] { Result.headers }
  package static func content(in components: SchemaComponents) throws -> JSONValue? { try Result.content(in: components) }
  package func response() throws -> HTTPResponse {
    var response = try result.response()
    response.status = Self.status
    return response
  }
}

/// The result of an operation that creates or replaces a resource.
package struct CreatedOrReplaced<Result: OperationResult>: OperationResult {
  package let result: Result
  package let isNew: Bool
  package init(_ result: Result, isNew: Bool) { (self.result, self.isNew) = (result, isNew) }

  package static var status: Int { Result.status }
  package static func otherResponses(in components: SchemaComponents) throws -> [Int: JSONValue] {
    var response: [String: JSONValue] = ["description": "Something new was created.", "headers": .object(headers)]
    response["content"] = try content(in: components)
    return [201: .object(response)]
  }
  package static var headers: [String: JSONValue] { Result.headers }
  package static func content(in components: SchemaComponents) throws -> JSONValue? { try Result.content(in: components) }
  package func response() throws -> HTTPResponse {
    var response = try result.response()
    if isNew { response.status = 201 }
    return response
  }
}

/// The new state of a resource, with the entity tag of a GET.
package struct Tagged<Result: OperationResult>: OperationResult {
  package let result: Result
  package init(_ result: Result) { self.result = result }

  package static var status: Int { Result.status }
  package static var headers: [String: JSONValue] {
    Result.headers.merging(["ETag": ["$ref": "#/components/headers/ETag"]]) { own, _ in own }
  }
  package static func content(in components: SchemaComponents) throws -> JSONValue? { try Result.content(in: components) }
  package func response() throws -> HTTPResponse { try result.response().tagged }
}

/// A result with a secret, or with a short validity, that must not be cached.
package struct NotStored<Result: OperationResult>: OperationResult {
  package let result: Result
  package init(_ result: Result) { self.result = result }

  package static var status: Int { Result.status }
  package static var headers: [String: JSONValue] { Result.headers }
  package static var hasEntityTag: Bool { false }
  package static func content(in components: SchemaComponents) throws -> JSONValue? { try Result.content(in: components) }
  package func response() throws -> HTTPResponse { try result.response().with("Cache-Control", "no-store") }
}

/// The documentation of a ``RawResult``.
package protocol RawContent: Sendable {
  static func content(in components: SchemaComponents) throws -> JSONValue?
  static var status: Int { get }
  /// Responses with other statuses, in the document.
  static func otherResponses(in components: SchemaComponents) throws -> [Int: JSONValue]
  static var headers: [String: JSONValue] { get }
  static var hasEntityTag: Bool { get }
}

extension RawContent {
  package static var status: Int { 200 }
  package static func otherResponses(in components: SchemaComponents) throws -> [Int: JSONValue] { [:] }
  package static var headers: [String: JSONValue] { [:] }
  package static var hasEntityTag: Bool { true }
}

/// A response that the handler writes: points, pages, streams, files.
package struct RawResult<Content: RawContent>: OperationResult {
  private let written: HTTPResponse
  package init(_ response: HTTPResponse) { written = response }

  package static var status: Int { Content.status }
  package static func otherResponses(in components: SchemaComponents) throws -> [Int: JSONValue] {
    try Content.otherResponses(in: components)
  }
  package static var headers: [String: JSONValue] { Content.headers }
  package static var hasEntityTag: Bool { Content.hasEntityTag }
  package static func content(in components: SchemaComponents) throws -> JSONValue? { try Content.content(in: components) }
  package func response() -> HTTPResponse { written }
}

/// The result of a deletion: `{"deleted": …}`.
package struct Deleted: ResultObject {
  package let deleted: String
  package init(_ id: String) { deleted = id }
  package static let schemaName: String? = "Deleted"
}
