/// The range of a ``BoundedInteger``.
public protocol IntegerLimits: Sendable {
  /// The permitted numbers, within ±2^53, so that the difference of two of them fits in an `Int64`.
  static var range: ClosedRange<Int64> { get }
}

/// A whole number from external input in a declared range.
///
/// It has no arithmetic operators, so that a number of a request, a file or a database cannot cause an overflow. ``next`` and
/// ``previous`` stay in the range.
@frozen
public struct BoundedInteger<Limits: IntegerLimits>: Sendable, Hashable, Comparable {
  /// The number.
  public let value: Int64

  /// - Returns: `nil` if the number is outside the range.
  @inlinable
  public init?(exactly value: Int64) {
    guard Limits.range.contains(value) else { return nil }
    self.value = value
  }

  /// Creates the nearest number of the range, for values that an earlier version stored without a check.
  @inlinable
  public init(clamping value: Int64) {
    self.value = Swift.min(Swift.max(value, Limits.range.lowerBound), Limits.range.upperBound)
  }

  /// Parses a decimal integer, after a prefix such as `lnk_` if one is given.
  /// - Returns: `nil` for any other text and for a number outside the range.
  public init?(_ text: some StringProtocol, after prefix: String = "") {
    guard text.hasPrefix(prefix), let number = Int64(text.dropFirst(prefix.count)) else { return nil }
    self.init(exactly: number)
  }

  /// The smallest number of the range.
  public static var min: Self { Self(clamping: .min) }
  /// The largest number of the range.
  public static var max: Self { Self(clamping: .max) }

  /// The next number; `nil` after the largest.
  @inlinable
  public var next: Self? { Self(exactly: value + 1) }
  /// The previous number; `nil` before the smallest.
  @inlinable
  public var previous: Self? { Self(exactly: value - 1) }

  @inlinable
  public static func < (a: Self, b: Self) -> Bool { a.value < b.value }
}

extension BoundedInteger: CustomStringConvertible {
  public var description: String { String(value) }
}

extension BoundedInteger: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self.init(clamping: value) }
}

extension BoundedInteger: Codable {
  /// Decodes a number. A number outside the range, which only an earlier version could write, is clamped.
  public init(from decoder: any Decoder) throws {
    self.init(clamping: try decoder.singleValueContainer().decode(Int64.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension Sequence where Element: FixedWidthInteger {
  /// Returns the sum, clamped to the range of the type.
  public func saturatingSum() -> Element {
    reduce(0) { sum, number in
      let (total, overflow) = sum.addingReportingOverflow(number)
      return overflow ? (number < 0 ? .min : .max) : total
    }
  }
}
