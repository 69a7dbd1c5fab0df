package import GodwitHTTP

/// The entry of a route in the OpenAPI document, without summary and access.
package struct RouteDocument: Sendable {
  /// The `operationId`.
  package var id: String
  /// Text in addition to the summary.
  package var details: String?
  /// Description of a successful response.
  package var returns: String
  /// Description of the path's placeholder; `nil` for the description in the document's components.
  package var parameter: String?
  /// Status codes of problems in addition to those of access, parameters and body.
  package var problems: [Int]
  /// Further status codes with their descriptions, without a body in the document.
  package var others: [Int: String] = [:]
  /// The `content` of a body that no type declares.
  package var body: JSONValue?
  /// The parts that follow from the handler's types.
  package let operation: @Sendable (SchemaComponents, _ method: String) throws -> JSONValue
}
