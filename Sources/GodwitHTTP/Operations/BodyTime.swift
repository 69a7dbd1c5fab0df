package import Foundation

/// A time in a body: RFC 3339, a day, or Unix seconds.
package struct BodyTime: BodyValue {
  package let date: Date
  package static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self? {
    try body.date(name).map { Self(date: $0) }
  }
  package static func schema(in components: SchemaComponents) -> JSONValue {
    ["type": ["string", "number"], "description": "RFC 3339, a day, or Unix seconds."]
  }
  package static var sample: Self { Self(date: .distantPast) }
}
