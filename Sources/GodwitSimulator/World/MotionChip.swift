internal import GodwitModel

/// The motion chip, which is always on. An ideal chip detects each true motion after a delay of some seconds. A chip with a model
/// has the errors of real chips.
struct MotionChip: Sendable {
  /// The reported motion; `nil` before the first report.
  private(set) var seen: Motion?
  private let model: MotionChipModel?
  private var random: RandomSource
  /// The next report of a chip with a model; `nil` to draw a report at the next alarm.
  private var upcoming: MotionChipModel.Report?
  /// The true situation, for a chip with a model.
  private var situation: Situation?

  /// A true situation with its time range.
  private struct Situation: Sendable {
    var kind: MotionChipModel.Situation
    /// Whether the phone's owner runs. The model of walking is then used, with the reports of walking and running exchanged.
    var isRunning: Bool
    var start: SimulatedTime
    var end: SimulatedTime

    /// Exchanges the reports of walking and running if the owner runs.
    func exchanged(_ report: MotionChipModel.Report) -> MotionChipModel.Report {
      guard isRunning else { return report }
      return report == .walking ? .running : report == .running ? .walking : report
    }
  }

  /// - Parameters:
  ///   - model: Errors of the chip; `nil` for an ideal chip.
  ///   - seed: Seed of its errors.
  init(_ model: MotionChipModel?, seed: UInt64) {
    self.model = model
    random = RandomSource(seed: seed, stream: "motion")
  }

  static func isMoving(_ motion: Motion) -> Bool { motion != .stationary && !motion.isEmpty }

  /// Seconds that a motion must last until the ideal chip reports it (assumed; cycling and driving are detected late).
  private static func delay(of motion: Motion) -> Double {
    if motion.contains(.cycling) || motion.contains(.driving) { return 15 }
    return motion == .stationary ? 10 : 5
  }

  /// Sets the alarm of the next report. The initial motion is reported at once.
  mutating func plan(_ board: inout Mainboard) {
    guard let seen else { return board.set(.motion, at: board.time) }
    if let model { return plan(model, from: MotionChipModel.Report(seen), &board) }
    var from = board.time
    var motion = board.truth().motion
    // A change in progress needs only the rest of its delay. A motion that ends before its delay is never reported.
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

  /// Reports a wrong motion for some seconds. - Returns: `false` if the phone is off.
  mutating func flicker(_ motion: Motion, seconds: Double, _ board: inout Mainboard) -> Bool {
    guard board.isOn else { return false }
    seen = motion
    upcoming = nil
    board.set(.motion, in: seconds)
    return true
  }

  /// Updates the reported motion. - Returns: the motion if it changed.
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

  /// Sets the alarm of the next change of the report. Each situation has its own rates, which depend only on the current report.
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

  /// Returns the current situation. The result is cached, because the kind of a stay depends on its whole length.
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
