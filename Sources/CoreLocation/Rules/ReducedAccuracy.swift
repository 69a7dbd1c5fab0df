internal import Foundation
internal import GodwitModel

/// Rule 9, the second half: a person who keeps the exact place gives cells of kilometres, about four times an hour.
struct ReducedAccuracy: Sendable {
  /// Whether the person gives exact places.
  var isPrecise = true
  /// Whether they give them for the time that the app is used.
  var isTemporarilyFull = false
  var isAsking = false
  private var last: Fix?
  private var measured: Date?

  var isReduced: Bool { !isPrecise && !isTemporarilyFull }

  /// The cell, when it is time for one: with the time of the position, and nothing else that it had.
  mutating func reduce(_ fix: Fix, _ profile: OSProfile) -> Fix? {
    if let measured {
      let elapsed = fix.time.timeIntervalSince(measured)
      if elapsed >= 0, elapsed < profile.reducedInterval { return nil }
    }
    measured = fix.time
    last = Precision.grid(profile.reducedCell).applied(to: fix)
    return last
  }

  /// A visit to a cell: a system that knows the exact place notices it, and keeps it to itself.
  static func reduced(_ visit: Visit, _ profile: OSProfile) -> Visit {
    let fix = Fix(time: visit.time, coordinate: visit.coordinate, horizontalAccuracy: visit.horizontalAccuracy)
    let cell = Precision.grid(profile.reducedCell).applied(to: fix)
    var visit = visit
    (visit.coordinate, visit.horizontalAccuracy) = (cell.coordinate, cell.horizontalAccuracy)
    return visit
  }

  /// The immediate answer to a request.
  var cell: Fix? { last }

  mutating func reset() { (last, measured) = (nil, nil) }
}
