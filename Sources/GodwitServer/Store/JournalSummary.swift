/// What a device's journal has told this server, and what of it never came.
public struct JournalSummary: Sendable, Hashable {
  /// Whose journal it is.
  public var device: Device
  /// The journal, as in `RecordID`.
  public var journal: UInt64
  /// The first number that was meant for this server; `nil` where the device did not say.
  public var since: Int64?
  /// The numbers that uploads have covered, in their order, none touching another.
  public var covered: [ClosedRange<Int64>]

  /// The numbers that were meant for this server, that it would have by now, and that no upload covered: the device
  /// removed them unsent (they were too old, or it was told to purge), set them aside because they were refused, or
  /// still tries.
  public var missing: [ClosedRange<Int64>] {
    guard let first = covered.first else { return [] }
    var missing: [ClosedRange<Int64>] = []
    var next = min(since ?? first.lowerBound, first.lowerBound)
    for range in covered {
      if range.lowerBound > next { missing.append(next...range.lowerBound - 1) }
      next = range.upperBound == .max ? .max : range.upperBound + 1
    }
    return missing
  }

  /// How many numbers are missing.
  public var missingCount: Int { missing.reduce(0) { $0 + $1.count } }
}
