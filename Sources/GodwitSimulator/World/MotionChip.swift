internal import GodwitModel

/// The motion chip, which senses all the time: it sees each motion of the truth some seconds after it began.
struct MotionChip: Sendable {
  /// What it sees; nil before it has looked.
  private(set) var seen: Motion?

  static func isMoving(_ motion: Motion) -> Bool { motion != .stationary && !motion.isEmpty }

  /// Seconds that a motion must last until the chip is sure of it (assumed; cycling and driving are seen late).
  private static func delay(of motion: Motion) -> Double {
    if motion.contains(.cycling) || motion.contains(.driving) { return 15 }
    return motion == .stationary ? 10 : 5
  }

  /// The next look. What it sees in the beginning is reported at once.
  func plan(_ board: inout Mainboard) {
    guard let seen else { return board.set(.motion, at: board.time) }
    var from = board.time
    var motion = board.truth().motion
    // A change that has begun already needs only the rest of its delay; one that is over before that is never seen.
    while true {
      if motion != seen {
        let sure = from + Self.delay(of: motion)
        let next = board.motionChange(after: from)
        if next.map({ $0.time > sure }) ?? true { return board.set(.motion, at: max(board.time, sure)) }
      }
      guard let next = board.motionChange(after: from) else { return board.cancel(.motion) }
      (from, motion) = (next.time, next.motion)
    }
  }

  /// It is wrong for some seconds. - Returns: whether it works at all.
  mutating func flicker(_ motion: Motion, seconds: Double, _ board: inout Mainboard) -> Bool {
    guard board.isOn else { return false }
    seen = motion
    board.set(.motion, in: seconds)
    return true
  }

  /// It looks. - Returns: what it sees, if that is something else than before.
  mutating func poll(_ board: inout Mainboard) -> Motion? {
    let motion = board.truth().motion
    let isOther = motion != seen
    seen = motion
    plan(&board)
    return isOther ? motion : nil
  }
}
