package import Foundation
internal import GodwitModel

extension String: ParameterValue {
  package static func read(_ name: String, from query: QueryParameters) -> String? { query[name] }
}

extension Bool: ParameterValue {
  package static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Bool? { try query.flag(name) }
  package static var absent: Bool? { false }
}

/// A time in a parameter: RFC 3339, or a day, which means its start in UTC.
package struct TimeParameter: ParameterValue {
  package let date: Date
  package static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
    try query.date(name).map { Self(date: $0) }
  }
  package static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string"] }
  package static var sample: Self { Self(date: .distantPast) }
}

/// The parameters `from` and `to`.
package struct TimeRange: ParameterList {
  package let from: TimeParameter?
  package let to: TimeParameter?

  package static let notes: [String: JSONValue] = [
    "from": "Start (inclusive): RFC 3339, or a day.", "to": "End (exclusive): RFC 3339, or a day.",
  ]

  /// Returns the range in milliseconds since 1970.
  /// - Parameter all: the bounds to use for absent parameters.
  /// - Throws: ``Problem`` unless `to` is after `from`.
  package func milliseconds(in all: Range<Int64>) throws(Problem) -> Range<Int64> {
    let first = from?.date.millisecondsSince1970 ?? all.lowerBound
    let end = to?.date.millisecondsSince1970 ?? all.upperBound
    guard first < end else { throw Problem(400, "Bad argument", "to: expected a time after from.", at: "to") }
    return first..<end
  }
}

/// The range of a ``NumberParameter``.
package protocol NumberParameterLimits: Sendable {
  static var range: ClosedRange<Double> { get }
  /// The expected value, for errors: "metres, 0 or more".
  static var expected: String { get }
  /// The value if the parameter is absent; `nil`: the property is optional, or the parameter is required.
  static var standard: Double? { get }
  /// Whether the range excludes 0 and its minimum is an open bound.
  static var isPositive: Bool { get }
}

extension NumberParameterLimits {
  package static var standard: Double? { nil }
  package static var isPositive: Bool { false }
}

/// A number within a range.
package struct NumberParameter<Limits: NumberParameterLimits>: ParameterValue {
  package let value: Double
  package static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
    try query.decimal(name, in: Limits.range, Limits.expected).map { Self(value: $0) }
  }
  package static func schema(in components: SchemaComponents) -> JSONValue {
    let minimum: JSONValue = Limits.isPositive ? ["exclusiveMinimum": 0] : ["minimum": .bound(Limits.range.lowerBound)]
    let standard: JSONValue = Limits.standard.map { ["default": .bound($0)] } ?? [:]
    return minimum.merging(["type": "number", "maximum": .bound(Limits.range.upperBound)]).merging(standard)
  }
  package static var sample: Self { Self(value: Limits.range.lowerBound) }
  package static var absent: Self? { Limits.standard.map { Self(value: $0) } }
  package static func missing(_ name: String) -> Problem {
    Problem(400, "Bad argument", "\(name) is missing: expected \(Limits.expected).", at: name)
  }
}

/// The state that a resource must have to be changed (RFC 9110, 13.1.1).
package struct IfMatch: HeaderParameter {
  private let text: String
  package init(header text: String) { self.text = text }
  package static let header = "If-Match"
  package static var sample: Self { Self(header: "*") }
  package static let parameterDescription = "The `ETag` that the resource must have, or `*`."
  package static let problems = [412]

  /// - Parameter current: the current response to GET.
  /// - Throws: ``Problem`` with status 412 if no tag matches.
  package func check(_ current: some OperationResult) throws { try EntityTag.check(text, current.response()) }
}

/// The name of a device.
package struct DeviceName: ParameterValue {
  package let name: String
  package static func read(_ name: String, from query: QueryParameters) -> Self? { query[name].map { Self(name: $0) } }
  package static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string"] }
  package static var sample: Self { Self(name: "") }
  package static let parameterDescription = "Only of this device."
  package static let problems = [404]
}

/// The limits of the number of items in a page.
package protocol PageLimits: Sendable {
  static var standard: Int { get }
  static var largest: Int { get }
}

/// The limits of most lists.
package enum StandardPages: PageLimits {
  package static let standard = 100
  package static let largest = 1000
}

/// The parameter `limit`.
package struct PageLimit<Limits: PageLimits>: ParameterValue {
  package let count: Int
  package static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
    Self(count: try query.limit(name, standard: Limits.standard, largest: Limits.largest))
  }
  package static func schema(in components: SchemaComponents) -> JSONValue {
    ["type": "integer", "minimum": 1, "maximum": .integer(Limits.largest), "default": .integer(Limits.standard)]
  }
  package static var sample: Self { Self(count: Limits.standard) }
  package static var absent: Self? { sample }
  package static var parameterDescription: String { "Maximum number of items in a page." }
}

/// The format of cursors of a list.
package protocol CursorFormat: Sendable {
  /// - Returns: `nil` if the text is not a cursor of the list.
  init?(_ text: String)
}

/// The parameter `cursor`.
package struct PageCursor<Place: CursorFormat>: ParameterValue {
  package let place: Place
  package init(place: Place) { self.place = place }
  package init(from decoder: any Decoder) throws { throw MemberDecoder<SchemaRecorder>.unsupported("cursors") }
  package static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
    try query.cursor { Place($0) }.map { Self(place: $0) }
  }
  package static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string"] }
  package static var sample: Self { get throws { throw MemberDecoder<SchemaRecorder>.unsupported("required cursors") } }
  package static var parameterDescription: String { "The `next_cursor` of the previous page; without it, the first page." }
}

/// A cursor that is the number of the row at which a page begins.
package struct RowCursor: CursorFormat {
  package let row: Int64
  package init?(_ text: String) {
    guard let number = RowNumber(text) else { return nil }
    row = number.value
  }
}
