package import Foundation
package import GodwitModel
package import GodwitStore

/// A range of missing sequence numbers of a journal.
package struct Gap: Sendable, Hashable {
  /// The number of the journal, as in `RecordID`.
  package var journal: UInt64
  package var numbers: ClosedRange<RecordNumber>
  /// Time of the upload that covered the number before the gap; `nil` if there is none or its time is unknown.
  package var before: Date?
  /// Time of the upload that covered the number after the gap. The gap is known since then.
  package var after: Date?

  /// Number of missing records.
  package var count: Int { numbers.count }
}

/// The gaps between the ranges that uploads have covered.
package enum GapTable {
  /// The gaps of a device; the gap that is known for the longest time is first.
  package static func gaps(of device: Int64, _ db: any SQLConnection) throws -> [Gap] {
    var gaps: [Gap] = []
    var last: (journal: Int64, ended: Date?)?
    var numbers = NumberGaps(since: .min)
    try db.forEach(
      """
      SELECT journals.journal, journals.since, received_ranges.first, received_ranges.last, received_ranges.began, received_ranges.ended
      FROM journals JOIN received_ranges ON received_ranges.journal = journals.id WHERE journals.device = ? ORDER BY journals.id, received_ranges.first
      """, device
    ) { row in
      // Earlier builds stored numbers outside of the valid range.
      let (first, end) = try (RecordNumber(clamping: row.integer("first")), RecordNumber(clamping: row.integer("last")))
      guard first <= end else { return }
      let journal = try row.integer("journal")
      let isSame = last?.journal == journal
      if !isSame {
        // Numbers before the first one that was meant for this server cannot be missing.
        numbers = NumberGaps(since: min(try row.optionalInteger("since").map { RecordNumber(clamping: $0) } ?? first, first))
      }
      if let gap = numbers.gap(before: first...end) {
        gaps.append(
          Gap(
            journal: UInt64(bitPattern: journal), numbers: gap, before: isSame ? last?.ended : nil,
            after: try row.optionalTime("began")))
      }
      last = (journal, try row.optionalTime("ended"))
    }
    return gaps.sorted { ($0.after ?? .distantPast) < ($1.after ?? .distantPast) }
  }
}
