package import Foundation
internal import GodwitModel
internal import GodwitText

/// A type that writes its own JSON text.
package protocol JSONWritable {
  func write(to bytes: inout [UInt8])
}

/// A member that is `null` if it has no value. An optional property without this wrapper is absent in that case.
@propertyWrapper
package struct Nullable<Value: Codable & Sendable>: Codable, Sendable {
  package var wrappedValue: Value?

  package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
  }
}

extension Nullable: DocumentedValue {
  package static func schema(in components: SchemaComponents) throws -> JSONValue {
    let schema = try components.schema(of: Value.self)
    guard case .string(let type)? = schema.members["type"] else { return ["oneOf": [schema, ["type": "null"]]] }
    var more: [String: JSONValue] = ["type": [.string(type), "null"]]
    if case .array(let values)? = schema.members["enum"] { more["enum"] = .array(values + [.null]) }
    return schema.merging(.object(more))
  }
  package static var sample: Self { Self(wrappedValue: nil) }
}

/// The maximum number of decimal places of a number.
package protocol DecimalPlaces: Sendable {
  static var count: Int { get }
}
package enum NoPlaces: DecimalPlaces { package static let count = 0 }
package enum OnePlace: DecimalPlaces { package static let count = 1 }
package enum TwoPlaces: DecimalPlaces { package static let count = 2 }
package enum SixPlaces: DecimalPlaces { package static let count = 6 }
package enum SevenPlaces: DecimalPlaces { package static let count = 7 }

/// A number that is written with a maximum number of decimal places.
@propertyWrapper
package struct Rounded<Places: DecimalPlaces>: Codable, Sendable {
  package var wrappedValue: Double

  package init(wrappedValue: Double) { self.wrappedValue = wrappedValue }
  package init(_ value: Double) { wrappedValue = value }
  package init(from decoder: any Decoder) throws { wrappedValue = try decoder.singleValueContainer().decode(Double.self) }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

/// For whole seconds and other whole numbers.
package typealias Rounded0 = Rounded<NoPlaces>
package typealias Rounded1 = Rounded<OnePlace>
package typealias Rounded2 = Rounded<TwoPlaces>
/// For degrees with a resolution of about 0.1 m.
package typealias Rounded6 = Rounded<SixPlaces>
package typealias Rounded7 = Rounded<SevenPlaces>

extension Rounded: DocumentedValue, JSONWritable {
  package static func schema(in components: SchemaComponents) -> JSONValue { ["type": Places.count == 0 ? "integer" : "number"] }
  package static var sample: Self { Self(0) }
  package func write(to bytes: inout [UInt8]) { bytes += Array(JSONText.number(wrappedValue, Places.count).utf8) }
}

/// JSON that is stored as text.
package struct JSONFragment: Codable, Sendable, DocumentedValue, JSONWritable {
  package let text: String
  package init(_ text: String) { self.text = text }
  package static func schema(in components: SchemaComponents) -> JSONValue { ["type": "object"] }
  package static var sample: Self { Self("{}") }
  package func write(to bytes: inout [UInt8]) { bytes += Array(text.utf8) }
}

/// The member `next_cursor` of a page.
package struct NextCursor: Codable, Sendable, DocumentedValue, JSONWritable {
  package let text: String?
  /// - Parameter text: the `cursor` of the request for the next page; `nil` on the last one.
  package init(_ text: String?) { self.text = text }
  package static func schema(in components: SchemaComponents) -> JSONValue {
    components.named(
      "NextCursor", ["type": ["string", "null"], "description": "The `cursor` of the next page; null on the last one."])
  }
  package static var sample: Self { Self(nil) }
  package func write(to bytes: inout [UInt8]) {
    if let text { JSONWriter.string(text, to: &bytes) } else { JSONWriter.raw("null", to: &bytes) }
  }
}

extension String: JSONWritable {
  package func write(to bytes: inout [UInt8]) { JSONWriter.string(self, to: &bytes) }
}
extension Bool: JSONWritable {
  package func write(to bytes: inout [UInt8]) { JSONWriter.raw(self ? "true" : "false", to: &bytes) }
}
extension Int: JSONWritable {
  package func write(to bytes: inout [UInt8]) { JSONWriter.number(self, to: &bytes) }
}
extension Int64: JSONWritable {
  package func write(to bytes: inout [UInt8]) { bytes += Array(String(self).utf8) }
}
extension Double: JSONWritable {
  package func write(to bytes: inout [UInt8]) { bytes += Array((isFinite ? String(self) : "null").utf8) }
}
extension Date: JSONWritable {
  package func write(to bytes: inout [UInt8]) { bytes += Array("\"\(RFC3339.string(self))\"".utf8) }
}
