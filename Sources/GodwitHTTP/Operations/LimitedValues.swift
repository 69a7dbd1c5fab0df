package import GodwitModel

/// The range of a ``LimitedNumber``.
package protocol NumberLimits: Sendable {
  static var range: ClosedRange<Double> { get }
  /// The expected value, for errors: "20 to 5000 metres."
  static var expected: String { get }
  /// The error for a body without the number.
  static var missing: String { get }
}

extension NumberLimits {
  package static var missing: String { "missing." }
}

/// A number in a body, within a range.
package struct LimitedNumber<Limits: NumberLimits>: BodyValue {
  package let value: Double
  package static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self? {
    guard let number = try body.number(name) else { return nil }
    guard Limits.range.contains(number) else { throw body.fault(name, Limits.expected) }
    return Self(value: number)
  }
  package static func schema(in components: SchemaComponents) -> JSONValue {
    ["type": "number", "minimum": .bound(Limits.range.lowerBound), "maximum": .bound(Limits.range.upperBound)]
  }
  package static var sample: Self { Self(value: Limits.range.lowerBound) }
  package static var missing: String { Limits.missing }
}

extension JSONValue {
  /// Returns a bound as an integer if it is a whole number, otherwise as a number.
  static func bound(_ value: Double) -> JSONValue { Int(exactly: value).map { .integer($0) } ?? .number(value) }
}

/// The latitude of a position, in degrees.
package enum LatitudeLimits: NumberLimits {
  package static let range = -90.0...90.0
  package static let expected = "expected the latitude and longitude of a place, in degrees."
  package static let missing = expected
}

/// The longitude of a position, in degrees.
package enum LongitudeLimits: NumberLimits {
  package static let range = -180.0...180.0
  package static let expected = LatitudeLimits.expected
  package static let missing = expected
}

package typealias Latitude = LimitedNumber<LatitudeLimits>
package typealias Longitude = LimitedNumber<LongitudeLimits>

/// The lengths of a ``LimitedText``.
package protocol TextLimits: Sendable {
  static var length: ClosedRange<Int> { get }
  /// The expected value, for errors.
  static var expected: String { get }
}

extension TextLimits {
  package static var expected: String { "\(length.lowerBound) to \(length.upperBound) characters." }
}

/// A text in a body, with a limited number of characters.
package struct LimitedText<Limits: TextLimits>: BodyValue {
  package let text: String
  package static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self? {
    guard let text = try body.text(name) else { return nil }
    guard Limits.length.contains(text.count) else { throw body.fault(name, Limits.expected) }
    return Self(text: text)
  }
  package static func schema(in components: SchemaComponents) -> JSONValue {
    ["type": "string", "minLength": .integer(Limits.length.lowerBound), "maxLength": .integer(Limits.length.upperBound)]
  }
  package static var sample: Self { Self(text: "") }
}

extension LimitedNumber where Limits == LatitudeLimits {
  /// The position of this latitude and a longitude.
  package func coordinate(_ longitude: Longitude) throws(Problem) -> Coordinate {
    guard let coordinate = Coordinate(latitude: value, longitude: longitude.value) else {
      throw Problem(422, "No position", LatitudeLimits.expected, at: "latitude")
    }
    return coordinate
  }
}
