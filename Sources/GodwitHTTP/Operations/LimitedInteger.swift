/// The range of a ``LimitedInteger``.
package protocol WholeLimits: Sendable {
  static var range: ClosedRange<Int> { get }
}

/// A whole number in a body, within a range.
package struct LimitedInteger<Limits: WholeLimits>: BodyValue {
  package let value: Int
  package static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self? {
    guard let number = try body.number(name) else { return nil }
    guard let value = Int(exactly: number), Limits.range.contains(value) else {
      throw body.fault(name, "a whole number, \(Limits.range.lowerBound) to \(Limits.range.upperBound).")
    }
    return Self(value: value)
  }
  package static func schema(in components: SchemaComponents) -> JSONValue {
    ["type": "integer", "minimum": .integer(Limits.range.lowerBound), "maximum": .integer(Limits.range.upperBound)]
  }
  package static var sample: Self { Self(value: Limits.range.lowerBound) }
}
