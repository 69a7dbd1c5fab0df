/// The system's rules at rest: whether apps may work now.
struct Resting: Sendable {
  /// `nil`: with Apple's rules apps may always work.
  private var doze: DozeSchedule?

  init(_ rules: RestRules, seed: UInt64, _ board: inout Mainboard) {
    guard rules == .doze else { return }
    doze = DozeSchedule(from: board.time, seed: seed)
    plan(&board)
  }

  /// Whether location, network and timers of apps wait.
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

  /// The phone starts, again or after its power was gone.
  mutating func restart(_ board: inout Mainboard) { change(&board) { $0.restart(at: $1) } }

  /// A phase has ended.
  mutating func advance(_ board: inout Mainboard) { change(&board) { $0.advance(to: $1) } }

  private mutating func change(_ board: inout Mainboard, _ body: (inout DozeSchedule, SimulatedTime) -> Void) {
    guard var schedule = doze else { return }
    body(&schedule, board.time)
    doze = schedule
    plan(&board)
  }

  /// Nothing passes in a phone without power.
  private func plan(_ board: inout Mainboard) {
    if board.isOn { board.set(.rest, at: doze?.phaseEnd ?? .never) }
  }
}
