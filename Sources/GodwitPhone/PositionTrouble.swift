internal import Foundation
internal import GodwitModel
internal import GodwitSimulator

/// What a script makes of the next position.
struct PositionTrouble: Sendable {
  var isLost = false
  var isRepeated = false
  var delay = 0.0
  var staleness = 0.0
  var copies = 1

  /// Of a position, those that come instead, and after how many seconds; the position after it is left alone.
  mutating func change(_ fix: Fix) -> (fixes: [Fix], delay: Double) {
    defer { self = PositionTrouble() }
    guard !isLost else { return ([], 0) }
    var reported = fix
    // An old place is reported with the exactness that it had.
    if staleness > 0 { reported.time = reported.time.addingTimeInterval(-staleness) }
    return (Array(repeating: reported, count: copies + (isRepeated ? 1 : 0)), delay)
  }
}
