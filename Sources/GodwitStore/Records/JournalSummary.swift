public import GodwitModel

/// What a device's journal has told this server, and what of it never came.
public struct JournalSummary: Sendable, Hashable {
  /// Whose journal it is.
  public var device: Device
  /// The journal, as in `RecordID`.
  public var journal: UInt64
  /// The first number that was meant for this server; `nil` where the device did not say.
  public var since: RecordNumber?
  /// The numbers that uploads have covered, in their order.
  public var covered: [ClosedRange<RecordNumber>]

  /// The numbers that were meant for this server, that it would have by now, and that no upload covered: the device
  /// removed them unsent (they were too old, or it was told to purge), set them aside because they were refused, or
  /// still tries.
  public var missing: [ClosedRange<RecordNumber>] {
    guard let first = covered.first else { return [] }
    var gaps = NumberGaps(since: min(since ?? first.lowerBound, first.lowerBound))
    return covered.compactMap { gaps.gap(before: $0) }
  }

  /// How many numbers are missing; where that does not fit, the greatest number that does.
  public var missingCount: Int { missing.lazy.map(\.count).saturatingSum() }
}

/// Finds the numbers between ranges that come in the order of their first numbers.
package struct NumberGaps {
  /// The first number that no range has reached; `nil` after the greatest number.
  private var next: RecordNumber?

  /// - Parameter since: the first number that can be missing.
  package init(since: RecordNumber) { next = since }

  /// Adds a range. - Returns: the numbers between it and the ranges before it; `nil` where there are none.
  package mutating func gap(before range: ClosedRange<RecordNumber>) -> ClosedRange<RecordNumber>? {
    guard let next else { return nil }
    // Ranges of earlier builds may overlap once their numbers are clamped.
    self.next = range.upperBound < next ? next : range.upperBound.next
    guard let last = range.lowerBound.previous, last >= next else { return nil }
    return next...last
  }
}

extension Sequence<JournalSummary> {
  /// How many numbers are missing, by device; where that does not fit, the greatest number that does.
  public func missingByDevice() -> [Int64: Int] {
    Dictionary(grouping: self, by: \.device.id).mapValues { $0.lazy.map(\.missingCount).saturatingSum() }
  }
}
