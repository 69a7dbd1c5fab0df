/// Ranges of record numbers of a journal: from the first to the last, both included, in their order, and without a number in common.
struct RecordRanges: Equatable {
  struct Range: Equatable {
    var first: Int64
    var last: Int64
  }

  var ranges: [Range] = []

  /// The numbers that are in these ranges and not in others. Complexity: the product of the counts.
  func subtracting(_ others: RecordRanges) -> RecordRanges {
    var left = ranges
    for other in others.ranges {
      left = left.flatMap { range -> [Range] in
        guard range.first <= other.last, other.first <= range.last else { return [range] }
        var parts: [Range] = []
        // Neither difference overflows: the other bound is beyond it.
        if range.first < other.first { parts.append(Range(first: range.first, last: other.first - 1)) }
        if other.last < range.last { parts.append(Range(first: other.last + 1, last: range.last)) }
        return parts
      }
    }
    return RecordRanges(ranges: left)
  }

  /// The numbers that are in these ranges or in others; ranges that touch become one.
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
