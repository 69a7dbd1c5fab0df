internal import Foundation
internal import GodwitModel

/// Rule 9, second half: without permission for exact positions the app receives cells of kilometres, about four times an hour.
struct ReducedAccuracy: Sendable {
  /// Whether the user grants exact positions.
  var isPrecise = true
  /// Whether the user grants exact positions temporarily, while the app is in use.
  var isTemporarilyFull = false
  var isAsking = false
  private var last: Fix?
  private var measured: Date?

  var isReduced: Bool { !isPrecise && !isTemporarilyFull }

  /// Returns the cell of a position, with the time of the position; `nil`: the interval since the last cell has not passed.
  mutating func reduce(_ fix: Fix, _ profile: OSProfile) -> Fix? {
    if let measured {
      let elapsed = fix.time.timeIntervalSince(measured)
      if elapsed >= 0, elapsed < profile.reducedInterval { return nil }
    }
    measured = fix.time
    last = Precision.grid(profile.reducedCell).applied(to: fix)
    return last
  }

  /// Returns a visit with the cell of its place. The visit itself is detected from exact positions.
  static func reduced(_ visit: Visit, _ profile: OSProfile) -> Visit {
    let fix = Fix(time: visit.time, coordinate: visit.coordinate, horizontalAccuracy: visit.horizontalAccuracy)
    let cell = Precision.grid(profile.reducedCell).applied(to: fix)
    var visit = visit
    (visit.coordinate, visit.horizontalAccuracy) = (cell.coordinate, cell.horizontalAccuracy)
    return visit
  }

  /// The last cell; `nil`: none.
  var cell: Fix? { last }

  mutating func reset() { (last, measured) = (nil, nil) }
}
