internal import Foundation
internal import GodwitModel

/// Numbers of a journal that never came.
struct Gap: Sendable, Hashable {
  /// The journal, as in `RecordID`.
  var journal: UInt64
  var numbers: ClosedRange<Int64>
  /// When the upload came that covered the number before it; `nil`: there is none, or nobody knows.
  var before: Date?
  /// When the upload came that covered the number after it: since then it is known.
  var after: Date?

  /// How many; no more than there are numbers.
  var count: Int64 {
    let (count, isTooMany) = numbers.upperBound.subtractingReportingOverflow(numbers.lowerBound)
    return isTooMany || count == .max ? .max : count + 1
  }
}

/// What lies between the ranges that uploads have covered.
enum GapTable {
  /// The gaps of a device, those first that have been known for longest.
  static func gaps(of device: Int64, _ connection: any SQLConnection) throws -> [Gap] {
    var gaps: [Gap] = []
    var last: (journal: Int64, next: Int64?, ended: Date?)?
    try connection.forEach(
      """
      SELECT journals.journal, journals.since, ranges.first, ranges.last, ranges.began, ranges.ended
      FROM journals JOIN ranges ON ranges.journal = journals.id WHERE journals.device = ? ORDER BY journals.id, ranges.first
      """, device
    ) { row in
      func date(_ column: Int32) -> Date? { row.optionalInteger(column).map { Date(millisecondsSince1970: $0) } }
      let (journal, first, end) = (row.integer(0), row.integer(2), row.integer(3))
      let isSame = last?.journal == journal
      // The first number that was meant for this server is the first that can be missing.
      let next = isSame ? last?.next : min(row.optionalInteger(1) ?? first, first)
      if let next, first > next {
        gaps.append(
          Gap(
            journal: UInt64(bitPattern: journal), numbers: next...(first - 1), before: isSame ? last?.ended : nil,
            after: date(4)))
      }
      last = (journal, end == .max ? nil : end + 1, date(5))
    }
    return gaps.sorted { ($0.after ?? .distantPast) < ($1.after ?? .distantPast) }
  }
}
