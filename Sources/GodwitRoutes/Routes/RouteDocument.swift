package import GodwitHTTP

/// What the OpenAPI document has of a route beside its summary and its access.
package struct RouteDocument: Sendable {
  /// The `operationId`.
  package var id: String
  /// More than the summary says.
  package var details: String?
  /// What a successful response has, in words.
  package var returns: String
  /// What the placeholder of the path is; `nil`: as the components of the document describe it.
  package var parameter: String?
  /// Statuses of problems beside those that follow from access, parameters and body.
  package var problems: [Int]
  /// Further statuses with their descriptions, without a body that the document describes.
  package var others: [Int: String] = [:]
  /// The `content` of a body that no type declares.
  package var body: JSONValue?
  /// The parts that follow from the types of the handler.
  package let operation: @Sendable (SchemaComponents, _ method: String) throws -> JSONValue
}
