/// The system's restrictions on apps while the phone is at rest.
struct Resting: Sendable {
  /// `nil` with Apple's rules, which have no idle state.
  private var doze: DozeSchedule?

  init(_ rules: RestRules, seed: UInt64, _ board: inout Mainboard) {
    guard rules == .doze else { return }
    doze = DozeSchedule(from: board.time, seed: seed)
    plan(&board)
  }

  /// Whether location, network and timers of apps are suspended.
  var isIdle: Bool { doze?.phase == .idle }

  mutating func setScreen(isOn: Bool, _ board: inout Mainboard) {
    guard let doze, doze.isScreenOn != isOn else { return }
    change(&board) { $0.setScreen(isOn: isOn, at: $1) }
  }

  mutating func setCharging(_ isCharging: Bool, _ board: inout Mainboard) {
    change(&board) { $0.setCharging(isCharging, at: $1) }
  }

  mutating func setMoving(_ isMoving: Bool, _ board: inout Mainboard) {
    change(&board) { $0.setMoving(isMoving, at: $1) }
  }

  /// Reports that the phone started.
  mutating func restart(_ board: inout Mainboard) { change(&board) { $0.restart(at: $1) } }

  /// Ends a phase.
  mutating func advance(_ board: inout Mainboard) { change(&board) { $0.advance(to: $1) } }

  private mutating func change(_ board: inout Mainboard, _ body: (inout DozeSchedule, SimulatedTime) -> Void) {
    guard var schedule = doze else { return }
    body(&schedule, board.time)
    doze = schedule
    plan(&board)
  }

  /// A phone without power sets no alarm.
  private func plan(_ board: inout Mainboard) {
    if board.isOn { board.set(.rest, at: doze?.phaseEnd ?? .never) }
  }
}
