/// What another server deletes in a range of a device's history beside storing its records.
package enum MirrorRemoval: String, Sendable, Codable, CaseIterable, Comparable {
  /// Nothing: records were added.
  case none
  /// Records that are no longer in the range: some were thinned out, or are older than they are stored.
  case records
  /// The same, and events of regions that were found from them: a user deleted records.
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

/// A range of a device's history that a submission replaces, because the submission has all of its records.
package struct ReplacedRange: Sendable, Hashable {
  /// Milliseconds since 1970.
  package let times: Range<Int64>
  /// What is deleted that is not in the submission; not `none`.
  package let removal: MirrorRemoval

  package init(times: Range<Int64>, removal: MirrorRemoval) { (self.times, self.removal) = (times, removal) }
}
