internal import Foundation
internal import GodwitModel

/// Rule 10: positions can come late, twice, and from a clock that was set back. Managers get them as they come; what is
/// reported from the course of time (a pause, a stay, a crossing) looks only at those that are newer than all before.
struct PositionOrder: Sendable {
  /// So many calls with nothing but old positions mean that the clock was set back (assumed).
  static let timeout = 3

  /// Last known position, as exact as the system has it, in order or not.
  private(set) var known: Fix?
  private var newest: Date?
  private var oldInARow = 0

  /// - Parameter fixes: positions, of which the last becomes the known one.
  /// - Returns: the positions that are in order, and by how many seconds the clock turns out to have been moved: negative,
  ///   0 as a rule.
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
