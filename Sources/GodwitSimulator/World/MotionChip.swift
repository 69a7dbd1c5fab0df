internal import GodwitModel

/// The motion chip, which senses all the time. The ideal one sees each motion of the truth some seconds after it began; one with a model
/// errs as chips of that kind do.
struct MotionChip: Sendable {
  /// What it sees; nil before it has looked.
  private(set) var seen: Motion?
  private let model: MotionChipModel?
  private var random: RandomSource
  /// What a chip with a model reports at its next look; nil: it looks again.
  private var upcoming: MotionChipModel.Report?
  /// What is true for a chip with a model.
  private var situation: Situation?

  /// What is true, and until when.
  private struct Situation: Sendable {
    var kind: MotionChipModel.Situation
    /// Runners are reported like walkers, with the two words exchanged.
    var isRunning: Bool
    var start: SimulatedTime
    var end: SimulatedTime

    /// What the model calls a report, and the other way round.
    func exchanged(_ report: MotionChipModel.Report) -> MotionChipModel.Report {
      guard isRunning else { return report }
      return report == .walking ? .running : report == .running ? .walking : report
    }
  }

  /// - Parameters:
  ///   - model: How it errs; nil for the ideal chip.
  ///   - seed: Of its errors.
  init(_ model: MotionChipModel?, seed: UInt64) {
    self.model = model
    random = RandomSource(seed: seed, stream: "motion")
  }

  static func isMoving(_ motion: Motion) -> Bool { motion != .stationary && !motion.isEmpty }

  /// Seconds that a motion must last until the ideal chip is sure of it (assumed; cycling and driving are seen late).
  private static func delay(of motion: Motion) -> Double {
    if motion.contains(.cycling) || motion.contains(.driving) { return 15 }
    return motion == .stationary ? 10 : 5
  }

  /// The next look. What it sees in the beginning is reported at once.
  mutating func plan(_ board: inout Mainboard) {
    guard let seen else { return board.set(.motion, at: board.time) }
    if let model { return plan(model, from: MotionChipModel.Report(seen), &board) }
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
    upcoming = nil
    board.set(.motion, in: seconds)
    return true
  }

  /// It looks. - Returns: what it sees, if that is something else than before.
  mutating func poll(_ board: inout Mainboard) -> Motion? {
    let motion = model.map { nextReport($0, &board) } ?? board.truth().motion
    let isOther = motion != seen
    seen = motion
    plan(&board)
    return isOther ? motion : nil
  }

  // MARK: With a model

  private mutating func nextReport(_ model: MotionChipModel, _ board: inout Mainboard) -> Motion {
    defer { upcoming = nil }
    if let upcoming { return upcoming.motion }
    let situation = current(&board)
    return situation.exchanged(model.report(in: situation.kind, &random)).motion
  }

  /// The next change of the report: in each situation on the way by its own rates, for which only the present report counts.
  private mutating func plan(_ model: MotionChipModel, from report: MotionChipModel.Report, _ board: inout Mainboard) {
    var from = board.time
    var situation = current(&board)
    while true {
      if let change = model.change(of: situation.exchanged(report), in: situation.kind, &random) {
        let time = from + change.seconds
        if time < situation.end {
          upcoming = situation.exchanged(change.report)
          return board.set(.motion, at: time)
        }
      }
      guard let next = board.motionChange(after: from) else { return board.cancel(.motion) }
      from = next.time
      situation = Self.situation(next.motion, from: next.time, &board)
    }
  }

  /// What is true now. It is remembered, because a stay is judged by its whole length.
  private mutating func current(_ board: inout Mainboard) -> Situation {
    if let situation, situation.start <= board.time, board.time < situation.end { return situation }
    let found = Self.situation(board.truth().motion, from: board.time, &board)
    situation = found
    return found
  }

  private static func situation(_ motion: Motion, from start: SimulatedTime, _ board: inout Mainboard) -> Situation {
    let end = board.motionChange(after: start)?.time ?? .never
    return Situation(
      kind: MotionChipModel.Situation(motion, lasting: end == .never ? .infinity : end - start),
      isRunning: motion.contains(.running), start: start, end: end)
  }
}
