public import GodwitModel

/// The state of a device's journal on this server, with its gaps.
public struct JournalSummary: Sendable, Hashable {
  /// The device of the journal.
  public var device: Device
  /// The number of the journal, as in `RecordID`.
  public var journal: UInt64
  /// The first sequence number that was meant for this server; `nil` if the device did not send it.
  public var since: RecordNumber?
  /// The sequence numbers that uploads covered, in order.
  public var covered: [ClosedRange<RecordNumber>]

  /// The sequence numbers up to the newest covered one that were meant for this server and that no upload covered. The device
  /// deleted these records unsent (too old, or purged), quarantined them after a rejection, or still retries them.
  public var missing: [ClosedRange<RecordNumber>] {
    guard let first = covered.first else { return [] }
    var gaps = NumberGaps(since: min(since ?? first.lowerBound, first.lowerBound))
    return covered.compactMap { gaps.gap(before: $0) }
  }

  /// Number of missing records; saturates at the greatest integer.
  public var missingCount: Int { missing.lazy.map(\.count).saturatingSum() }
}

/// Finds the gaps between ranges that are ordered by their first numbers.
package struct NumberGaps {
  /// The first number after all ranges; `nil` after the greatest number.
  private var next: RecordNumber?

  /// - Parameter since: the first number that can be missing.
  package init(since: RecordNumber) { next = since }

  /// Adds a range. - Returns: the numbers between the previous ranges and this one; `nil` if there are none.
  package mutating func gap(before range: ClosedRange<RecordNumber>) -> ClosedRange<RecordNumber>? {
    guard let next else { return nil }
    // Ranges of earlier builds may overlap once their numbers are clamped.
    self.next = range.upperBound < next ? next : range.upperBound.next
    guard let last = range.lowerBound.previous, last >= next else { return nil }
    return next...last
  }
}

extension Sequence<JournalSummary> {
  /// Number of missing records by device; saturates at the greatest integer.
  public func missingByDevice() -> [Int64: Int] {
    Dictionary(grouping: self, by: \.device.id).mapValues { $0.lazy.map(\.missingCount).saturatingSum() }
  }
}
