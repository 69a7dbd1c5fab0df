/// Ranges of sequence numbers of a journal: closed, sorted and disjoint.
struct RecordRanges: Equatable {
  struct Range: Equatable {
    var first: Int64
    var last: Int64
  }

  var ranges: [Range] = []

  /// Returns the numbers in these ranges that are not in others. Complexity: O(*n* · *m*) for the counts of ranges.
  func subtracting(_ others: RecordRanges) -> RecordRanges {
    var left = ranges
    for other in others.ranges {
      left = left.flatMap { range -> [Range] in
        guard range.first <= other.last, other.first <= range.last else { return [range] }
        var parts: [Range] = []
        // The differences cannot overflow, because a bound lies beyond each of them.
        if range.first < other.first { parts.append(Range(first: range.first, last: other.first - 1)) }
        if other.last < range.last { parts.append(Range(first: other.last + 1, last: range.last)) }
        return parts
      }
    }
    return RecordRanges(ranges: left)
  }

  /// Returns the numbers that are in these ranges or in others. Adjacent ranges are merged.
  func united(with others: RecordRanges) -> RecordRanges {
    var united: [Range] = []
    for range in (ranges + others.ranges).sorted(by: { $0.first < $1.first }) {
      if let last = united.last, last.last == .max || range.first <= last.last + 1 {
        united[united.count - 1].last = max(last.last, range.last)
      } else {
        united.append(range)
      }
    }
    return RecordRanges(ranges: united)
  }
}
