internal import GodwitMirror
internal import GodwitStore

/// A range of a device's times that is sent to a mirror.
struct MirrorRange: Sendable, Hashable {
  /// Milliseconds since 1970.
  var times: Range<Int64>
  var removal: MirrorRemoval
  /// Whether none of the records was uploaded by a connected device, so that they cause no events.
  var isHistory: Bool

  /// Returns the ranges of a device's changes, ordered by time and without overlaps. Adjacent changes are combined.
  static func merged(_ changes: [MirrorChanges.Change]) -> [MirrorRange] {
    let all = changes.map { change in
      let end = change.last == .max ? .max : change.last + 1
      return MirrorRange(
        times: change.first..<max(change.first, end), removal: change.removal, isHistory: change.isHistory)
    }
    let bounds = Set(all.flatMap { [$0.times.lowerBound, $0.times.upperBound] }).sorted()
    var merged: [MirrorRange] = []
    for (first, end) in zip(bounds, bounds.dropFirst()) {
      let covering = all.filter { $0.times.lowerBound <= first && $0.times.upperBound >= end }
      guard let removal = covering.map(\.removal).max() else { continue }
      let isHistory = covering.allSatisfy(\.isHistory)
      if let last = merged.last, last.removal == removal, last.isHistory == isHistory,
        isNear(last.times.upperBound, first, removal)
      {
        merged[merged.count - 1].times = last.times.lowerBound..<end
      } else {
        merged.append(MirrorRange(times: first..<end, removal: removal, isHistory: isHistory))
      }
    }
    return merged
  }

  /// Whether two ranges are sent as one. For added records a gap is permitted: the records in it are only sent again.
  private static func isNear(_ end: Int64, _ next: Int64, _ removal: MirrorRemoval) -> Bool {
    let gap = next.subtractingReportingOverflow(end)
    return end == next || removal == .none && !gap.overflow && gap.partialValue <= MirrorChanges.gap
  }
}
