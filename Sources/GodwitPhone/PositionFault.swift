internal import Foundation
internal import GodwitModel
internal import GodwitSimulator

/// The faults of the next position that a script sets.
struct PositionFault: Sendable {
  var isLost = false
  var isRepeated = false
  var delay = 0.0
  var staleness = 0.0
  var copies = 1

  /// Returns the positions that replace a position, and their delay in seconds. Later positions are not changed.
  mutating func change(_ fix: Fix) -> (fixes: [Fix], delay: Double) {
    defer { self = PositionFault() }
    guard !isLost else { return ([], 0) }
    var reported = fix
    // A stale position keeps its accuracy.
    if staleness > 0 { reported.time = reported.time.addingTimeInterval(-staleness) }
    return (Array(repeating: reported, count: copies + (isRepeated ? 1 : 0)), delay)
  }
}
