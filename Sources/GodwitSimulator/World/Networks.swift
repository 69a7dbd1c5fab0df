/// The available networks with the user's switches applied, and the data radio.
struct Networks: Sendable {
  /// Changes of the radios and networks by the user, a script or the system.
  struct Switches: Sendable {
    var aeroplane = false
    var wifi = true
    var cellular = true
    var captive = false
    /// Whether the system's restrictions at rest block all networks.
    var isBlocked = false
    var signalCost = 1.0
  }

  /// Result of a change.
  struct Change: Sendable {
    /// The new network, if it changed and the phone is on.
    var event: WorldEvent?
    /// Transfers that were lost with the connection.
    var lost: [WorldEvent] = []
  }

  /// The network with the user's switches applied.
  private(set) var condition: NetworkCondition
  private var switches = Switches()
  private let script: NetworkScript
  private var step: Int
  private var scripted: NetworkCondition
  private var radio = DataRadio()
  private var part = EnergyPart.mobileData
  private var transfers: [(transfer: Transfer, end: SimulatedTime)] = []
  private var count = 0

  init(_ script: NetworkScript, from start: SimulatedTime) {
    self.script = script
    scripted = script.condition(at: start)
    condition = scripted
    step = script.firstStep(after: start)
  }

  /// Whether the phone receives wifi and cells. With the mobile radio off it receives no cells.
  var reception: Reception {
    Reception(
      hasWifi: switches.wifi, hasCells: switches.cellular && !switches.aeroplane, isAssisted: condition.isReachable)
  }

  // MARK: Conditions

  /// Sets the alarm of the next step of the script.
  func plan(_ board: inout Mainboard) {
    if step < script.steps.count { board.set(.network, at: script.steps[step].start) }
  }

  /// Applies a step of the script.
  mutating func advance(_ board: inout Mainboard) -> Change {
    scripted = script.steps[step].condition
    step += 1
    plan(&board)
    return follow(&board)
  }

  mutating func change(_ board: inout Mainboard, _ body: (inout Switches) -> Void) -> Change {
    body(&switches)
    return follow(&board)
  }

  private mutating func follow(_ board: inout Mainboard) -> Change {
    var new = scripted
    if new.kind == .wifi, !switches.wifi { new = .lte }
    if switches.aeroplane, new.kind != .wifi { new = .offline }
    if !switches.cellular, new.kind != .wifi { new = .offline }
    if switches.isBlocked { new = .offline }
    if switches.captive, new.kind == .wifi { new.isCaptive = true }
    if new.kind != .none, new.kind != .wifi, switches.signalCost != 1 { new.signalCost = switches.signalCost }
    guard new != condition else { return Change() }
    let isOther = new.kind != condition.kind
    condition = new
    let lost = isOther ? disconnect(&board) : []
    return Change(event: board.isOn ? .network(new) : nil, lost: lost)
  }

  // MARK: Transfers

  /// Sends data after the transfers in progress. - Returns: `nil` without a network.
  mutating func send(up: Int, down: Int, _ board: inout Mainboard) -> Transfer? {
    guard board.isOn, condition.kind != .none, let cost = board.phone.radio(condition.kind) else { return nil }
    board.power.advance(to: board.time)
    part = condition.kind == .wifi ? .wifiData : .mobileData
    let end = radio.transfer(up: up, down: down, over: condition, cost: cost, at: board.time)
    count += 1
    let transfer = Transfer(number: count)
    transfers.append((transfer, end))
    followRadio(&board)
    planTransfer(&board)
    return transfer
  }

  /// Completes the first transfer.
  mutating func finishTransfer(_ board: inout Mainboard) -> WorldEvent? {
    guard let first = transfers.first else { return nil }
    transfers.removeFirst()
    planTransfer(&board)
    return .transferred(first.transfer, isComplete: true)
  }

  /// Ends the connection. - Returns: the transfers that were lost.
  mutating func disconnect(_ board: inout Mainboard) -> [WorldEvent] {
    radio.cut()
    followRadio(&board)
    defer {
      transfers = []
      planTransfer(&board)
    }
    return transfers.map { .transferred($0.transfer, isComplete: false) }
  }

  mutating func advanceRadio(_ board: inout Mainboard) {
    radio.advance(to: board.time)
    followRadio(&board)
  }

  private func followRadio(_ board: inout Mainboard) {
    board.set(part, radio.power)
    board.set(.radio, at: radio.nextChange)
  }

  private func planTransfer(_ board: inout Mainboard) {
    if let first = transfers.first { board.set(.transfer, at: first.end) } else { board.cancel(.transfer) }
  }
}
