package import GodwitModel

/// Reads the numbers in addresses and headers. What it returns is bounded, so that nothing that is computed of it can overflow.
package enum Arguments {
  /// - Parameters:
  ///   - name: of the argument.
  ///   - text: its value; empty is none.
  ///   - expected: what it counts.
  /// - Throws: ``Problem`` where it is no whole number or outside the range of its type.
  package static func number<Limits: IntegerLimits>(
    _ name: String, _ text: String?, _ expected: String
  ) throws(Problem) -> BoundedInteger<Limits>? {
    guard let text, !text.isEmpty else { return nil }
    guard let number = BoundedInteger<Limits>(text) else {
      throw Problem(
        400, "Bad argument",
        "\(name)=\(text.prefix(80)): expected \(expected), \(Limits.range.lowerBound) to \(Limits.range.upperBound).", at: name)
    }
    return number
  }

  /// How many things a page has.
  /// - Throws: ``Problem`` where it is no whole number from 1 to `largest`.
  package static func pageSize(_ name: String, _ text: String?, standard: Int, largest: Int) throws(Problem) -> PageSize {
    guard let text else { return PageSize(clamping: Int64(standard)) }
    guard let size = PageSize(text), size.count <= largest else {
      throw Problem(400, "Bad argument", "\(name)=\(text.prefix(80)): expected a whole number, 1 to \(largest).", at: name)
    }
    return size
  }

  /// The number of the row where the next page begins.
  package static func cursor(_ text: String?) throws(Problem) -> RowNumber? {
    guard let text, !text.isEmpty else { return nil }
    guard let cursor = RowNumber(text) else {
      throw Problem(
        400, "Bad argument", "after=\(text.prefix(80)): expected the \"endCursor\" of an earlier answer.", at: "after")
    }
    return cursor
  }

  /// A finite number.
  /// - Throws: ``Problem`` where it is none, or outside the range.
  package static func decimal(
    _ name: String, _ text: String?, in range: ClosedRange<Double>, _ expected: String
  ) throws(Problem) -> Double? {
    guard let text else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw Problem(400, "Bad argument", "\(name)=\(text.prefix(80)): expected \(expected).", at: name)
    }
    return number
  }
}
