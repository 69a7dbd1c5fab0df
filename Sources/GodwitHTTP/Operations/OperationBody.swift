package import Foundation

/// The body of a request of an operation.
package protocol OperationBody: Sendable {
  /// - Throws: ``Problem`` if the body is invalid.
  static func read(_ request: HTTPRequest) throws -> Self
  /// The `requestBody` in the OpenAPI document; `nil`: there is none.
  static func requestBody(in components: SchemaComponents) throws -> JSONValue?
}

/// No body. A body that is sent is ignored.
package struct NoBody: OperationBody {
  package static func read(_ request: HTTPRequest) -> NoBody { NoBody() }
  package static func requestBody(in components: SchemaComponents) -> JSONValue? { nil }
}

/// No body. A body that is sent is rejected, for requests that delete: `{"dry": true}` would delete if it were ignored.
package struct EmptyBody<Parameters: ParameterList>: OperationBody {
  package static func read(_ request: HTTPRequest) throws -> Self {
    guard request.takeBody().isEmpty else {
      let names = try ArgumentNames.of(Parameters.self).joined(separator: ", ")
      throw Problem(422, "Body not accepted", "Expected no body. Arguments belong in the query: \(names).", at: "byte 0")
    }
    return Self()
  }
  package static func requestBody(in components: SchemaComponents) -> JSONValue? { nil }
}

/// A body that the handler parses: files and uploads of devices.
package struct RawBody<Content: RawBodyContent>: OperationBody {
  package let bytes: [UInt8]
  package static func read(_ request: HTTPRequest) -> Self { Self(bytes: request.takeBody()) }
  package static func requestBody(in components: SchemaComponents) throws -> JSONValue? {
    ["required": .bool(Content.isRequired), "content": try Content.content(in: components)]
  }
}

/// The documentation of a ``RawBody``.
package protocol RawBodyContent: Sendable {
  static func content(in components: SchemaComponents) throws -> JSONValue
  static var isRequired: Bool { get }
}

extension RawBodyContent {
  package static var isRequired: Bool { true }
}

/// A JSON object whose members are the properties of the type. Unknown members are rejected.
package protocol BodyObject: OperationBody, DocumentedObject {
  /// The name of the object in errors: "place" for "Not a place".
  static var kind: String { get }
  /// Checks conditions that involve several members.
  /// - Throws: ``JSONBody/fault(_:_:)``, or any other ``Problem``.
  func check(_ body: JSONBody) throws(Problem)
}

extension BodyObject {
  package static var isClosed: Bool { true }

  package func check(_ body: JSONBody) {}

  package static func read(_ request: HTTPRequest) throws -> Self { try Self(json: request.takeBody()) }

  /// - Throws: ``Problem`` if the body is not such an object.
  package init(json: [UInt8]) throws {
    let source = BodySource(try JSONBody(json, Self.kind))
    self = try Self(from: MemberDecoder(source: source))
    try check(source.body)
    try source.body.end()
  }

  package static func requestBody(in components: SchemaComponents) throws -> JSONValue? {
    ["required": true, "content": ["application/json": ["schema": try components.schema(of: Self.self)]]]
  }
}

/// A type of members of a body.
package protocol BodyValue: DocumentedValue, Sendable {
  /// - Returns: `nil` if the member is absent or `null`.
  /// - Throws: ``Problem`` with the expected value.
  static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self?
  /// The error for a body without the member.
  static var missing: String { get }
}

extension BodyValue {
  package static var missing: String { "missing." }
}

extension BodyValue where Self: RawRepresentable & CaseIterable, RawValue == String {
  package static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self? {
    try body.choice(name, of: Self.self)
  }
}

extension String: BodyValue {
  package static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> String? { try body.text(name) }
}

extension Double: BodyValue {
  package static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Double? { try body.number(name) }
}

extension Bool: BodyValue {
  package static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Bool? { try body.flag(name) }
}

extension Date: BodyValue {
  package static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Date? { try body.date(name) }
}

extension Array: BodyValue where Element == String {
  package static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> [String]? { try body.texts(name) }
}

/// Reads members from the body of a request.
private final class BodySource: MemberSource {
  var body: JSONBody

  init(_ body: JSONBody) { self.body = body }

  func member<T: Decodable>(_ type: T.Type, _ name: String) throws -> T {
    guard let value = type as? any BodyValue.Type else { throw MemberDecoder<BodySource>.unsupported("\(type)") }
    guard let found = try value.read(name, from: &body) else { throw body.fault(name, value.missing) }
    guard let typed = found as? T else { throw MemberDecoder<BodySource>.unsupported("\(type)") }
    return typed
  }

  func memberIfPresent<T: Decodable>(_ type: T.Type, _ name: String) throws -> T? {
    guard let value = type as? any BodyValue.Type else { throw MemberDecoder<BodySource>.unsupported("\(type)") }
    return try value.read(name, from: &body) as? T
  }
}
