/// What a mirror deletes in a range of a device's history, in addition to storing the range's records.
package enum MirrorRemoval: String, Sendable, Codable, CaseIterable, Comparable {
  /// Nothing: records were added.
  case none
  /// Records that are no longer in the range: some were thinned out, or exceeded the retention period.
  case records
  /// Records, and the events of regions that were computed from them, because a user deleted records.
  case all

  private var rank: Int {
    switch self {
    case .none: 0
    case .records: 1
    case .all: 2
    }
  }

  package static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
}

/// A range of a device's history that a submission replaces: the submission contains all records of the range.
package struct ReplacedRange: Sendable, Hashable {
  /// Milliseconds since 1970.
  package let times: Range<Int64>
  /// What is deleted, if the submission does not contain it; never `none`.
  package let removal: MirrorRemoval

  package init(times: Range<Int64>, removal: MirrorRemoval) { (self.times, self.removal) = (times, removal) }
}
