internal import Foundation
internal import GodwitModel

/// Rule 10: positions can arrive late, twice, or from a clock that was set back. Managers receive all of them in the order of
/// arrival. Pauses, visits and crossings are computed only from positions that are newer than all before.
struct PositionOrder: Sendable {
  /// The number of successive calls with only old positions after which the clock counts as set back (assumed).
  static let timeout = 3

  /// The last known exact position, in order or not.
  private(set) var known: Fix?
  private var newest: Date?
  private var oldInARow = 0

  /// Selects the positions that are in order.
  /// - Parameter fixes: new positions. The last one becomes the known position.
  /// - Returns: the positions that are in order, and the seconds by which the clock was moved: 0, or negative if it was set
  ///   back.
  mutating func sort(_ fixes: [Fix]) -> (inOrder: [Fix], moved: Double) {
    known = fixes.last ?? known
    var moved = 0.0
    if let newest, let first = fixes.first, fixes.allSatisfy({ $0.time < newest }) {
      oldInARow += 1
      guard oldInARow >= Self.timeout else { return ([], 0) }
      moved = first.time.timeIntervalSince(newest)
      self.newest = nil
    }
    oldInARow = 0
    let inOrder = fixes.filter { fix in
      if let newest, fix.time < newest { return false }
      newest = fix.time
      return true
    }
    return (inOrder, moved)
  }
}
