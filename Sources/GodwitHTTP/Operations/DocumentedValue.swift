package import Foundation

/// A type with a JSON schema: strings, numbers, dates, enumerations.
package protocol DocumentedValue: Decodable {
  /// Returns the schema. Named parts are added to the components.
  static func schema(in components: SchemaComponents) throws -> JSONValue
  /// Any value. It is used only to determine the schema of a type that has a property of this type.
  static var sample: Self { get throws }
}

/// A type whose properties are members of a JSON object, or parameters. The schema is determined by decoding the type once.
package protocol DocumentedObject: Decodable, Sendable {
  /// The name of the schema in the components of the OpenAPI document; `nil`: the schema is inlined.
  static var schemaName: String? { get }
  /// The description of the schema in the document.
  static var summary: String? { get }
  /// Descriptions of members, and further keywords of their schemas, such as `["minimum": 0]`.
  static var notes: [String: JSONValue] { get }
  /// Whether other members are not permitted.
  static var isClosed: Bool { get }
}

extension DocumentedObject {
  package static var schemaName: String? { nil }
  package static var summary: String? { nil }
  package static var notes: [String: JSONValue] { [:] }
  package static var isClosed: Bool { false }
}

extension DocumentedValue where Self: RawRepresentable & CaseIterable, RawValue == String {
  package static func schema(in components: SchemaComponents) -> JSONValue {
    ["type": "string", "enum": .array(allCases.map { .string($0.rawValue) })]
  }
  package static var sample: Self {
    get throws {
      guard let first = allCases.first else { throw MemberDecoder<SchemaRecorder>.unsupported("enumerations without cases") }
      return first
    }
  }
}

extension String: DocumentedValue {
  package static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string"] }
  package static var sample: String { "" }
}

extension Bool: DocumentedValue {
  package static func schema(in components: SchemaComponents) -> JSONValue { ["type": "boolean"] }
  package static var sample: Bool { false }
}

extension Int: DocumentedValue {
  package static func schema(in components: SchemaComponents) -> JSONValue { ["type": "integer"] }
  package static var sample: Int { 0 }
}

extension Int64: DocumentedValue {
  package static func schema(in components: SchemaComponents) -> JSONValue { ["type": "integer"] }
  package static var sample: Int64 { 0 }
}

extension Double: DocumentedValue {
  package static func schema(in components: SchemaComponents) -> JSONValue { ["type": "number"] }
  package static var sample: Double { 0 }
}

extension Date: DocumentedValue {
  package static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string", "format": "date-time"] }
  package static var sample: Date { Date(timeIntervalSince1970: 0) }
}

extension Array: DocumentedValue where Element: Decodable {
  package static func schema(in components: SchemaComponents) throws -> JSONValue {
    ["type": "array", "items": try components.schema(of: Element.self)]
  }
  package static var sample: [Element] { [] }
}

extension Dictionary: DocumentedValue where Key == String, Value: Decodable {
  package static func schema(in components: SchemaComponents) throws -> JSONValue {
    ["type": "object", "additionalProperties": try components.schema(of: Value.self)]
  }
  package static var sample: [String: Value] { [:] }
}
